// The numbers of a large sequence that are not in the storage of their message. They were received
// directly into the vector of their parameter, or are linked: they stay in memory of the sender.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/base/pool.h>
#include <perigee/cdr/decoder_part.h>
#include <perigee/cdr/sequence_memory.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace perigee::cdr {

class PinnedMemory;

/// The numbers at the end of a message. The other octets of the message, its head, are stored
/// elsewhere. Once the numbers have arrived, only one thread at a time may access this object.
class PERIGEE_API LandedSequence final : public DecoderPart {
 public:
  /// The first number is `head_size` octets after the start of the message.
  LandedSequence(LargeVector values, SequencePlace place, std::size_t head_size) noexcept;
  /// For linked numbers: `octets` in `memory`, which the sender shares with this process. The
  /// caller trusts the sender not to change them.
  LandedSequence(OctetSpan octets, counted_ptr<PinnedMemory> memory,
                 std::size_t head_size) noexcept;
  LandedSequence(const LandedSequence&) = delete;
  LandedSequence& operator=(const LandedSequence&) = delete;
  ~LandedSequence();

  // From the pool, because each linked message has such an object.
  static void* operator new(std::size_t size) { return pool::allocate(size); }
  static void operator delete(void* memory, std::size_t size) noexcept {
    pool::release(memory, size);
  }

  [[nodiscard]] const SequencePlace& place() const noexcept { return place_; }
  [[nodiscard]] std::size_t head_size() const noexcept { return head_size_; }
  /// Octets of the numbers.
  [[nodiscard]] std::size_t size() const noexcept { return octets_.size() + linked_.size(); }
  /// Octets of memory that the vector takes.
  [[nodiscard]] std::size_t memory() const noexcept { return memory_; }
  /// The memory of the numbers. Do not call it after `take`. Empty if the numbers are linked.
  [[nodiscard]] MutableOctetSpan octets() const noexcept { return octets_; }

  [[nodiscard]] bool is_linked() const noexcept { return static_cast<bool>(linked_memory_); }
  /// The numbers, if they are linked.
  [[nodiscard]] OctetSpan linked() const noexcept { return linked_; }
  /// The owner of the linked numbers' memory. Null if the numbers are not linked.
  [[nodiscard]] const counted_ptr<PinnedMemory>& linked_memory() const noexcept {
    return linked_memory_;
  }

  /// Whether the numbers are in a vector of the type T, and were not taken.
  template <typename T>
  [[nodiscard]] bool holds() const noexcept {
    return std::holds_alternative<std::vector<T>>(values_) && !taken_ && !is_linked();
  }
  /// Moves the vector of the numbers to `values`. If the numbers have another type, or were taken
  /// before, returns false and moves nothing.
  template <typename T>
  [[nodiscard]] bool take(std::vector<T>& values) noexcept {
    if (!holds<T>()) return false;
    values = std::move(*std::get_if<std::vector<T>>(&values_));
    taken_ = true;
    return true;
  }
  /// All octets of the message in one piece, which lives as long as this object. Empty if there is
  /// no memory for the piece, or if the numbers were taken.
  [[nodiscard]] OctetSpan join(OctetSpan head) noexcept;

 private:
  LargeVector values_;
  SequencePlace place_;
  std::size_t head_size_;
  MutableOctetSpan octets_;
  std::size_t memory_;
  OctetSpan linked_;
  counted_ptr<PinnedMemory> linked_memory_;  // null: the numbers are in values_
  bool taken_ = false;
  std::unique_ptr<std::byte[]> whole_;
};

}  // namespace perigee::cdr
