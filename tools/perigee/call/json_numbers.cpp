// Conversions between JSON and numbers, with error texts for values out of range.
#include "call/json_numbers.h"

#include "base/nearest_name.h"
#include <perigee/base/printable.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace perigee::tool {

using json = nlohmann::ordered_json;

std::string shown(const json& value) {
  constexpr std::size_t size_max = 60;
  if (value.is_object()) return value.empty() ? "{}" : "an object";
  if (value.is_array()) return "an array of " + std::to_string(value.size()) + " elements";
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() <= size_max) return text;
  text.resize(size_max);
  return text + "…";
}

void fail_expected(const JsonPath& path, const std::string& expected, const json& value) {
  path.fail(expected + " is expected here, not " + shown(value));
}

long double real_of(const json& value, const JsonPath& path) {
  if (value.is_number_unsigned()) return static_cast<long double>(value.get<std::uint64_t>());
  if (value.is_number_integer()) return static_cast<long double>(value.get<std::int64_t>());
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text == "NaN") return std::numeric_limits<long double>::quiet_NaN();
    if (text == "Infinity") return std::numeric_limits<long double>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<long double>::infinity();
    long double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return number;
  }
  fail_expected(path, "a number", value);
}

json json_of_real(long double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  const auto narrow = static_cast<double>(value);
  if (static_cast<long double>(narrow) == value) return narrow;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*Lg", std::numeric_limits<long double>::max_digits10,
                value);
  return text.data();
}

json json_of_float(float value) {
  if (!std::isfinite(value)) return json_of_real(value);
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  double shortest = value;
  if (error == std::errc()) std::from_chars(text.data(), end, shortest);
  return shortest;
}

namespace {

/// The position of a flag is below 64, but the label has 64 bits.
std::uint64_t bit_of(const cdr::TypeMember& flag) {
  return std::uint64_t{1} << static_cast<unsigned>(flag.label & 63);
}

}  // namespace

std::uint64_t flags_of(const json& value, const cdr::TypeNode& mask, const JsonPath& path) {
  if (!value.is_array()) return integer_of<std::uint64_t>(value, path);
  std::uint64_t flags = 0;
  for (const json& name : value) {
    if (!name.is_string()) fail_expected(path, "the name of a flag", name);
    const auto& text = name.get_ref<const std::string&>();
    const auto found = std::ranges::find(mask.members, text, &cdr::TypeMember::name);
    if (found == mask.members.end()) {
      std::vector<std::string> names;
      for (const cdr::TypeMember& member : mask.members) names.emplace_back(member.name);
      path.fail("there is no flag " + printable(text) + did_you_mean(text, names));
    }
    flags |= bit_of(*found);
  }
  return flags;
}

json json_of_flags(std::uint64_t flags, const cdr::TypeNode& mask) {
  json names = json::array();
  std::uint64_t rest = flags;
  for (const cdr::TypeMember& member : mask.members) {
    const std::uint64_t bit = bit_of(member);
    if ((flags & bit) != 0) names.push_back(std::string(member.name));
    rest &= ~bit;
  }
  return rest == 0 ? names : json(flags);
}

}  // namespace perigee::tool
