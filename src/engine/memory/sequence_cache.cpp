// Keeping vectors, and lending them.
#include "engine/memory/sequence_cache.h"

#include "ipc/mapping.h"

#include <utility>
#include <variant>

namespace perigee::engine {

using cdr::LargeVector;

namespace {

std::size_t octets_of(const LargeVector& vector) noexcept {
  return std::visit([](const auto& values) { return values.capacity() * sizeof(*values.data()); },
                    vector);
}

}  // namespace

// The smallest vector that is large enough is best.
void SequenceCache::take(LargeVector& vector, std::size_t octets) noexcept {
  using Kept = KeptMemory<LargeVector>::Kept;
  Kept taken = kept_.take([&](const Kept& kept, const Kept& best) {
    if (kept.entry.index() != vector.index() || kept.size < octets) return false;
    if (kept.size / excess_factor > octets) return false;
    return best.size == 0 || kept.size < best.size;
  });
  if (taken.size != 0) vector = std::move(taken.entry);
}

void SequenceCache::give_back(LargeVector vector) noexcept {
  const std::size_t size = octets_of(vector);
  kept_.keep(std::move(vector), size);
}

void SequenceCache::will_fill(void* memory, std::size_t size) noexcept {
  ipc::advise_large_pages(memory, size);
}

}  // namespace perigee::engine
