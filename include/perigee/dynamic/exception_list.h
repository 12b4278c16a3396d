// CORBA::ExceptionList and UnknownUserException: user exceptions whose C++ classes the program does
// not have. Source: CORBA 3.0, 7.2 and 4.12.
#pragma once

#include <perigee/base/export.h>
#include <perigee/dynamic/named_value.h>
#include <perigee/orb/any.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/typecode.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace CORBA {
inline namespace perigee_v1 {

/// The TypeCodes of the user exceptions that an operation raises. A value type.
class PERIGEE_API ExceptionList {
 public:
  ExceptionList() = default;
  ExceptionList(std::initializer_list<object_reference<TypeCode>> types);

  [[nodiscard]] std::uint32_t count() const noexcept {
    return static_cast<std::uint32_t>(types_.size());
  }
  /// Raises BAD_TYPECODE unless `type` is the type of an exception.
  void add(object_reference<TypeCode> type);
  /// Raises Bounds if there is no such item.
  [[nodiscard]] const object_reference<TypeCode>& item(std::uint32_t index) const;
  void remove(std::uint32_t index);

  [[nodiscard]] auto begin() const noexcept { return types_.begin(); }
  [[nodiscard]] auto end() const noexcept { return types_.end(); }

 private:
  std::vector<object_reference<TypeCode>> types_;
};

/// A dynamic call has ended with a user exception of its exception list. The any has the exception,
/// and `any >>= exception` extracts it into a generated class.
class PERIGEE_API UnknownUserException final : public UserException {
 public:
  explicit UnknownUserException(Any exception) noexcept : exception_(std::move(exception)) {}
  UnknownUserException(const UnknownUserException&) = default;
  UnknownUserException(UnknownUserException&&) noexcept = default;
  UnknownUserException& operator=(const UnknownUserException&) = default;
  UnknownUserException& operator=(UnknownUserException&&) noexcept = default;
  ~UnknownUserException() override;

  [[nodiscard]] const Any& exception() const noexcept { return exception_; }

  [[nodiscard]] const char* _rep_id() const noexcept override;
  [[nodiscard]] const char* _name() const noexcept override;
  [[noreturn]] void _raise() const override;
  void _encode(perigee::cdr::Encoder& encoder) const override;

 protected:
  void _describe(std::string& text) const override;

 private:
  Any exception_;
};

}  // namespace perigee_v1
}  // namespace CORBA
