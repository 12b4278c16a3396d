// Copies octets into the vectors that the C++ mapping has for sequences of octets.
#pragma once

#include <perigee/base/octets.h>

#include <cstdint>
#include <vector>

namespace perigee {

[[nodiscard]] inline std::vector<std::uint8_t> octet_vector(OctetSpan octets) {
  const auto* const first = reinterpret_cast<const std::uint8_t*>(octets.data());
  return {first, first + octets.size()};
}

}  // namespace perigee
