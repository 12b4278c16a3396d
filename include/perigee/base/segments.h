// The size of a message whose octets are in several places in memory.
#pragma once

#include <perigee/base/octets.h>

#include <cstddef>
#include <span>

namespace perigee {

inline std::size_t total_size(std::span<const OctetSpan> segments) noexcept {
  std::size_t size = 0;
  for (const OctetSpan segment : segments) size += segment.size();
  return size;
}

}  // namespace perigee
