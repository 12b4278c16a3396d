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
