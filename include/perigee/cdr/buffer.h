// The growing buffer that an encoder writes to. Its owner keeps it, so that it is allocated once.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/octets.h>

#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

namespace perigee {
template <typename T>
class counted_ptr;
}  // namespace perigee

namespace perigee::cdr {

class PinnedMemory;

/// Lends memory to buffers: see *place* in Buffer.
class PlaceOwner {
 public:
  /// The buffer has moved its octets out of the place, and does not use it any longer.
  virtual void place_left() noexcept = 0;

 protected:
  ~PlaceOwner() = default;
};

/// The owner of memory in which borrowed octets lie: see Buffer::set_lender.
class Lender {
 public:
  /// The memory of the borrowed octets.
  [[nodiscard]] virtual OctetSpan octets() const noexcept = 0;
  /// An owner of this memory, which then stays where it is. Null: the octets must be copied. Throws
  /// bad_alloc.
  [[nodiscard]] virtual counted_ptr<PinnedMemory> share() = 0;

 protected:
  ~Lender() = default;
};

class Encoder;
class ValueWriting;

/// Octets written so far, and the positions of borrowed octets between them.
///
/// Invariant: size_ ≤ capacity_; borrowed_ is ordered by own_offset, each ≤ size_; borrowed_size_
/// is the sum of their sizes. Not thread-safe. `clear()` keeps the memory: a buffer allocates only
/// for a message that is larger than all messages before it.
///
/// A buffer can be lent a *place*: memory of another owner, such as a ring that the peer reads. The
/// buffer then writes its own octets there. It moves them to its own memory when the place is too
/// small. A buffer in a place must not be moved or destroyed.
class PERIGEE_API Buffer {
 public:
  /// Octets that are not copied. They follow the first `own_offset` of the buffer's own octets, and
  /// must outlive the use of the buffer.
  struct Borrowed {
    std::size_t own_offset;
    OctetSpan octets;
  };

  Buffer() noexcept;
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  void clear() noexcept {
    size_ = 0;
    if (borrowed_size_ != 0) forget_borrowed();
  }

  /// Room for `count` octets at the end, uninitialised. The pointer is valid until the next call.
  std::byte* extend(std::size_t count) {
    std::byte* place = reserve(count);
    size_ += count;
    return place;
  }

  /// The same, but the end stays: `advance` then moves it by at most `count`.
  std::byte* reserve(std::size_t count) {
    if (capacity_ - size_ < count) [[unlikely]]
      grow(count);
    return data_ + size_;
  }
  void advance(std::size_t count) noexcept { size_ += count; }
  /// The octets that `reserve` can give without moving the buffer's octets.
  [[nodiscard]] std::size_t room() const noexcept { return capacity_ - size_; }

  /// Removes own octets from the end. No borrowed segment may lie beyond `own_size`.
  void truncate(std::size_t own_size) noexcept { size_ = own_size; }

  /// Appends `octets` without copying them.
  void borrow(OctetSpan octets);

  /// Sets the owner of the borrowed octets. If the message cannot be sent at once, the sender then
  /// shares their memory instead of copying them. The lender must outlive the use of the buffer.
  /// Octets that the lender does not own are copied. Does nothing if no octets are borrowed;
  /// `clear` forgets the lender.
  void set_lender(Lender& lender) noexcept {
    if (borrowed_size_ != 0) lender_ = &lender;
  }
  /// The lender; null if there is none.
  [[nodiscard]] Lender* lender() const noexcept { return lender_; }

  /// @name A place that is lent to the buffer
  /// @{
  /// Empties the buffer, which then writes into `place`. The owner keeps the place valid until
  /// `leave_place`, or until the buffer has called `place_left`.
  void enter_place(MutableOctetSpan place, PlaceOwner& owner) noexcept;
  /// Whether all own octets are in the place.
  [[nodiscard]] bool in_place() const noexcept { return owner_ != nullptr; }
  /// Empties the buffer, which then writes into its own memory. Does nothing if the buffer is in no
  /// place. Does not call the owner.
  void leave_place() noexcept;
  /// Copies the octets to the buffer's own memory, and tells the owner. If it throws bad_alloc, the
  /// octets stay in the place.
  void move_out_of_place();
  /// @}

  [[nodiscard]] std::size_t own_size() const noexcept { return size_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_ + borrowed_size_; }
  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] OctetSpan own_octets() const noexcept { return {data_, size_}; }
  [[nodiscard]] const std::vector<Borrowed>& borrowed() const noexcept { return borrowed_; }

  /// Appends the message's segments in order to `segments`: own and borrowed in turn.
  void gather(std::vector<OctetSpan>& segments) const;
  /// A copy of all octets in one piece, the borrowed octets included.
  [[nodiscard]] Octets flatten() const;

 private:
  friend class Encoder;
  friend class ValueWriting;

  void grow(std::size_t count);
  void move_out_of_place(std::size_t needed);
  void forget_borrowed() noexcept;
  [[nodiscard]] std::byte* own_memory() const noexcept { return in_place() ? kept_ : data_; }

  std::byte* data_ = nullptr;  // malloc'ed: grown by realloc, never initialised; or the place
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t borrowed_size_ = 0;
  std::vector<Borrowed> borrowed_;
  Lender* lender_ = nullptr;  // not null: octets are borrowed
  // The buffer's own memory, which the buffer does not use while it is in a place.
  std::byte* kept_ = nullptr;
  std::size_t kept_capacity_ = 0;
  PlaceOwner* owner_ = nullptr;     // the owner of the place; null: the buffer is in no place
  ValueWriting* values_ = nullptr;  // valuetypes that an encoder writes now; null: none
};

}  // namespace perigee::cdr
