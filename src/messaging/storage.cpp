// The growth of the storage of an incoming message.
#include <perigee/messaging/storage.h>

#include <cstring>
#include <new>

namespace perigee::messaging {

bool MessageStorage::reserve(const StorageNeed& need,
                             const std::shared_ptr<StorageSource>& source) noexcept {
  if (need.needed <= block_.capacity) return true;
  // Doubling amortises the growth of a fragmented message, whose total size is unknown.
  std::size_t wanted = std::max(need.announced, need.needed);
  if (!need.is_total) wanted = std::max(wanted, 2 * need.used);
  if (source_ != nullptr)
    return source_->extend(block_, wanted) || source_->extend(block_, need.needed) ||
           move_to_heap(need.used, need.needed);
  if (wanted > mapped_above && source != nullptr && move_to_block(need, source)) return true;
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
