// Base64 of RFC 4648, section 4. The parser accepts only the form that the writer makes.
#include "services/naming_etcd/messages.h"

#include <array>

namespace perigee::naming::etcd {

namespace {

constexpr std::string_view letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_letter = 64;

constexpr std::array<std::uint8_t, 256> value_of_letter = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(no_letter);
  for (std::size_t value = 0; value < letters.size(); ++value)
    table[static_cast<unsigned char>(letters[value])] = static_cast<std::uint8_t>(value);
  return table;
}();

}  // namespace

std::string to_base64(std::string_view octets) {
  std::string text;
  text.reserve((octets.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < octets.size(); at += 3) {
    const std::string_view group = octets.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t index = 0; index < 3; ++index)
      bits = bits << 8U | (index < group.size() ? static_cast<std::uint8_t>(group[index]) : 0U);
    for (std::size_t index = 0; index < 4; ++index)
      text += index <= group.size() ? letters[bits >> (18U - 6U * index) & 0x3fU] : '=';
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  std::string octets;
  octets.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  std::size_t bit_count = 0;
  for (const char character : text) {
    const std::uint8_t value = value_of_letter[static_cast<unsigned char>(character)];
    if (value == no_letter) return std::nullopt;
    bits = (bits << 6U | value) & 0xffffU;
    bit_count += 6;
    if (bit_count < 8) continue;
    bit_count -= 8;
    octets += static_cast<char>(static_cast<std::uint8_t>(bits >> bit_count));
  }
  if ((bits & ((1U << bit_count) - 1U)) != 0) return std::nullopt;  // unused bits: must be 0
  return octets;
}

}  // namespace perigee::naming::etcd
