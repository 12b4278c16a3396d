// Spans of octets that another object owns. Each function says which object owns the octets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace perigee {

using OctetSpan = std::span<const std::byte>;
using MutableOctetSpan = std::span<std::byte>;
using Octets = std::vector<std::byte>;

/// The octets of `text`, for as long as `text` lives.
inline OctetSpan octets_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace perigee
