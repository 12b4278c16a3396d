// Octets written by hand in tests: golden messages, annotated per field.
#pragma once

#include <perigee/base/octets.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <ostream>
#include <string_view>

namespace perigee::test {

/// octets('G', 'I', 'O', 'P', 1, 2, 0x01, …): each argument is one octet.
template <typename... Values>
[[nodiscard]] Octets octets(Values... values) {
  return {static_cast<std::byte>(values)...};
}

/// The octets of pairs of hexadecimal digits; anything else between them is ignored.
[[nodiscard]] inline Octets from_hex(std::string_view text) {
  Octets result;
  int pending = -1;
  for (const char c : text) {
    const auto digit = std::string_view("0123456789abcdef").find(c);
    if (digit == std::string_view::npos) continue;
    if (pending >= 0)
      result.push_back(static_cast<std::byte>(pending * 16 + static_cast<int>(digit)));
    pending = pending >= 0 ? -1 : static_cast<int>(digit);
  }
  return result;
}

/// Lower-case digits, a space between octets: what a failed check shows.
[[nodiscard]] inline std::string to_hex(OctetSpan octets) {
  std::string text;
  for (const std::byte octet : octets) {
    if (!text.empty()) text += ' ';
    text += "0123456789abcdef"[std::to_integer<unsigned>(octet >> 4)];
    text += "0123456789abcdef"[std::to_integer<unsigned>(octet & std::byte{15})];
  }
  return text;
}

}  // namespace perigee::test

namespace doctest {

template <>
struct StringMaker<perigee::Octets> {
  static String convert(const perigee::Octets& octets) {
    return perigee::test::to_hex(octets).c_str();
  }
};

}  // namespace doctest
