// Lending, keeping and giving back mappings.
#include "engine/memory/mapping_cache.h"

#include "ipc/mapping.h"

#include <algorithm>
#include <utility>

namespace perigee::engine {

using messaging::StorageBlock;
using messaging::StorageNeed;

namespace {

std::size_t in_pages(std::size_t size) noexcept {
  const std::size_t page = ipc::page_size();
  return (size + page - 1) / page * page;
}

void unmap(const StorageBlock& block) noexcept {
  if (block.octets != nullptr) ipc::unmap_memory(block.octets, block.capacity);
}

// The smallest block that is large enough is best, else the largest, which then grows. A fragmented
// message will need more than it announces: the largest is best.
bool suits_better(const StorageNeed& need, std::size_t size, std::size_t other) noexcept {
  const bool enough = need.is_total && size >= need.announced;
  const bool other_enough = need.is_total && other >= need.announced;
  if (enough != other_enough) return enough;
  return enough ? size < other : size > other;
}

}  // namespace

StorageBlock MappingCache::take(const StorageNeed& need) noexcept {
  StorageBlock block = take_kept(need);
  if (block.octets != nullptr) {
    if (block.capacity >= need.announced || extend(block, need.announced)) return block;
    unmap(block);
  }
  const std::size_t size = in_pages(need.announced);
  return {ipc::map_memory(size), size, 0};
}

StorageBlock MappingCache::take_kept(const StorageNeed& need) noexcept {
  const std::lock_guard lock(mutex_);
  std::size_t best = count_;
  for (std::size_t index = 0; index < count_; ++index) {
    const std::size_t size = blocks_[index].block.resident;
    if (need.is_total && size / excess_factor > need.announced) continue;
    if (best == count_ || suits_better(need, size, blocks_[best].block.resident)) best = index;
  }
  return best == count_ ? StorageBlock() : remove(best);
}

bool MappingCache::extend(StorageBlock& block, std::size_t capacity) noexcept {
  const std::size_t size = in_pages(capacity);
  std::byte* const octets = ipc::remap_memory(block.octets, block.capacity, size);
  if (octets == nullptr) return false;
  block.octets = octets;
  block.capacity = size;
  return true;
}

// A block that is too large keeps its front.
void MappingCache::give_back(const StorageBlock& block) noexcept {
  StorageBlock rest = block;
  const std::size_t size_max = std::max(limits_.size_max, in_pages(limits_.block_max));
  const std::size_t size = std::min(in_pages(block.resident), size_max);
  if (size == 0 || limits_.size_max == 0 || !make_room(size)) return unmap(block);
  if (size < block.capacity) {
    rest.octets = ipc::remap_memory(block.octets, block.capacity, size);
    if (rest.octets == nullptr) return unmap(block);
    rest.capacity = size;
  }
  rest.resident = size;
  {
    const std::lock_guard lock(mutex_);
    if (!closed_ && has_room(size) &&
        (budget_ == nullptr || budget_->try_charge(Use::unfinished, size))) {
      blocks_[count_++] = {rest, clock_.now()};
      kept_ += size;
      if (size > limits_.size_max) large_ = size;
      if (count_ == 1 && wake_) wake_();
      return;
    }
  }
  unmap(rest);
}

// Under the mutex. The messages of a stream may all be larger than the cache: one block of them is
// kept besides the smaller ones.
bool MappingCache::has_room(std::size_t size) const noexcept {
  if (count_ == blocks_.size()) return false;
  if (size > limits_.size_max) return large_ == 0;
  return kept_ - large_ + size <= limits_.size_max;
}

// Under the mutex. The oldest block on the same side of size_max; count_: there is no such block.
std::size_t MappingCache::oldest_in_the_way(std::size_t size) const noexcept {
  const bool is_large = size > limits_.size_max;
  std::size_t index = 0;
  while (index < count_ && (blocks_[index].block.resident > limits_.size_max) != is_large) ++index;
  return index;
}

// Drops the oldest blocks until another one of this size fits.
bool MappingCache::make_room(std::size_t size) noexcept {
  for (;;) {
    StorageBlock oldest;
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return false;
      if (has_room(size)) return true;
      const std::size_t index = oldest_in_the_way(size);
      oldest = remove(index < count_ ? index : 0);
    }
    unmap(oldest);
  }
}

// Under the mutex.
StorageBlock MappingCache::remove(std::size_t index) noexcept {
  const StorageBlock block = blocks_[index].block;
  const auto place = blocks_.begin() + static_cast<std::ptrdiff_t>(index);
  std::move(place + 1, blocks_.begin() + static_cast<std::ptrdiff_t>(count_), place);
  --count_;
  kept_ -= block.resident;
  if (block.resident > limits_.size_max) large_ = 0;
  if (budget_ != nullptr) budget_->release(Use::unfinished, block.resident);
  return block;
}

bool MappingCache::trim() noexcept {
  for (;;) {
    StorageBlock oldest;
    {
      const std::lock_guard lock(mutex_);
      if (count_ == 0) return false;
      if (clock_.now() - blocks_[0].since < limits_.age_max) return true;
      oldest = remove(0);
    }
    unmap(oldest);
  }
}

void MappingCache::close() noexcept {
  for (;;) {
    StorageBlock oldest;
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      if (count_ == 0) return;
      oldest = remove(0);
    }
    unmap(oldest);
  }
}

std::size_t MappingCache::kept() const noexcept {
  const std::lock_guard lock(mutex_);
  return kept_;
}

}  // namespace perigee::engine
