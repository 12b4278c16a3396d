// The copy for distances at which `rep movsb` is slow.
#include <perigee/base/copy.h>

namespace perigee {

// The processor delays a load if an earlier store went to the same offset of another page. At these
// distances, a copy from the end to the beginning has no such load.
void copy_backward(void* to, const void* from, std::size_t size) noexcept {
  // glibc copies such blocks by stores that bypass the caches, and not by `rep movsb`.
  constexpr std::size_t size_max = std::size_t{1} << 20;
  if (size >= size_max) {
    std::memcpy(to, from, size);
    return;
  }
  constexpr std::size_t piece = 256;  // the compiler copies a piece by vector registers
  auto* const place = static_cast<std::byte*>(to);
  const auto* const octets = static_cast<const std::byte*>(from);
  while (size >= piece) {
    size -= piece;
    std::memcpy(place + size, octets + size, piece);
    // Keeps the compiler from joining the pieces into one call of memcpy.
    asm volatile("" : : "r"(place) : "memory");
  }
  std::memcpy(place, octets, size);
}

}  // namespace perigee
