// The growth of the storage of an incoming message, and its sharing with pinned values.
#include <perigee/messaging/storage.h>

#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace perigee::messaging {

namespace {

/// The source of a block that is shared. The block goes back to its own source when the last owner
/// drops this object: the message, or a pinned value.
class SharedBlock final : public StorageSource {
 public:
  explicit SharedBlock(cdr::PinCharge charge) noexcept : charge_(std::move(charge)) {}

  void own(MessageStorage storage) noexcept { storage_ = std::move(storage); }

  [[nodiscard]] StorageBlock take(const StorageNeed&) noexcept override { return {}; }
  [[nodiscard]] bool extend(StorageBlock&, std::size_t) noexcept override { return false; }
  void give_back(const StorageBlock&) noexcept override {}  // the block is in storage_

 private:
  const cdr::PinCharge charge_;  // released after the storage is given back
  MessageStorage storage_;
};

/// A share of a block.
class SharedMemory final : public cdr::PinnedMemory {
 public:
  using _pooled = void;  ///< made from pooled memory

  explicit SharedMemory(std::shared_ptr<StorageSource> block) noexcept : block_(std::move(block)) {}

 private:
  const std::shared_ptr<StorageSource> block_;  // shared with the message and other pinned values
};

}  // namespace

// All memory is allocated before the block changes hands.
counted_ptr<cdr::PinnedMemory> MessageStorage::share(cdr::PinCharge charge, std::size_t octets) {
  if (dynamic_cast<SharedBlock*>(source_.get()) != nullptr)
    return make_counted<SharedMemory>(source_);
  if (!charge.try_charge(octets)) return nullptr;
  auto shared = std::make_shared<SharedBlock>(std::move(charge));
  auto memory = make_counted<SharedMemory>(shared);
  const StorageBlock block = block_;
  shared->own(std::move(*this));
  block_ = block;
  source_ = std::move(shared);
  return memory;
}

bool MessageStorage::reserve(const StorageNeed& need,
                             const std::shared_ptr<StorageSource>& source) noexcept {
  if (need.needed <= block_.capacity) return true;
  // Doubling amortises the growth of a fragmented message, whose total size is unknown.
  std::size_t wanted = std::max(need.announced, need.needed);
  if (!need.is_total) wanted = std::max(wanted, 2 * need.used);
  if (source_ != nullptr)
    return source_->extend(block_, wanted) || source_->extend(block_, need.needed) ||
           move_to_heap(need.used, need.needed);
  const std::size_t heap_max = need.is_total ? mapped_above : mapped_above_in_fragments;
  if (wanted > heap_max && source != nullptr && move_to_block(need, source)) return true;
  const std::size_t justified = std::max(mapped_above, growth_factor * need.used);
  return move_to_heap(need.used, std::max(need.needed, std::min(wanted, justified)));
}

bool MessageStorage::move_to_block(const StorageNeed& need,
                                   const std::shared_ptr<StorageSource>& source) noexcept {
  const StorageBlock block = source->take(need);
  if (block.octets == nullptr) return false;
  if (need.used != 0) std::memcpy(block.octets, block_.octets, need.used);
  reset();
  block_ = block;
  source_ = source;
  return true;
}

bool MessageStorage::move_to_heap(std::size_t used, std::size_t capacity) noexcept {
  auto* const octets = static_cast<std::byte*>(::operator new[](capacity, std::nothrow));
  if (octets == nullptr) return false;
  if (used != 0) std::memcpy(octets, block_.octets, used);
  reset();
  block_ = {octets, capacity, 0};
  return true;
}

void MessageStorage::free_block() noexcept {
  if (source_ != nullptr) {
    std::exchange(source_, nullptr)->give_back(block_);
  } else {
    ::operator delete[](block_.octets);
  }
  block_ = {};
}

}  // namespace perigee::messaging
