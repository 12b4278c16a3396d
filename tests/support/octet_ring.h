// A ring of octets in memory that is mapped twice, one mapping behind the other: any part of the
// ring is one piece.
#pragma once

#include <perigee/base/octets.h>

#include <cstddef>

namespace perigee::test {

/// One thread at a time, but the memory of `place` may be written beside `take`.
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

  /// The memory of all octets that there is room for.
  [[nodiscard]] MutableOctetSpan place() noexcept;
  /// The first `count` octets of that memory are octets of the ring.
  void commit(std::size_t count) noexcept { written_ += count; }
  /// Appends octets, at most as many as there is room for. How many.
  std::size_t append(OctetSpan octets) noexcept;
  /// Takes octets out, which must be there.
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
