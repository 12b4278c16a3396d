// CORBA::NamedValue and NVList: the arguments of a dynamic call. Source: CORBA 3.0, 7.5.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/any.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/local_exception.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace CORBA {
inline namespace perigee_v1 {

/// The direction of an argument: one of the constants below.
using Flags = std::uint32_t;
inline constexpr Flags ARG_IN = 1;
inline constexpr Flags ARG_OUT = 2;
inline constexpr Flags ARG_INOUT = 3;

/// The NVList or the ExceptionList has no item with that index.
PERIGEE_LOCAL_EXCEPTION(Bounds)

/// A value with a name, a type and a direction.
class PERIGEE_API NamedValue {
 public:
  NamedValue() = default;
  NamedValue(std::string name, Any value, Flags flags)
      : name_(std::move(name)), value_(std::move(value)), flags_(flags) {}
  /// A parameter of this type, without a value so far.
  NamedValue(std::string name, object_reference<TypeCode> type, Flags flags)
      : name_(std::move(name)), type_(std::move(type)), flags_(flags) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const Any& value() const noexcept { return value_; }
  [[nodiscard]] Any& value() noexcept { return value_; }
  void value(Any value) noexcept { value_ = std::move(value); }
  [[nodiscard]] Flags flags() const noexcept { return flags_; }

  /// The declared type; if there is none, the type of the value.
  [[nodiscard]] object_reference<TypeCode> type() const;
  /// Declares the type. A value that is not received yet (an `out` argument, a result) has no type
  /// of its own. Raises BAD_TYPECODE for nil, and if there is a value of another type.
  void type(object_reference<TypeCode> type);
  /// Whether there is a value, and its type is equivalent to the declared type.
  [[nodiscard]] bool has_typed_value() const;

 private:
  std::string name_;
  Any value_;
  object_reference<TypeCode> type_;  // nil: the type of the value
  Flags flags_ = ARG_IN;
};

/// A list of named values, in the order of the operation's parameters. A value type: copies are
/// independent.
class PERIGEE_API NVList {
 public:
  [[nodiscard]] std::uint32_t count() const noexcept {
    return static_cast<std::uint32_t>(items_.size());
  }
  /// Adds an item and returns it. The reference is valid until the next item is added or removed.
  /// Raises INV_FLAG unless `flags` is ARG_IN, ARG_OUT or ARG_INOUT.
  NamedValue& add(Flags flags) { return add_value({}, {}, flags); }
  NamedValue& add_item(std::string name, Flags flags) {
    return add_value(std::move(name), {}, flags);
  }
  NamedValue& add_value(std::string name, Any value, Flags flags);
  /// Adds a parameter of this type, without a value. Raises BAD_TYPECODE for nil.
  NamedValue& add_parameter(std::string name, object_reference<TypeCode> type, Flags flags);
  /// Raises Bounds if there is no such item.
  [[nodiscard]] NamedValue& item(std::uint32_t index);
  [[nodiscard]] const NamedValue& item(std::uint32_t index) const;
  void remove(std::uint32_t index);

  [[nodiscard]] auto begin() noexcept { return items_.begin(); }
  [[nodiscard]] auto end() noexcept { return items_.end(); }
  [[nodiscard]] auto begin() const noexcept { return items_.begin(); }
  [[nodiscard]] auto end() const noexcept { return items_.end(); }

 private:
  std::vector<NamedValue> items_;
};

}  // namespace perigee_v1
}  // namespace CORBA
