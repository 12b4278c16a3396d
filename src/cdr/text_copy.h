// Copies of texts that are looked through for a NUL: what both the encoder and the decoder do.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace perigee::cdr {

/// What fits the first level of every cache twice: read from memory once, for the look and the
/// copy.
inline constexpr std::size_t text_block_size = 8192;

/// Copies `text` to `place`. False, and only the part before the block with it, if it has a NUL.
inline bool copy_long_text(void* place, std::string_view text) noexcept {
  auto* destination = static_cast<char*>(place);
  do {
    const std::size_t size = std::min(text.size(), text_block_size);
    if (std::memchr(text.data(), 0, size) != nullptr) return false;
    std::memcpy(destination, text.data(), size);
    destination += size;
    text.remove_prefix(size);
  } while (!text.empty());
  return true;
}

}  // namespace perigee::cdr
