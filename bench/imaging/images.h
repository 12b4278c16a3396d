// The images of the experiment: octets of a pattern, with a check that both sides use.
#pragma once

#include "ttcp/transfer.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace perigee::bench {

inline constexpr std::size_t image_size_max = 256u << 20;

/// Makes an image again only if the size changes. Only one thread may use it.
class ImageCache {
 public:
  [[nodiscard]] const std::vector<std::uint8_t>& of_size(std::size_t size) {
    if (octets_.size() != size) octets_ = ttcp::make_pattern<std::uint8_t>(size);
    return octets_;
  }

 private:
  std::vector<std::uint8_t> octets_;
};

/// Whether a whole image has the right octets at both ends. A check of all octets would take
/// more time than the transfer, which is to be measured.
[[nodiscard]] inline bool is_right_image(std::span<const std::uint8_t> octets) {
  ttcp::Check check(octets.size());
  check.piece(octets.data(), octets.size());
  return !octets.empty() && check.totals().errors == 0;
}

}  // namespace perigee::bench
