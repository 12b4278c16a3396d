// Keeping vectors, and lending them.
#include "engine/memory/sequence_cache.h"

#include "ipc/mapping.h"

#include <array>
#include <new>
#include <utility>
#include <variant>

namespace perigee::engine {

using cdr::LargeVector;

namespace {

std::size_t octets_of(const LargeVector& vector) noexcept {
  return std::visit([](const auto& values) { return values.capacity() * sizeof(*values.data()); },
                    vector);
}

/// An empty vector of the type with this index.
template <std::size_t... index>
LargeVector empty_vector(std::size_t type, std::index_sequence<index...> /*types*/) noexcept {
  using Make = LargeVector (*)() noexcept;
  constexpr std::array<Make, sizeof...(index)> make{
      []() noexcept { return LargeVector(std::in_place_index<index>); }...};
  return make[type]();
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

std::unique_ptr<cdr::LandedSequence> SequenceCache::land(const MessageFront& front) noexcept try {
  const auto expected = places_.find(front, land_above_);
  if (!expected) return nullptr;
  constexpr auto types = std::make_index_sequence<std::variant_size_v<LargeVector>>();
  LargeVector vector = empty_vector(expected->place.type, types);
  take(vector, expected->size);
  if (octets_of(vector) < expected->size) return nullptr;
  // Within the capacity: nothing is allocated, and only the elements that are new are zeroed.
  std::visit([&](auto& values) { values.resize(expected->size / sizeof(*values.data())); }, vector);
  return std::make_unique<cdr::LandedSequence>(std::move(vector), expected->place,
                                               expected->head_size);
} catch (const std::bad_alloc&) {
  return nullptr;
}

void SequenceCache::will_fill(void* memory, std::size_t size) noexcept {
  ipc::advise_large_pages(memory, size);
}

}  // namespace perigee::engine
