// Converts octets to base64 and back with OpenSSL, and wide characters to UTF-8 and back.
#include "call/json_text.h"

#include <openssl/evp.h>

#include <limits>
#include <stdexcept>

namespace perigee::tool {

namespace {

constexpr std::size_t size_max = std::numeric_limits<int>::max() / 2;  // of OpenSSL's functions

bool is_character(char32_t value) {
  return value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
}

void append(std::string& text, char32_t value) {
  const auto put = [&text](char32_t octet) { text += static_cast<char>(octet); };
  if (value < 0x80) {
    put(value);
  } else if (value < 0x800) {
    put(0xc0 | value >> 6);
    put(0x80 | (value & 0x3f));
  } else if (value < 0x10000) {
    put(0xe0 | value >> 12);
    put(0x80 | (value >> 6 & 0x3f));
    put(0x80 | (value & 0x3f));
  } else {
    put(0xf0 | value >> 18);
    put(0x80 | (value >> 12 & 0x3f));
    put(0x80 | (value >> 6 & 0x3f));
    put(0x80 | (value & 0x3f));
  }
}

}  // namespace

std::string to_base64(OctetSpan octets) {
  if (octets.size() > size_max) throw std::length_error("the octets are too many for base64");
  std::string text((octets.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL writes a NUL, too
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                   reinterpret_cast<const unsigned char*>(octets.data()),
                                   static_cast<int>(octets.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text) {
  // OpenSSL skips spaces at both ends and accepts '=' as a digit: neither is base64.
  const std::size_t end = text.find_last_not_of('=');
  const std::size_t digits = end == std::string_view::npos ? 0 : end + 1;
  constexpr std::string_view alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t padding = text.size() - digits;
  if (text.size() % 4 != 0 || padding > 2 || text.size() > size_max ||
      text.substr(0, digits).find_first_not_of(alphabet) != std::string_view::npos)
    return std::nullopt;
  std::vector<std::uint8_t> octets(text.size() / 4 * 3);
  const int size =
      EVP_DecodeBlock(octets.data(), reinterpret_cast<const unsigned char*>(text.data()),
                      static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  octets.resize(octets.size() - padding);
  return octets;
}

std::wstring to_wide(std::string_view text) {
  std::wstring wide;
  wide.reserve(text.size());
  for (const char each : text) {
    const auto octet = static_cast<unsigned char>(each);
    if (octet < 0x80)
      wide += static_cast<wchar_t>(octet);
    else if (octet >= 0xf0)
      wide += static_cast<wchar_t>(octet & 0x07);
    else if (octet >= 0xe0)
      wide += static_cast<wchar_t>(octet & 0x0f);
    else if (octet >= 0xc0)
      wide += static_cast<wchar_t>(octet & 0x1f);
    else if (!wide.empty())  // a further octet of the same character
      wide.back() = static_cast<wchar_t>(static_cast<char32_t>(wide.back()) << 6 | (octet & 0x3f));
  }
  return wide;
}

std::string from_wide(std::wstring_view text) {
  constexpr char32_t replacement = 0xfffd;
  std::string narrow;
  narrow.reserve(text.size());
  for (const wchar_t each : text) {
    const auto value = static_cast<char32_t>(each);
    append(narrow, is_character(value) ? value : replacement);
  }
  return narrow;
}

}  // namespace perigee::tool
