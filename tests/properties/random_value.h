// Random values of any generated type, by the members that its class tells.
#pragma once

#include <perigee/orb/mapping.h>

#include <array>
#include <cstdlib>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace perigee::test {

/// A source of random values: the same seed gives the same values.
class RandomValues final {
 public:
  explicit RandomValues(std::uint64_t seed) : random_(seed) {}

  /// Overwrites `value`. Sequences get shorter with depth, so that recursive types end.
  template <typename T>
  void fill(T& value, int depth = 0) {
    if constexpr (std::is_same_v<T, bool>) {
      value = below(2) == 1;
    } else if constexpr (std::is_same_v<T, char>) {
      value = character();
    } else if constexpr (std::is_floating_point_v<T>) {
      value =
          static_cast<T>(static_cast<std::int32_t>(random_())) / 8;  // no NaN: it equals nothing
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(random_());
    } else if constexpr (std::is_enum_v<T>) {
      do value = static_cast<T>(below(8));
      while (_enumerator_name(value).empty());
    } else if constexpr (std::is_same_v<T, std::string>) {
      value.resize(below(24));
      for (char& letter : value) letter = character();
    } else {
      fill_members(value, depth);
    }
  }
  std::size_t below(std::size_t limit) { return random_() % limit; }

 private:
  /// ASCII: what every code set has, so that every peer can give it back.
  char character() { return static_cast<char>(1 + below(126)); }

  template <typename T>
  void fill_members(std::vector<T>& values, int depth) {
    values.resize(depth > 3 ? 0 : below(6));
    for (std::size_t index = 0; index < values.size(); ++index) {
      T value{};
      fill(value, depth + 1);
      values[index] = std::move(value);
    }
  }
  template <typename T>
  void fill_members(T& value, int depth) {
    T::_visit(value, [&](std::string_view /*name*/, auto& member) { fill(member, depth + 1); });
  }

  std::mt19937_64 random_;
};

/// The seed of this run: PERIGEE_TEST_SEED, or the one that CI uses.
inline std::uint64_t seed_of_run() {
  const char* text = std::getenv("PERIGEE_TEST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 19980507;
}

}  // namespace perigee::test
