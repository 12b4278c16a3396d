// The contents of a Request: the operation, its arguments and its results. Blocking and deferred
// calls use it.
#pragma once

#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/dynamic/exception_list.h>
#include <perigee/dynamic/named_value.h>
#include <perigee/orb/context.h>
#include <perigee/orb/object.h>
#include <perigee/orb/stub.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::dynamic {

/// An operation for the ORB. Must outlive the call.
class CalledOperation final : private stub::DynamicOperation {
 public:
  /// `called` and `exceptions` must outlive this object.
  CalledOperation(std::string_view called, Kind sent, const CORBA::ExceptionList& exceptions);
  CalledOperation(const CalledOperation&) = delete;
  CalledOperation& operator=(const CalledOperation&) = delete;

  [[nodiscard]] const stub::Operation& operation() const noexcept { return *this; }
  using stub::Operation::Kind;

 private:
  static void raise_listed(const stub::DynamicOperation& operation, cdr::Decoder& decoder);

  const CORBA::ExceptionList& exceptions_;
};

/// The names of a context clause. Immutable; copies of a call share it.
class ContextPatterns final {
 public:
  explicit ContextPatterns(std::vector<std::string> names)
      : names_(std::move(names)), views_(names_.begin(), names_.end()) {}
  ContextPatterns(const ContextPatterns&) = delete;
  ContextPatterns& operator=(const ContextPatterns&) = delete;

  [[nodiscard]] const std::vector<std::string_view>& views() const noexcept { return views_; }

 private:
  const std::vector<std::string> names_;
  const std::vector<std::string_view> views_;
};

/// A copy is independent. One thread at a time.
struct DynamicCall {
  std::string operation;
  CORBA::NVList arguments;
  CORBA::NamedValue result;
  CORBA::ExceptionList exceptions;
  CORBA::object_reference<CORBA::Context> context;
  std::shared_ptr<const ContextPatterns> patterns;  ///< null: the operation has no context clause

  /// Raises BAD_PARAM if an argument has no value, or a result no type.
  void check_before(CalledOperation::Kind kind) const;
  void encode(cdr::Encoder& encoder) const;
  /// Changes nothing if the decoder fails. Otherwise only the values of the result and of the `out`
  /// and `inout` items change, so references to the items stay valid.
  void decode(cdr::Decoder& decoder);
  /// Takes the results of `ended`, a copy of this call. If the list has other items than the copy
  /// (another number, or other directions), the list of the copy replaces it.
  void take_results(DynamicCall&& ended);
};

}  // namespace perigee::dynamic
