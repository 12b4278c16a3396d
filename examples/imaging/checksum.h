// SHA-256, as octets and as the text that sha256sum prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct evp_md_ctx_st;  // OpenSSL's

using Checksum = std::vector<std::uint8_t>;  ///< 32 octets

/// Computes the checksum of octets that are added piece by piece. Errors of OpenSSL are thrown as
/// std::runtime_error.
class Sha256 {
 public:
  Sha256();
  void add(std::span<const std::byte> octets);
  /// The checksum of all octets so far. The object is not used afterwards.
  [[nodiscard]] Checksum finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const noexcept;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

std::string to_hex(std::span<const std::uint8_t> octets);
/// Converts hexadecimal digits to octets. Nothing if the text does not consist of pairs of such
/// digits.
std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text);
