// std::hash of structs, unions and exceptions from IDL: equal values have equal hashes. Members of
// all IDL types count, except anys: the C++ type of their value is unknown. Object references are
// hashed by the identity of their stubs.
#pragma once

#include <perigee/orb/traits.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace CORBA {
inline namespace perigee_v1 {
class Any;
}
}  // namespace CORBA

namespace perigee::stub {

/// IDL::Fixed, recognised without its header.
template <typename T>
concept FixedNumber = requires(const T& value) {
  value.fixed_digits();
  value.units();
};

template <typename T>
std::size_t hash_value(const T& value);

/// Combines a hash with the next one, as boost::hash_combine does. The constant is 2^64 / phi.
inline std::size_t combine_hashes(std::size_t seed, std::size_t next) noexcept {
  constexpr auto constant = static_cast<std::size_t>(0x9e3779b97f4a7c15u);
  return seed ^ (next + constant + (seed << 6) + (seed >> 2));
}

template <typename T>
std::size_t hash_range(const T& values) {
  std::size_t seed = 0;
  for (const auto& value : values) {
    if constexpr (requires { typename T::mapped_type; }) {
      seed = combine_hashes(seed, hash_value(value.first));
      seed = combine_hashes(seed, hash_value(value.second));
    } else {
      seed = combine_hashes(seed, hash_value(static_cast<typename T::value_type>(value)));
    }
  }
  return seed;
}

template <typename T>
std::size_t hash_value(const T& value) {
  if constexpr (Visitable<T>) {
    std::size_t seed = 0;
    T::_visit(value, [&](std::string_view, const auto& member) {
      seed = combine_hashes(seed, hash_value(member));
    });
    return seed;
  } else if constexpr (std::same_as<T, CORBA::Any>) {
    return 0;
  } else if constexpr (std::default_initializable<std::hash<T>>) {
    return std::hash<T>()(value);
  } else if constexpr (requires { value.has_value(); }) {  // std::optional
    return value.has_value() ? combine_hashes(1, hash_value(*value)) : 0;
  } else {
    return hash_range(value);
  }
}

}  // namespace perigee::stub

template <perigee::stub::Visitable T>
struct std::hash<T> {
  std::size_t operator()(const T& value) const { return perigee::stub::hash_value(value); }
};

template <perigee::stub::FixedNumber T>
struct std::hash<T> {
  std::size_t operator()(const T& value) const noexcept {
    const auto units = value.units();
    return perigee::stub::combine_hashes(
        std::hash<std::uint64_t>()(static_cast<std::uint64_t>(units)),
        std::hash<std::uint64_t>()(static_cast<std::uint64_t>(units >> 64)));
  }
};
