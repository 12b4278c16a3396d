// Random values of any generated type, by the members that its class lists.
#pragma once

#include <perigee/orb/any_operators.h>
#include <perigee/orb/bounded.h>
#include <perigee/orb/fixed.h>
#include <perigee/orb/mapping.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace perigee::test {

/// Kinds of values that some peers or GIOP versions cannot carry.
enum class Features : unsigned {
  none = 0,
  wide = 1,            ///< wchar and wstring
  surrogate_pair = 2,  ///< a single wchar beyond U+FFFF, or one in a bounded wstring
  long_double = 4,
  odd_fixed = 8,  ///< fixed without a typedef, or in a union
};
constexpr Features operator|(Features a, Features b) {
  return static_cast<Features>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool has(Features all, Features some) {
  return (static_cast<unsigned>(some) & ~static_cast<unsigned>(all)) == 0;
}

/// How many octets decoding may allocate: for each received octet, and once for each value.
struct Memory {
  std::size_t per_octet;
  std::size_t besides;
};

class RandomValues;

/// A type that a random any may hold.
struct AnyType {
  Features features;
  void (*put)(RandomValues& random, CORBA::Any& any, int depth);
};

/// A source of random values: the same seed gives the same values.
class RandomValues final {
 public:
  explicit RandomValues(std::uint64_t seed, Features features = Features::none,
                        std::span<const AnyType> any_types = {})
      : random_(seed), features_(features), any_types_(any_types) {}

  /// Overwrites `value`. Sequences get shorter with depth, so that recursive types end.
  template <typename T>
  void fill(T& value, int depth = 0) {
    if constexpr (std::is_same_v<T, bool>) {
      value = below(2) == 1;
    } else if constexpr (std::is_same_v<T, char>) {
      value = character();
    } else if constexpr (std::is_same_v<T, wchar_t>) {
      value = wide_character(has(features_, Features::surrogate_pair));
    } else if constexpr (std::is_floating_point_v<T>) {
      value =
          static_cast<T>(static_cast<std::int32_t>(random_())) / 8;  // no NaN: it equals nothing
    } else if constexpr (std::is_integral_v<T>) {
      value = integer<T>();
    } else if constexpr (std::is_enum_v<T>) {
      do value = static_cast<T>(below(8));
      while (_enumerator_name(value).empty());
    } else {
      fill_constructed(value, depth);
    }
  }
  std::size_t below(std::size_t limit) { return random_() % limit; }

 private:
  /// ASCII, which every code set has, so that every peer can return the character.
  char character() { return static_cast<char>(1 + below(126)); }
  /// A character of one of the planes of Unicode, or only of the first; no lone surrogate.
  wchar_t wide_character(bool all_planes) {
    switch (below(all_planes ? 5 : 4)) {
      case 0:
        return static_cast<wchar_t>(1 + below(126));
      case 1:
        return static_cast<wchar_t>(0xa0 + below(0x800));
      case 2:
        return static_cast<wchar_t>(0xe000 + below(0x1ffe));
      case 3:
        return static_cast<wchar_t>(0x3000 + below(0xa800));
      default:
        return static_cast<wchar_t>(0x10000 + below(0x100000));
    }
  }
  template <typename T>
  T integer() {
    switch (below(8)) {
      case 0:
        return std::numeric_limits<T>::max();
      case 1:
        return std::numeric_limits<T>::min();
      default:
        return static_cast<T>(random_());
    }
  }

  void fill_constructed(std::string& text, int /*depth*/) {
    text.resize(below(24));
    for (char& letter : text) letter = character();
  }
  void fill_constructed(std::wstring& text, int /*depth*/, bool all_planes = true) {
    text.resize(below(12));
    for (wchar_t& letter : text) letter = wide_character(all_planes);
  }
  template <typename T>
  void fill_constructed(std::vector<T>& values, int depth) {
    values.resize(depth > 3 ? 0 : below(6));
    for (std::size_t index = 0; index < values.size(); ++index) {
      T value{};
      fill(value, depth + 1);
      values[index] = std::move(value);
    }
  }
  template <std::size_t Bound>
  void fill_constructed(IDL::bounded_string<Bound>& text, int depth) {
    fill_bounded<std::string>(text, depth);
  }
  template <std::size_t Bound>
  void fill_constructed(IDL::bounded_wstring<Bound>& text, int depth) {
    std::wstring plain;
    fill_constructed(plain, depth, has(features_, Features::surrogate_pair));
    if (plain.size() > Bound) plain.resize(Bound);
    text = std::move(plain);
  }
  template <typename T, std::size_t Bound>
  void fill_constructed(IDL::bounded_vector<T, Bound>& values, int depth) {
    fill_bounded<std::vector<T>>(values, depth);
  }
  template <typename Container, typename Bounded>
  void fill_bounded(Bounded& bounded, int depth) {
    Container plain;
    fill_constructed(plain, depth);
    if (plain.size() > Bounded::max_size()) plain.resize(Bounded::max_size());
    bounded = std::move(plain);
  }
  template <typename T, std::size_t Length>
  void fill_constructed(std::array<T, Length>& values, int depth) {
    for (T& value : values) fill(value, depth);
  }
  template <std::uint16_t Digits, std::uint16_t Scale>
  void fill_constructed(IDL::Fixed<Digits, Scale>& value, int /*depth*/) {
    stub::Int128 units = 0;
    for (std::size_t digits = below(Digits + 1u); digits > 0; --digits)
      units = units * 10 + static_cast<int>(below(10));
    value = IDL::Fixed<Digits, Scale>::from_units(below(2) == 1 ? -units : units);
  }
  /// Nil: other tests cover references that lead to objects.
  template <typename T>
  void fill_constructed(CORBA::object_reference<T>& reference, int /*depth*/) {
    reference = nullptr;
  }
  void fill_constructed(CORBA::object_reference<CORBA::TypeCode>& type, int depth) {
    CORBA::Any any;
    fill(any, depth);
    type = any.type();
  }
  void fill_constructed(CORBA::Any& any, int depth) {
    const std::size_t choice = below(any_types_.size() + 4);
    if (choice < any_types_.size() && depth < 4) {
      const AnyType& type = any_types_[choice];
      if (has(features_, type.features)) return type.put(*this, any, depth + 1);
    }
    if (choice % 4 == 0) return any.reset();
    if (choice % 4 == 1) return put<std::int64_t>(any, depth);
    if (choice % 4 == 2) return put<std::string>(any, depth);
    put<std::vector<std::uint16_t>>(any, depth);
  }
  template <typename T>
  void put(CORBA::Any& any, int depth) {
    T value{};
    fill(value, depth);
    any <<= std::move(value);
  }
  template <typename T>
  void fill_constructed(T& value, int depth) {
    if constexpr (requires { T::_branch_count; }) select_branch(value);
    T::_visit(value, [&]<typename Member>(std::string_view /*name*/, Member& member) {
      if constexpr (!std::is_const_v<Member>) fill(member, depth + 1);  // not the discriminator
    });
  }
  /// Selects a branch of a union by any of its labels. The labels of the test's types are small.
  template <typename T>
  void select_branch(T& value) {
    value._select(below(T::_branch_count));
    for (int attempt = 0; attempt < 4; ++attempt) {
      auto label = value._d();
      if constexpr (std::is_same_v<decltype(label), char>)
        label = static_cast<char>('a' + below(12));
      else if constexpr (std::is_integral_v<decltype(label)> && sizeof(label) > 1)
        label = static_cast<decltype(label)>(below(14) - 3);
      else
        fill(label);
      try {
        value._d(label);
      } catch (const CORBA::BAD_PARAM&) {  // a label of another branch
      }
    }
  }

  std::mt19937_64 random_;
  Features features_;
  std::span<const AnyType> any_types_;
};

/// Puts a random T into an any. Half of the anys get `type_code`, which may be an alias of T.
template <typename T, const CORBA::TypeCodeConstant* type_code>
void put_any(RandomValues& random, CORBA::Any& any, int depth) {
  T value{};
  random.fill(value, depth);
  any <<= std::move(value);
  if (random.below(2) == 1) any.type(*type_code);
}

/// The seed of this run: PERIGEE_TEST_SEED, or the seed of CI.
inline std::uint64_t seed_of_run() {
  const char* text = std::getenv("PERIGEE_TEST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 19980507;
}

}  // namespace perigee::test
