// Text of IDL values: functions that need no template.
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
  const auto append = [&text](std::uint32_t octet) { text += static_cast<char>(octet); };
  if (character < 0x80) return append(character);
  if (character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
    return append_hex(text, "\\u", character, 8);
  if (character < 0x800) {
    append(0xc0 | (character >> 6));
  } else if (character < 0x10000) {
    append(0xe0 | (character >> 12));
    append(0x80 | ((character >> 6) & 0x3f));
  } else {
    append(0xf0 | (character >> 18));
    append(0x80 | ((character >> 12) & 0x3f));
    append(0x80 | ((character >> 6) & 0x3f));
  }
  append(0x80 | (character & 0x3f));
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
