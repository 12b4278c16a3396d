// IDL::traits of the types that need no generated code: basic types, strings, sequences.
#pragma once

#include <perigee/orb/object.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace perigee::stub {

/// Passed by value: basic types and enums.
template <typename T>
struct value_traits {
  using value_type = T;
  using in_type = T;
  using out_type = T&;
  using inout_type = T&;
};

/// Passed by reference: everything else that is not an object reference.
template <typename T>
struct aggregate_traits {
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
  T::_visit(value, 0);  // only whether it is there: its body would not take a number
  T::_type_name;
};

}  // namespace perigee::stub

namespace IDL {
inline namespace perigee_v1 {

template <typename T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
struct traits<T> : perigee::stub::value_traits<T> {};
template <>
struct traits<std::string> : perigee::stub::aggregate_traits<std::string> {};
template <typename T>
struct traits<std::vector<T>> : perigee::stub::aggregate_traits<std::vector<T>> {
  using element_traits = traits<T>;
};

}  // namespace perigee_v1
}  // namespace IDL
