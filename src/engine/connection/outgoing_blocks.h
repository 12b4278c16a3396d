// Messages that wait to be sent, in a list of blocks: copies, and octets in shared memory.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/pinned_memory.h>
#include <perigee/messaging/storage.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace perigee::engine {

/// The place of a message in the order of sending: larger is later. 0 is no place.
using Ticket = std::uint64_t;

/// The step between the tickets of queued messages, which are even. Messages may be queued while a
/// thread sends its own message directly. The rest of that message then gets the odd ticket before
/// them.
inline constexpr Ticket ticket_step = 2;

/// Messages whose tickets grow by `ticket_step`. The first may lack octets that were sent before.
/// One thread at a time.
///
/// A large message may take several blocks: *parts*, with the same ticket. The octets of a part may
/// lie in memory that the block shares with an owner. Only the last part counts the message. No
/// other message is in these blocks.
///
/// Invariant: sent octets <= size() <= room. The end offsets of the messages are stored at the back
/// of the memory. They never descend, and the last one is size().
class OutgoingBlock final {
 public:
  using Source = std::shared_ptr<messaging::StorageSource>;

  /// Messages up to this size share a block.
  static constexpr std::size_t shared_size_max = 2048;

  /// Makes a block with room for a message of `size` octets, and for more messages if it is small.
  /// Null if there is no memory. If `source` is not null, the memory of a large block comes from
  /// it, so that a stream of large replies causes no page faults.
  [[nodiscard]] static OutgoingBlock* make(std::size_t size,
                                           const Source& source = nullptr) noexcept;
  /// @name Make a part of a message. The caller sets its ticket. Null if there is no memory.
  /// @{
  [[nodiscard]] static OutgoingBlock* make_part(OctetSpan copied) noexcept;
  [[nodiscard]] static OutgoingBlock* make_shared_part(
      OctetSpan octets, counted_ptr<cdr::PinnedMemory> memory) noexcept;
  /// @}
  static void destroy(OutgoingBlock* block) noexcept;

  [[nodiscard]] bool has_room(std::size_t size) const noexcept;
  /// Copies a message, without its first `skipped` octets. There is room.
  void append(std::span<const OctetSpan> segments, std::size_t skipped, Ticket ticket) noexcept;
  /// Removes the message with this ticket, of which no octet may have been sent. Returns its size;
  /// 0 if the block does not contain it.
  [[nodiscard]] std::size_t withdraw(Ticket ticket) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t unsent() const noexcept { return size_ - sent_; }
  [[nodiscard]] std::uint32_t messages() const noexcept { return count_ - withdrawn_; }
  [[nodiscard]] Ticket first() const noexcept { return first_; }
  [[nodiscard]] Ticket last() const noexcept {
    return count_ == 0 ? first_ : first_ + (count_ - 1) * ticket_step;
  }
  /// The octets that are not sent.
  [[nodiscard]] OctetSpan rest() const noexcept { return {data_ + sent_, size_ - sent_}; }
  /// The unsent octets of the first message that is not sent as a whole.
  [[nodiscard]] OctetSpan rest_of_message() noexcept;
  /// The ticket of that message.
  [[nodiscard]] Ticket next() noexcept;
  /// Notes that `count` octets of `rest` were sent. Returns the ticket of the last message that is
  /// sent as a whole; 0 if there is none.
  [[nodiscard]] Ticket advance(std::size_t count) noexcept;
  void set_ticket(Ticket ticket) noexcept { first_ = ticket; }
  /// The part is the last one of its message.
  void end_message() noexcept;

 private:
  friend class OutgoingBlocks;
  /// Stands in front of a block whose memory comes from a source.
  struct Lent;
  enum class Kind : std::uint8_t {
    messages,     ///< whole messages
    lent,         ///< the same, in memory of a source
    part,         ///< a copied part of a message
    shared_part,  ///< a part in shared memory; its owner stands at the front of the block's memory
  };

  explicit OutgoingBlock(std::size_t allocated, Kind kind = Kind::messages) noexcept
      : allocated_(allocated), kind_(kind), data_(octets()) {}
  ~OutgoingBlock() = default;

  [[nodiscard]] static OutgoingBlock* allocate(std::size_t allocated, Kind kind) noexcept;
  [[nodiscard]] static OutgoingBlock* make_lent(std::size_t needed, const Source& source) noexcept;
  [[nodiscard]] bool is_part() const noexcept {
    return kind_ == Kind::part || kind_ == Kind::shared_part;
  }
  static void give_back(OutgoingBlock* block) noexcept;
  [[nodiscard]] std::byte* octets() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  [[nodiscard]] const std::byte* octets() const noexcept {
    return reinterpret_cast<const std::byte*>(this + 1);
  }
  [[nodiscard]] std::size_t& end_of(std::uint32_t index) noexcept;
  [[nodiscard]] std::size_t begin_of(std::uint32_t index) noexcept {
    return index == 0 ? 0 : end_of(index - 1);
  }

  OutgoingBlock* following_ = nullptr;
  const std::size_t allocated_;  // octets, this object included
  std::size_t size_ = 0;
  std::size_t sent_ = 0;
  Ticket first_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t withdrawn_ = 0;
  std::uint32_t whole_ = 0;  // messages that are sent as a whole
  const Kind kind_;
  bool begins_message_ = false;  // of a part: it is the first one
  const std::byte* data_;        // the first octet
};

/// Blocks in the order of sending. Owns them. One thread at a time.
class OutgoingBlocks final {
 public:
  OutgoingBlocks() noexcept = default;
  ~OutgoingBlocks() { clear(); }
  OutgoingBlocks(const OutgoingBlocks&) = delete;
  OutgoingBlocks& operator=(const OutgoingBlocks&) = delete;

  [[nodiscard]] bool empty() const noexcept { return head_ == nullptr; }
  /// Octets that are not sent.
  [[nodiscard]] std::size_t octets() const noexcept { return octets_; }
  [[nodiscard]] OutgoingBlock* front() const noexcept { return head_; }
  [[nodiscard]] OutgoingBlock* back() const noexcept { return tail_; }
  [[nodiscard]] static OutgoingBlock* following(const OutgoingBlock& block) noexcept {
    return block.following_;
  }

  void push_back(OutgoingBlock& block) noexcept;
  void push_front(OutgoingBlock& block) noexcept;
  [[nodiscard]] OutgoingBlock& pop_front() noexcept;
  /// Appends a message to the last block, which has room.
  void append(std::span<const OctetSpan> segments, std::size_t size, Ticket ticket) noexcept;
  /// Fills an empty list with the parts of a message, without its first `skipped` octets. Large
  /// segments inside of `shared` are not copied: the parts share `memory`, which owns them. False
  /// if there is no memory; then the list may have some parts.
  [[nodiscard]] bool keep(std::span<const OctetSpan> segments, std::size_t skipped,
                          OctetSpan shared, const counted_ptr<cdr::PinnedMemory>& memory) noexcept;
  /// Gives the parts of the only message its ticket.
  void set_ticket(Ticket ticket) noexcept;
  /// Takes all blocks of another list.
  void push_back(OutgoingBlocks& others) noexcept;
  void push_front(OutgoingBlocks& others) noexcept;
  /// Removes a message. Returns its size; 0 if it is not there, or if parts of it have left this
  /// list. Blocks that become empty are handed to the caller, in a list that is empty before.
  [[nodiscard]] std::size_t withdraw(Ticket ticket, OutgoingBlocks& emptied) noexcept;
  /// Notes that `count` octets from the front were sent, and destroys blocks that are sent. Returns
  /// the same as OutgoingBlock::advance.
  [[nodiscard]] Ticket advance(std::size_t count) noexcept;
  void swap(OutgoingBlocks& other) noexcept;
  void clear() noexcept;

  /// The blocks are in the order of their tickets, and `octets` is the sum of their unsent octets.
  [[nodiscard]] bool check_invariants() const noexcept;

 private:
  [[nodiscard]] std::size_t take_parts(OutgoingBlock* before, OutgoingBlocks& taken) noexcept;
  [[nodiscard]] OutgoingBlock& take_after(OutgoingBlock* before) noexcept;

  OutgoingBlock* head_ = nullptr;
  OutgoingBlock* tail_ = nullptr;
  std::size_t octets_ = 0;
};

}  // namespace perigee::engine
