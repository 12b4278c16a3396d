// A hash of texts that peers choose. A peer that does not know the key cannot choose texts with
// equal hashes, which would make each look-up visit all of them.
#pragma once

#include <perigee/base/export.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace perigee {

/// SipHash with `compressions` rounds a word and `finalizations` rounds at the end. Source:
/// Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012, section 2.
template <int compressions, int finalizations>
class SipHash {
 public:
  SipHash(std::uint64_t key_low, std::uint64_t key_high) noexcept
      : v0_(key_low ^ 0x736f6d6570736575),
        v1_(key_high ^ 0x646f72616e646f6d),
        v2_(key_low ^ 0x6c7967656e657261),
        v3_(key_high ^ 0x7465646279746573) {}

  [[nodiscard]] std::uint64_t operator()(std::string_view text) && noexcept {
    const std::size_t whole = text.size() / 8 * 8;
    for (std::size_t at = 0; at < whole; at += 8) compress(word(text.substr(at, 8)));
    compress(word(text.substr(whole)) | std::uint64_t{text.size()} << 56);
    v2_ ^= 0xff;
    for (int count = 0; count < finalizations; ++count) round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  /// Up to eight octets as a little-endian number.
  static std::uint64_t word(std::string_view octets) noexcept {
    std::uint64_t result = 0;
    if (!octets.empty()) std::memcpy(&result, octets.data(), octets.size());
    return std::endian::native == std::endian::little ? result : __builtin_bswap64(result);
  }
  void compress(std::uint64_t word) noexcept {
    v3_ ^= word;
    for (int count = 0; count < compressions; ++count) round();
    v0_ ^= word;
  }
  void round() noexcept {
    v0_ += v1_;
    v2_ += v3_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v1_;
    v0_ += v3_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ = std::rotl(v2_, 32);
  }

  std::uint64_t v0_;
  std::uint64_t v1_;
  std::uint64_t v2_;
  std::uint64_t v3_;
};

/// SipHash-1-3, with a key that the process chooses at random. Any thread.
[[nodiscard]] PERIGEE_INTERNAL_API std::uint64_t keyed_hash(std::string_view text) noexcept;

}  // namespace perigee
