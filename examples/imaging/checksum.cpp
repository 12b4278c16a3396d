// SHA-256 by OpenSSL, and octets as text.
#include "checksum.h"

#include <openssl/evp.h>

#include <charconv>
#include <stdexcept>

namespace {

void check(int done) {
  if (done != 1) throw std::runtime_error("OpenSSL cannot compute SHA-256");
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const noexcept { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  check(context_ != nullptr ? EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) : 0);
}

void Sha256::add(std::span<const std::byte> octets) {
  check(EVP_DigestUpdate(context_.get(), octets.data(), octets.size()));
}

Checksum Sha256::finish() {
  Checksum checksum(32);
  check(EVP_DigestFinal_ex(context_.get(), checksum.data(), nullptr));
  return checksum;
}

std::string to_hex(std::span<const std::uint8_t> octets) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t octet : octets) {
    text += digits[octet >> 4];
    text += digits[octet & 15];
  }
  return text;
}

std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::uint8_t> octets;
  for (; !text.empty(); text.remove_prefix(2)) {
    std::uint8_t octet = 0;
    const std::string_view pair = text.substr(0, 2);
    const auto [end, error] = std::from_chars(pair.data(), pair.data() + pair.size(), octet, 16);
    if (error != std::errc() || end != pair.data() + pair.size()) return std::nullopt;
    octets.push_back(octet);
  }
  return octets;
}
