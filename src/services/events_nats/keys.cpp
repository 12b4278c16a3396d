// Writes names of streams, and subjects.
#include "services/events_nats/keys.h"

#include <openssl/evp.h>

#include <array>
#include <cstddef>
#include <new>

namespace perigee::events::nats {

namespace {

constexpr std::string_view digits = "0123456789ABCDEF";
constexpr std::size_t part_size_max = 120;  // a stream's name is a name of a folder: at most 255
constexpr std::size_t prefix_size_max = 64;

bool is_plain(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9');
}

void append_digits(unsigned char octet, std::string& text) {
  text += digits[octet >> 4U];
  text += digits[octet & 0xfU];
}

/// Begins with "_H": no encoded text does, because 'H' is not a digit.
std::string sum_of(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), sum.data(), &size, EVP_sha256(), nullptr) != 1)
    throw std::bad_alloc();  // the only cause
  std::string part = "_H";
  for (std::size_t at = 0; at < size; ++at) append_digits(sum[at], part);
  return part;
}

}  // namespace

std::string encode_part(std::string_view text) {
  if (text.empty()) return "_E";  // no encoded text has '_' and one digit
  std::string part;
  for (const char character : text) {
    if (part.size() > part_size_max) break;
    if (is_plain(character)) {
      part += character;
    } else {
      part += '_';
      append_digits(static_cast<unsigned char>(character), part);
    }
  }
  return part.size() > part_size_max ? sum_of(text) : part;
}

std::string mistake_in_prefix(std::string_view prefix) {
  if (prefix.empty()) return "the prefix of NATS names is empty";
  if (prefix.size() > prefix_size_max)
    return "the prefix of NATS names has more than " + std::to_string(prefix_size_max) +
           " characters";
  for (const char character : prefix)
    if (!is_plain(character) && character != '-' && character != '_')
      return "the prefix of NATS names has a character other than letters, digits, '-' and '_'";
  return {};
}

// Parts contain no '-', so the last '-' of a stream's name ends the prefix. "_s" begins no part.
std::string Keys::stream(std::string_view channel) const {
  return prefix_ + "-" + encode_part(channel);
}
std::string Keys::subscriptions_stream() const { return prefix_ + "-_subscriptions"; }

std::string Keys::subject(std::string_view channel) const {
  return prefix_ + ".events." + encode_part(channel);
}
std::string Keys::all_subscriptions() const { return prefix_ + ".subscriptions.*.*"; }
std::string Keys::subscriptions_of(std::string_view channel) const {
  return prefix_ + ".subscriptions." + encode_part(channel) + ".*";
}
std::string Keys::subscription(std::string_view channel, std::string_view name) const {
  return prefix_ + ".subscriptions." + encode_part(channel) + "." + encode_part(name);
}

}  // namespace perigee::events::nats
