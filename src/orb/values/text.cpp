// Text of IDL values: functions that need no template.
#include "cdr/text_conversion.h"
#include <perigee/base/printable.h>
#include <perigee/orb/text.h>

#include <charconv>

namespace perigee::text {

namespace {

template <typename Number>
std::string shortest(Number value) {
  char buffer[64] = {};
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

void append_hex(std::string& text, std::string_view prefix, std::uint32_t value, int digits) {
  text += prefix;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    text += "0123456789abcdef"[(value >> shift) & 0xf];
}

void append_utf8(std::string& text, std::uint32_t character) {
  if (character > cdr::character_max || cdr::is_surrogate(character))
    return append_hex(text, "\\u", character, 8);
  cdr::append_utf_8(text, character);
}

}  // namespace

std::string number(std::int64_t value) { return shortest(value); }
std::string number(std::uint64_t value) { return shortest(value); }
std::string number(float value) { return shortest(value); }
std::string number(double value) { return shortest(value); }
std::string number(long double value) { return shortest(value); }

std::string quoted(std::string_view text, char quote) { return perigee::quoted(text, quote); }

std::string quoted(std::wstring_view text, char quote) {
  std::string result = std::string("L") + quote;
  for (const wchar_t character : text) {
    const std::uint32_t code = static_cast<char32_t>(character);
    if (!append_escape(result, code, quote)) append_utf8(result, code);
  }
  return result += quote;
}

}  // namespace perigee::text
