// Numbers and flags of bitmasks in JSON.
#pragma once

#include "call/json_error.h"
#include <perigee/cdr/typecode.h>

#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace perigee::tool {

/// The value for an error text, shortened if it is long.
[[nodiscard]] std::string shown(const nlohmann::ordered_json& value);
[[noreturn]] void fail_expected(const JsonPath& path, const std::string& expected,
                                const nlohmann::ordered_json& value);

/// A number, or a string with its digits: some programs cannot write large numbers in JSON.
template <std::integral Integer>
[[nodiscard]] Integer integer_of(const nlohmann::ordered_json& value, const JsonPath& path) {
  if (value.is_number_unsigned() && std::in_range<Integer>(value.get<std::uint64_t>()))
    return static_cast<Integer>(value.get<std::uint64_t>());
  if (value.is_number_integer() && !value.is_number_unsigned() &&
      std::in_range<Integer>(value.get<std::int64_t>()))
    return static_cast<Integer>(value.get<std::int64_t>());
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    Integer number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return number;
  }
  fail_expected(path,
                "an integer from " + std::to_string(std::numeric_limits<Integer>::min()) + " to " +
                    std::to_string(std::numeric_limits<Integer>::max()),
                value);
}

/// A number, a string with a number, "NaN", "Infinity" or "-Infinity".
[[nodiscard]] long double real_of(const nlohmann::ordered_json& value, const JsonPath& path);
/// The same as a float or double. Refuses numbers that are too large for the type.
template <std::floating_point Real>
[[nodiscard]] Real narrowed_real(const nlohmann::ordered_json& value, const JsonPath& path) {
  const long double wide = real_of(value, path);
  const auto narrow = static_cast<Real>(wide);
  if (std::isfinite(wide) && !std::isfinite(narrow))
    fail_expected(path, "a number up to " + shown(std::numeric_limits<Real>::max()), value);
  return narrow;
}
/// A number if a double can hold the value, otherwise a string.
[[nodiscard]] nlohmann::ordered_json json_of_real(long double value);
/// The number with as few digits as the float needs.
[[nodiscard]] nlohmann::ordered_json json_of_float(float value);

/// The unsigned integer of a bitmask. `value` is an array of the names of its flags, or the number.
[[nodiscard]] std::uint64_t flags_of(const nlohmann::ordered_json& value, const cdr::TypeNode& mask,
                                     const JsonPath& path);
/// The names of the flags, or the number if it has bits without a name.
[[nodiscard]] nlohmann::ordered_json json_of_flags(std::uint64_t flags, const cdr::TypeNode& mask);

}  // namespace perigee::tool
