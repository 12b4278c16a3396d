// A ring of octets in memory that is mapped twice, one mapping after the other: any part of the
// ring is one piece.
#pragma once

#include <perigee/base/octets.h>

#include <cstddef>

namespace perigee::test {

/// Used by one thread at a time. But one thread may write the memory of `place` while another
/// thread calls `take`.
class OctetRing {
 public:
  /// Holds at most `capacity` octets. Throws std::system_error if the system refuses the memory.
  explicit OctetRing(std::size_t capacity);
  ~OctetRing();
  OctetRing(const OctetRing&) = delete;
  OctetRing& operator=(const OctetRing&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return written_ - read_; }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] std::size_t room() const noexcept { return capacity_ - size(); }

  /// The free memory of the ring.
  [[nodiscard]] MutableOctetSpan place() noexcept;
  /// The first `count` octets of the free memory become octets of the ring.
  void commit(std::size_t count) noexcept { written_ += count; }
  /// Appends as many of the octets as there is room for. Returns their number.
  std::size_t append(OctetSpan octets) noexcept;
  /// Takes octets out. The ring must have as many octets.
  void take(MutableOctetSpan octets) noexcept;

 private:
  [[nodiscard]] std::byte* at(std::size_t position) const noexcept {
    return memory_ + position % mapped_size_;
  }

  const std::size_t capacity_;
  const std::size_t mapped_size_;
  std::byte* const memory_;
  std::size_t written_ = 0;
  std::size_t read_ = 0;
};

}  // namespace perigee::test
