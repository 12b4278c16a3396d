// Makes and checks message ids. Each id ends with an authentication code: an HMAC with SHA-256
// (RFC 2104).
#include "services/events_nats/message_ids.h"

#include "services/events_nats/messages.h"

#include <openssl/evp.h>

#include <array>
#include <cstddef>
#include <random>
#include <span>
#include <stdexcept>

namespace perigee::events::nats {

namespace {

constexpr std::size_t code_octets =
    16;  // of the code at the end of an id; 128 bits cannot be guessed

std::string to_digits(std::span<const unsigned char> octets) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const unsigned char octet : octets) {
    text += digits[octet >> 4U];
    text += digits[octet & 0xfU];
  }
  return text;
}

}  // namespace

std::string MessageIds::id_of(std::uint64_t count) const {
  const std::string id = prefix_ + std::to_string(count);
  std::array<unsigned char, EVP_MAX_MD_SIZE> code{};
  std::size_t size = 0;
  if (EVP_Q_mac(nullptr, "HMAC", nullptr, "SHA256", nullptr, secret_.data(), secret_.size(),
                reinterpret_cast<const unsigned char*>(id.data()), id.size(), code.data(),
                code.size(), &size) == nullptr ||
      size < code_octets)
    throw std::runtime_error("OpenSSL cannot make a message id: HMAC with SHA-256 failed");
  return id + "." + to_digits(std::span(code).first(code_octets));
}

std::optional<std::uint64_t> MessageIds::count_of(std::string_view id) const {
  if (!id.starts_with(prefix_)) return std::nullopt;
  const std::string_view rest = id.substr(prefix_.size());
  const auto count = parse_number(rest.substr(0, rest.find('.')));
  if (!count || id_of(*count) != id) return std::nullopt;
  return count;
}

std::string random_name() {
  std::random_device random;
  std::array<unsigned char, 16> octets{};
  for (unsigned char& octet : octets) octet = static_cast<unsigned char>(random() & 0xffU);
  return to_digits(octets);
}

}  // namespace perigee::events::nats
