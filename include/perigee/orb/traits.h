// IDL::traits of the types that need no generated code: basic types, strings, sequences and arrays.
#pragma once

#include <perigee/orb/exceptions.h>
#include <perigee/orb/object.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace perigee::stub {

/// The number of dimensions of an array.
template <typename T>
struct dimensions_of : std::integral_constant<std::uint32_t, 0> {};
template <typename T, std::size_t size>
struct dimensions_of<std::array<T, size>>
    : std::integral_constant<std::uint32_t, 1 + dimensions_of<T>::value> {};

/// The traits of types that are passed by value: basic types and enums.
template <typename T>
struct value_traits : output_traits<T> {
  using value_type = T;
  using in_type = T;
  using out_type = T&;
  using inout_type = T&;
};

/// A bitmask, which is kept in the integer type `Bits`.
template <typename T, typename Bits>
struct bitmask_traits : value_traits<T> {
  using underlying_type = Bits;
  /// The size of the integer type in bits: `@bit_bound`, rounded up to 8, 16, 32 or 64.
  using bit_bound = std::integral_constant<std::uint32_t, 8 * sizeof(Bits)>;
};

/// The traits of types that are passed by reference: all other types except object references.
template <typename T>
struct aggregate_traits : output_traits<T> {
  using value_type = T;
  using in_type = const T&;
  using out_type = T&;
  using inout_type = T&;
};

/// A struct, union or exception from IDL. `T::_visit(value, visitor)` calls `visitor(name, member)`
/// for each member in the order of the IDL (of a union: the discriminator, then the active member);
/// members are const if `value` is. `T::_type_name` is the name in IDL: "Stock::Quote".
template <typename T>
concept Visitable = requires(T& value) {
  T::_visit(value, 0);  // only a check that it exists: its body would not accept a number
  T::_type_name;
};

template <typename T>
concept NamedEnum = std::is_enum_v<T> && requires(T value) { _enumerator_name(value); };

/// The types that `std::ostream << value` accepts.
template <typename T>
struct is_written : std::bool_constant<Visitable<T> || NamedEnum<T> ||
                                       std::is_convertible_v<const T&, const std::exception&>> {};
template <typename T>
struct is_written<CORBA::object_reference<T>> : std::true_type {};

/// Whether <perigee/orb/text.h> has a text for values of a type inside containers.
template <typename T>
inline constexpr bool has_text =
    is_written<T>::value || std::is_arithmetic_v<T> ||
    std::is_convertible_v<const T&, std::string_view> ||
    std::is_convertible_v<const T&, std::wstring_view> || requires(const T& value) {
      { _text_of(value) } -> std::convertible_to<std::string_view>;
    } || requires(const T& value) {
      { value.to_string() } -> std::convertible_to<std::string_view>;
    };

template <typename T, typename Allocator>
struct is_written<std::vector<T, Allocator>> : std::bool_constant<has_text<T>> {};
template <typename T, std::size_t size>
struct is_written<std::array<T, size>> : std::bool_constant<has_text<T>> {};
template <>
struct is_written<std::wstring> : std::true_type {};

}  // namespace perigee::stub

namespace perigee::output {

/// Namespaces of IDL types have a using-declaration of this operator, so that C++ finds it. It is
/// usable only if <perigee/orb/write.h> is included, which defines the formatters.
template <typename T>
  requires(
      requires { sizeof(T); } && stub::is_written<T>::value &&
      requires { sizeof(IDL::formatter<T, char>); })
std::ostream& operator<<(std::ostream& os, const T& value) {
  formatter_of<T> formatter;
  apply(formatter, os, value);
  return os;
}

}  // namespace perigee::output

namespace CORBA {
inline namespace perigee_v1 {
using perigee::output::operator<<;
}
}  // namespace CORBA

namespace IDL {
inline namespace perigee_v1 {

template <typename T>
  requires std::is_arithmetic_v<T>
struct traits<T> : perigee::stub::value_traits<T> {};
template <typename T>
  requires std::is_enum_v<T>
struct traits<T> : perigee::stub::value_traits<T> {
  using underlying_type = std::underlying_type_t<T>;
  /// The size of the integer type in bits: 32, or `@bit_bound`, rounded up to 8, 16 or 32.
  using bit_bound = std::integral_constant<std::uint32_t, 8 * sizeof(T)>;
};
template <>
struct traits<std::string> : perigee::stub::aggregate_traits<std::string> {
  using is_bounded = std::false_type;
  using element_traits = traits<char>;
};
template <>
struct traits<std::wstring> : perigee::stub::aggregate_traits<std::wstring> {
  using is_bounded = std::false_type;
  using element_traits = traits<wchar_t>;
};
template <typename T>
struct traits<std::vector<T>> : perigee::stub::aggregate_traits<std::vector<T>> {
  using is_bounded = std::false_type;
  using element_traits = traits<T>;
};
template <typename T, std::size_t N>
struct traits<std::array<T, N>> : perigee::stub::aggregate_traits<std::array<T, N>> {
  using dimensions =
      std::integral_constant<std::uint32_t, perigee::stub::dimensions_of<std::array<T, N>>::value>;
  using element_traits = traits<T>;
};

}  // namespace perigee_v1
}  // namespace IDL
