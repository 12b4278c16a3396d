// CORBA::Any in the C++11 mapping: a value of any type, with its TypeCode. The operators <<= and
// >>= of generated …A.h headers insert and extract values.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/traits.h>
#include <perigee/orb/typecode.h>

#include <cstddef>
#include <memory>

namespace perigee::any {
class Content;
struct Access;
}  // namespace perigee::any

namespace CORBA {
inline namespace perigee_v1 {

/// A value of any IDL type. Copies are cheap: they share the contents, which never change.
///
/// A new Any has no value: its TypeCode is tk_null. One thread at a time may use an Any.
class PERIGEE_API Any {
 public:
  Any() noexcept;
  Any(const Any&) = default;
  Any(Any&& other) noexcept : Any() { swap(other); }
  Any& operator=(const Any&) = default;
  Any& operator=(Any&& other) noexcept {
    Any(std::move(other)).swap(*this);
    return *this;
  }
  ~Any() = default;

  [[nodiscard]] object_reference<TypeCode> type() const;
  /// Replaces the TypeCode by an equivalent one, for example an alias. Raises BAD_TYPECODE unless
  /// `type` is equivalent to the present TypeCode.
  void type(const object_reference<TypeCode>& type);

  /// Whether there is a value: false for tk_null and tk_void.
  [[nodiscard]] bool has_value() const noexcept;
  /// Not null if there is a value. Only for comparisons with null, which programs for TAOX11 have.
  [[nodiscard]] const void* impl() const noexcept { return has_value() ? this : nullptr; }
  /// Removes the value.
  void reset() noexcept { *this = Any(); }

  void swap(Any& other) noexcept;
  friend void swap(Any& a, Any& b) noexcept { a.swap(b); }
  /// Whether the types are equivalent and the values have the same encoding. Aliases and names do
  /// not count, neither in the types nor in Anys inside the values. Values that cannot be encoded
  /// (local objects) are equal only to copies of themselves.
  friend PERIGEE_API bool operator==(const Any& a, const Any& b);

 private:
  friend struct perigee::any::Access;

  const perigee::cdr::TypeNode* type_;  // never null
  std::shared_ptr<const void> type_owner_;
  // Shared by copies, and immutable. Null for basic types, which are stored in `basic_`.
  std::shared_ptr<const perigee::any::Content> content_;
  alignas(8) std::byte basic_[16]{};
};

/// "any of double", "any of struct Point { … }": the type of the value, without the value.
PERIGEE_API std::string _text_of(const Any& any);

/// Raises no exception: a value that cannot be encoded fails the encoder.
PERIGEE_API perigee::cdr::Encoder& operator<<(perigee::cdr::Encoder& encoder, const Any& any);
/// The value is checked against its type, and kept as octets until it is extracted.
PERIGEE_API perigee::cdr::Decoder& operator>>(perigee::cdr::Decoder& decoder, Any& any);

}  // namespace perigee_v1
}  // namespace CORBA

template <>
struct perigee::stub::is_written<CORBA::Any> : std::true_type {};
template <>
struct perigee::stub::is_written<CORBA::TypeCodeConstant> : std::true_type {};

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<CORBA::Any> : perigee::stub::aggregate_traits<CORBA::Any> {};
}  // namespace perigee_v1
}  // namespace IDL
