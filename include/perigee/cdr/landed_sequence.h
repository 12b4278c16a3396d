// The numbers of a large sequence that were received directly into the vector of its parameter,
// instead of into the storage of their message.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/decoder_part.h>
#include <perigee/cdr/sequence_memory.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace perigee::cdr {

/// The numbers at the end of a message. The other octets of the message, the head, are elsewhere.
/// Once the numbers have arrived, one thread at a time accesses this object, like the message.
class PERIGEE_API LandedSequence final : public DecoderPart {
 public:
  /// The first number is `head_size` octets behind the start of the message.
  LandedSequence(LargeVector values, SequencePlace place, std::size_t head_size) noexcept;

  [[nodiscard]] const SequencePlace& place() const noexcept { return place_; }
  [[nodiscard]] std::size_t head_size() const noexcept { return head_size_; }
  /// Octets of the numbers.
  [[nodiscard]] std::size_t size() const noexcept { return octets_.size(); }
  /// Octets of memory that the vector takes.
  [[nodiscard]] std::size_t memory() const noexcept { return memory_; }
  /// The memory of the numbers. Not after `take`.
  [[nodiscard]] MutableOctetSpan octets() const noexcept { return octets_; }

  /// Whether the numbers have the type T, and were not taken.
  template <typename T>
  [[nodiscard]] bool holds() const noexcept {
    return std::holds_alternative<std::vector<T>>(values_) && !taken_;
  }
  /// Moves the numbers to `values`, as they were received. If they have another type, or were taken
  /// before, returns false and moves nothing.
  template <typename T>
  [[nodiscard]] bool take(std::vector<T>& values) noexcept {
    auto* const landed = std::get_if<std::vector<T>>(&values_);
    if (landed == nullptr || taken_) return false;
    values = std::move(*landed);
    taken_ = true;
    return true;
  }
  /// All octets of the message in one piece, which lives as long as this object. Empty if there is
  /// no memory for it, or if the numbers were taken.
  [[nodiscard]] OctetSpan join(OctetSpan head) noexcept;

 private:
  LargeVector values_;
  SequencePlace place_;
  std::size_t head_size_;
  MutableOctetSpan octets_;
  std::size_t memory_;
  bool taken_ = false;
  std::unique_ptr<std::byte[]> whole_;
};

}  // namespace perigee::cdr
