// Lending mappings, and taking them back.
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

// Whether a block of `size` octets suits better than one of `other` octets; 0: there is no other
// block. The smallest block that is large enough is best, else the largest, which then grows. A
// fragmented message will need more than it announces, so for it the largest block is best.
bool suits_better(const StorageNeed& need, std::size_t size, std::size_t other) noexcept {
  if (other == 0) return true;
  const bool enough = need.is_total && size >= need.announced;
  const bool other_enough = need.is_total && other >= need.announced;
  if (enough != other_enough) return enough;
  return enough ? size < other : size > other;
}

}  // namespace

MappingCache::Mapping::~Mapping() { unmap(block_); }

CacheLimits MappingCache::in_whole_pages(Limits limits) noexcept {
  limits.size_max = in_pages(limits.size_max);
  limits.entry_max = in_pages(limits.entry_max);
  return limits;
}

StorageBlock MappingCache::take(const StorageNeed& need) noexcept {
  StorageBlock block = take_kept(need);
  if (block.octets != nullptr) {
    if (block.capacity >= need.announced || extend(block, need.announced)) return block;
    unmap(block);
  }
  const std::size_t size = in_pages(need.announced);
  return {ipc::map_memory(size), size, 0, 0};
}

StorageBlock MappingCache::take_kept(const StorageNeed& need) noexcept {
  using Kept = KeptMemory<Mapping>::Kept;
  return kept_
      .take([&need](const Kept& kept, const Kept& best) {
        if (need.is_total && kept.size / excess_factor > need.announced) return false;
        return suits_better(need, kept.size, best.size);
      })
      .entry.release();
}

bool MappingCache::extend(StorageBlock& block, std::size_t capacity) noexcept {
  const std::size_t size = in_pages(capacity);
  std::byte* const octets = ipc::remap_memory(block.octets, block.capacity, size);
  if (octets == nullptr) return false;
  block.octets = octets;
  block.capacity = size;
  return true;
}

void MappingCache::use_large_pages(StorageBlock& block) noexcept {
  ipc::advise_large_pages(block.octets, block.capacity);
  block.excess = ipc::large_page_size;
}

// Keeps the front of the block: its resident pages, but not more octets than an entry may have.
void MappingCache::give_back(const StorageBlock& block) noexcept {
  Mapping whole(block);
  const std::size_t size = std::min(in_pages(block.resident), kept_.entry_size_max());
  if (size == 0) return;
  StorageBlock front = block;
  if (size < block.capacity) {
    front.octets = ipc::remap_memory(block.octets, block.capacity, size);
    if (front.octets == nullptr) return;
    front.capacity = size;
  }
  (void)whole.release();
  front.resident = size;
  kept_.keep(Mapping(front), size);
}

}  // namespace perigee::engine
