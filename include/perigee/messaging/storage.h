// The memory that holds one incoming message.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/pinned.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace perigee::messaging {

/// Memory that a StorageSource has lent. The resident octets may already occupy physical memory.
struct StorageBlock {
  std::byte* octets = nullptr;  ///< null: the source refused
  std::size_t capacity = 0;     ///< octets of address space
  std::size_t resident = 0;     ///< octets at the front that earlier messages have filled
  std::size_t excess = 0;       ///< octets beyond the stored ones that may also take memory
};

/// How much memory a message needs.
struct StorageNeed {
  std::size_t used = 0;       ///< octets that are stored, and stay
  std::size_t needed = 0;     ///< octets that the storage must hold now, including the used ones
  std::size_t announced = 0;  ///< octets of the message, as far as its headers say: >= needed
  bool is_total = true;       ///< false: further fragments may follow the announced octets
};

/// The received parts of a connection's incomplete messages.
struct Unfinished {
  std::size_t octets = 0;     ///< all received octets, wherever they are stored
  std::size_t memory = 0;     ///< physical memory that their storage takes
  std::size_t left = 0;       ///< octets that the headers announce and that have not arrived
  bool more_follows = false;  ///< further fragments follow, of which no header has arrived
};

/// Lends address space for large messages. Any thread.
///
/// A block takes physical memory only where octets are stored. So the size that a peer announces
/// costs nothing until the octets arrive.
class PERIGEE_API StorageSource {
 public:
  virtual ~StorageSource() = default;
  /// A block for `need.announced` octets or more, or a null block.
  [[nodiscard]] virtual StorageBlock take(const StorageNeed& need) noexcept = 0;
  /// Gives the block at least `capacity` octets. The block may move; its contents stay. False: the
  /// block is unchanged.
  [[nodiscard]] virtual bool extend(StorageBlock& block, std::size_t capacity) noexcept = 0;
  /// Called when `large_pages_from` octets of the block are filled and more are coming. If the
  /// source then asks the system for large pages, it sets `excess` to the memory that they may take
  /// beyond the stored octets.
  virtual void use_large_pages(StorageBlock& /*block*/) noexcept {}
  /// Takes the block back. The source may use the resident octets for the next message; the other
  /// octets hold nothing.
  virtual void give_back(const StorageBlock& block) noexcept = 0;
};

/// Owns the octets of one message: on the heap, or in a block of a StorageSource. The contents are
/// not initialised.
class PERIGEE_API MessageStorage {
 public:
  /// Messages above this size use a block, if there is a source.
  static constexpr std::size_t mapped_above = 256 * 1024;
  /// The same for messages in fragments. Their total size is unknown, and is likely to be larger.
  /// Octets in a block stay in place when the block grows.
  static constexpr std::size_t mapped_above_in_fragments = 64 * 1024;
  /// Storage on the heap is at most the larger of `mapped_above` and this factor times the octets
  /// that have arrived.
  static constexpr std::size_t growth_factor = 4;
  /// A block with at least this many octets filled gets large pages. They take at most as much
  /// memory as the octets that have arrived, so an announced size alone still costs nothing.
  static constexpr std::size_t large_pages_from = 2 * 1024 * 1024;

  MessageStorage() noexcept = default;
  MessageStorage(MessageStorage&& other) noexcept
      : block_(std::exchange(other.block_, {})), source_(std::move(other.source_)) {}
  MessageStorage& operator=(MessageStorage&& other) noexcept {
    MessageStorage(std::move(other)).swap(*this);
    return *this;
  }
  ~MessageStorage() { reset(); }

  explicit operator bool() const noexcept { return block_.octets != nullptr; }
  friend bool operator==(const MessageStorage& storage, std::nullptr_t) noexcept {
    return !storage;
  }
  [[nodiscard]] std::byte* data() const noexcept { return block_.octets; }
  [[nodiscard]] std::size_t capacity() const noexcept { return block_.capacity; }
  /// Whether the octets are in a block of a source.
  [[nodiscard]] bool is_block() const noexcept { return source_ != nullptr; }
  /// Octets of physical memory to charge while `used` octets of the message have arrived.
  [[nodiscard]] std::size_t charged(std::size_t used) const noexcept {
    const std::size_t taken = used + block_.excess;
    return std::max({used, block_.resident, std::min(taken, block_.capacity)});
  }

  /// Octets of memory that the whole message of `used` octets takes. Storage on the heap counts
  /// with its whole capacity.
  [[nodiscard]] std::size_t memory(std::size_t used) const noexcept {
    return is_block() ? charged(used) : block_.capacity;
  }

  /// Makes room for the octets that the message needs. The caller has checked the announced size
  /// against the limits. A block takes the address space for that size at once; heap storage grows
  /// geometrically. False: no memory, and nothing has changed.
  [[nodiscard]] bool reserve(const StorageNeed& need,
                             const std::shared_ptr<StorageSource>& source) noexcept;
  /// Called when `used` octets are stored and more are being received. May ask for large pages.
  void go_on_filling(std::size_t used) noexcept {
    if (used < large_pages_from || source_ == nullptr) return;
    const bool is_fresh = block_.resident < block_.capacity && block_.excess == 0;
    if (is_fresh) source_->use_large_pages(block_);
  }
  /// Called when the message is complete. Marks its `size` octets as resident, so that the source
  /// can lend their memory to the next message. Without this call, the source unmaps the octets
  /// that this message has filled.
  void complete(std::size_t size) noexcept { block_.resident = charged(size); }
  /// Lets pinned values share the memory, which does not move. It is given back when this object
  /// and all pinned values that share it are destroyed. The first call charges `charge` with
  /// `octets`, and keeps it until then; later calls drop their charge. Null: the budget has no
  /// room, and nothing has changed. Call it only if this object has memory. Throws bad_alloc.
  [[nodiscard]] counted_ptr<cdr::PinnedMemory> share(cdr::PinCharge charge, std::size_t octets);
  void reset() noexcept {
    if (block_.octets != nullptr) free_block();
  }
  void swap(MessageStorage& other) noexcept {
    std::swap(block_, other.block_);
    source_.swap(other.source_);
  }

 private:
  [[nodiscard]] bool move_to_block(const StorageNeed& need,
                                   const std::shared_ptr<StorageSource>& source) noexcept;
  [[nodiscard]] bool move_to_heap(std::size_t used, std::size_t capacity) noexcept;
  void free_block() noexcept;

  StorageBlock block_;
  std::shared_ptr<StorageSource> source_;  // null: the octets are on the heap, or there are none
};

}  // namespace perigee::messaging
