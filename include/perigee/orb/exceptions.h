// CORBA exceptions in the C++11 mapping: values, thrown by value, caught by const reference.
#pragma once

#include <perigee/base/export.h>

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace perigee::cdr {
class Encoder;
class Decoder;
}  // namespace perigee::cdr

namespace CORBA {
inline namespace perigee_v1 {

/// Whether the operation was executed, as far as the ORB that raises the exception knows. Values as
/// on the wire.
enum class CompletionStatus : std::uint32_t { COMPLETED_YES, COMPLETED_NO, COMPLETED_MAYBE };
using enum CompletionStatus;
/// The name in IDL, for output streams.
constexpr std::string_view _enumerator_name(CompletionStatus status) noexcept {
  switch (status) {
    case COMPLETED_YES:
      return "COMPLETED_YES";
    case COMPLETED_NO:
      return "COMPLETED_NO";
    case COMPLETED_MAYBE:
      return "COMPLETED_MAYBE";
  }
  return {};
}

/// OMG's vendor minor code id: standard minor codes are `OMGVMCID | n`. Perigee's is PERIGEE_VMCID.
inline constexpr std::uint32_t OMGVMCID = 0x4f4d0000;
inline constexpr std::uint32_t PERIGEE_VMCID = 0x50470000;

class PERIGEE_API Exception : public std::exception {
 public:
  ~Exception() override;
  /// The repository id: "IDL:omg.org/CORBA/TRANSIENT:1.0".
  [[nodiscard]] virtual const char* _rep_id() const noexcept = 0;
  /// The name without scopes: "TRANSIENT".
  [[nodiscard]] virtual const char* _name() const noexcept = 0;
  /// Throws a copy of the exception with its own type.
  [[noreturn]] virtual void _raise() const = 0;

 protected:
  Exception() = default;
  Exception(const Exception&) = default;
  Exception(Exception&&) = default;
  Exception& operator=(const Exception&) = default;
  Exception& operator=(Exception&&) = default;
};

/// Base of the exceptions that IDL declares. Generated classes are final.
class PERIGEE_API UserException : public Exception {
 public:
  UserException(const UserException&) = default;
  UserException(UserException&&) noexcept = default;
  UserException& operator=(const UserException&) = default;
  UserException& operator=(UserException&&) noexcept = default;
  ~UserException() override;
  /// The repository id and the members: `IDL:Stock/Unknown:1.0 {symbol="ACME"}`.
  [[nodiscard]] const char* what() const noexcept override;
  /// Writes the members (not the repository id).
  virtual void _encode(perigee::cdr::Encoder& encoder) const = 0;

 protected:
  UserException() = default;
  /// Appends the text of `what`.
  virtual void _describe(std::string& text) const;

 private:
  mutable std::string what_;  // built by what(); an exception is used by one thread
};

/// Base of the standard exceptions that the ORB raises.
class PERIGEE_API SystemException : public Exception {
 public:
  SystemException(const SystemException&) = default;
  SystemException(SystemException&&) noexcept = default;
  SystemException& operator=(const SystemException&) = default;
  SystemException& operator=(SystemException&&) noexcept = default;
  ~SystemException() override;
  [[nodiscard]] std::uint32_t minor() const noexcept { return minor_; }
  void minor(std::uint32_t minor) noexcept { minor_ = minor; }
  [[nodiscard]] CompletionStatus completed() const noexcept { return completed_; }
  void completed(CompletionStatus completed) noexcept { completed_ = completed; }

  /// A text for readers of logs: the error, the endpoint and the step. May be empty. The option
  /// -ORBSendDetails says which details a server sends to its clients.
  [[nodiscard]] const std::string& detail() const noexcept { return detail_; }
  /// "TRANSIENT, minor OMG 2, COMPLETED_NO: connect to iiop://…: Connection refused"
  [[nodiscard]] const char* what() const noexcept override;

 protected:
  SystemException(std::uint32_t minor, CompletionStatus completed, std::string detail);

 private:
  std::uint32_t minor_;
  CompletionStatus completed_;
  std::string detail_;
  mutable std::string what_;  // built by the first what(); an exception is used by one thread
};

/// The text of an exception on output streams: `what()`. For a system exception, the minor code and
/// the completion status are in the words of TAO: "NO_IMPLEMENT {Minor code : 8, Completed : NO}".
PERIGEE_API std::string _text_of_exception(const std::exception& exception);

/// The list of standard system exceptions. Source: CORBA 3.0, 4.12.3.
// clang-format off: a table
#define PERIGEE_SYSTEM_EXCEPTIONS(X)                                                              \
  X(UNKNOWN) X(BAD_PARAM) X(NO_MEMORY) X(IMP_LIMIT) X(COMM_FAILURE) X(INV_OBJREF)                 \
  X(NO_PERMISSION) X(INTERNAL) X(MARSHAL) X(INITIALIZE) X(NO_IMPLEMENT) X(BAD_TYPECODE)           \
  X(BAD_OPERATION) X(NO_RESOURCES) X(NO_RESPONSE) X(PERSIST_STORE) X(BAD_INV_ORDER) X(TRANSIENT)  \
  X(FREE_MEM) X(INV_IDENT) X(INV_FLAG) X(INTF_REPOS) X(BAD_CONTEXT) X(OBJ_ADAPTER)                \
  X(DATA_CONVERSION) X(OBJECT_NOT_EXIST) X(TRANSACTION_REQUIRED) X(TRANSACTION_ROLLEDBACK)        \
  X(INVALID_TRANSACTION) X(INV_POLICY) X(CODESET_INCOMPATIBLE) X(REBIND) X(TIMEOUT)               \
  X(TRANSACTION_UNAVAILABLE) X(TRANSACTION_MODE) X(BAD_QOS) X(INVALID_ACTIVITY)                   \
  X(ACTIVITY_COMPLETED) X(ACTIVITY_REQUIRED) X(THREAD_CANCELLED)
// clang-format on

#define PERIGEE_DECLARE_SYSTEM_EXCEPTION(NAME)                                        \
  class PERIGEE_API NAME final : public SystemException {                             \
   public:                                                                            \
    explicit NAME(std::uint32_t minor = 0, CompletionStatus completed = COMPLETED_NO, \
                  std::string detail = {});                                           \
    ~NAME() override;                                                                 \
    [[nodiscard]] const char* _rep_id() const noexcept override;                      \
    [[nodiscard]] const char* _name() const noexcept override;                        \
    [[noreturn]] void _raise() const override;                                        \
  };
PERIGEE_SYSTEM_EXCEPTIONS(PERIGEE_DECLARE_SYSTEM_EXCEPTION)
#undef PERIGEE_DECLARE_SYSTEM_EXCEPTION

}  // namespace perigee_v1
}  // namespace CORBA
