// Guesses where a message has its last sequence. Each guess is checked against the length that
// stands there; a wrong guess that passes this check costs one copy, and nothing else.
#include "engine/memory/sequence_places.h"

#include <perigee/base/byte_order.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <variant>

namespace perigee::engine {

using cdr::LargeVector;
using cdr::SequencePlace;

namespace {

template <std::size_t... index>
constexpr std::array<std::size_t, sizeof...(index)> element_sizes(
    std::index_sequence<index...> /*types*/) noexcept {
  return {sizeof(typename std::variant_alternative_t<index, LargeVector>::value_type)...};
}
constexpr auto element_size =
    element_sizes(std::make_index_sequence<std::variant_size_v<LargeVector>>());

std::optional<ExpectedSequence> expect(const SequencePlace& place,
                                       const MessageFront& front) noexcept {
  const std::size_t size = element_size[place.type];
  const std::size_t length_end = place.length_at + sizeof(std::uint32_t);
  const std::size_t head_size = (length_end + size - 1) / size * size;
  if (place.length_at < front.header_size || head_size > front.octets.size()) return std::nullopt;
  std::uint32_t count = 0;
  std::memcpy(&count, front.octets.data() + place.length_at, sizeof count);
  if (front.order != std::endian::native) count = reverse_octets(count);
  const std::uint64_t end = head_size + std::uint64_t{count} * size;
  const bool fits = front.is_whole ? end == front.size : end > front.size && end <= front.size_max;
  if (!fits) return std::nullopt;
  return ExpectedSequence{place, head_size, static_cast<std::size_t>(end) - head_size};
}

}  // namespace

SequencePlaces::Entry* SequencePlaces::find_entry(const SequencePlace& place) noexcept {
  const auto found = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return entry.in_use && entry.place == place; });
  return found == entries_.end() ? nullptr : &*found;
}

void SequencePlaces::note(const SequencePlace& place) noexcept {
  const std::lock_guard lock(mutex_);
  if (find_entry(place) != nullptr) return;
  entries_[next_] = {place, true, false};
  next_ = (next_ + 1) % entries_.size();
}

void SequencePlaces::forget(const SequencePlace& place) noexcept {
  const std::lock_guard lock(mutex_);
  if (Entry* const entry = find_entry(place)) entry->is_wrong = true;
}

std::optional<ExpectedSequence> SequencePlaces::find(const MessageFront& front,
                                                     std::size_t size_min) const noexcept {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_) {
    if (!entry.in_use || entry.is_wrong) continue;
    const auto expected = expect(entry.place, front);
    if (expected && expected->size > size_min) return expected;
  }
  return std::nullopt;
}

}  // namespace perigee::engine
