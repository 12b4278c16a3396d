// Escapes characters that cannot be shown.
#include <perigee/base/printable.h>

namespace perigee {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char character : text) {
    if (character >= ' ' && character <= '~' && character != '\\') {
      result += character;
      continue;
    }
    const auto code = static_cast<unsigned char>(character);
    result.append({'\\', 'x', digits[code >> 4], digits[code & 15]});
  }
  return result;
}

bool append_escape(std::string& text, std::uint32_t character, char quote) {
  switch (character) {
    case '\n':
      text += "\\n";
      return true;
    case '\t':
      text += "\\t";
      return true;
    case '\r':
      text += "\\r";
      return true;
    default:
      break;
  }
  if (character == '\\' || character == static_cast<unsigned char>(quote)) {
    text += '\\';
    text += static_cast<char>(character);
    return true;
  }
  if (character >= 0x20 && character != 0x7f) return false;
  text.append({'\\', 'x', digits[(character >> 4) & 0xf], digits[character & 0xf]});
  return true;
}

std::string quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char character : text)
    if (!append_escape(result, static_cast<unsigned char>(character), quote)) result += character;
  return result += quote;
}

}  // namespace perigee
