// Escapes for what cannot be shown.
#include <perigee/base/printable.h>

namespace perigee {

std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
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

}  // namespace perigee
