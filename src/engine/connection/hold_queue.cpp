// The order of parked requests.
#include "engine/connection/hold_queue.h"

#include <algorithm>
#include <new>

namespace perigee::engine {

using messaging::IncomingMessage;

HoldQueue::Kept HoldQueue::keep(const Place& place, IncomingMessage& message,
                                std::uint64_t resumptions_seen) noexcept {
  const std::lock_guard lock(mutex_);
  return keep_locked(place, message, resumptions_seen);
}

HoldQueue::Kept HoldQueue::keep_behind(const Place& place, IncomingMessage& message) noexcept {
  const std::lock_guard lock(mutex_);
  const auto is_before = [&](const Entry& entry) {
    return entry.owner.get() == &place.owner && entry.hold_point == place.hold_point &&
           (place.number == 0 || entry.number < place.number);
  };
  const auto last = std::find_if(entries_.rbegin(), entries_.rend(), is_before);
  if (last == entries_.rend()) return Kept::not_needed;
  return keep_locked(place, message, last->resumptions_seen);
}

// The only function of the queue that allocates. If there is no memory, the request is refused.
HoldQueue::Kept HoldQueue::keep_locked(const Place& place, IncomingMessage& message,
                                       std::uint64_t resumptions_seen) noexcept try {
  if (Entry* const known = place.number != 0 ? find(place.number) : nullptr)
    return put_back(*known, message, resumptions_seen);
  return insert(place, message, resumptions_seen);
} catch (const std::bad_alloc&) {
  return Kept::refused;
}

HoldQueue::Kept HoldQueue::put_back(Entry& entry, IncomingMessage& message,
                                    std::uint64_t resumptions_seen) {
  message.keep();
  entry.message = std::move(message);
  entry.resumptions_seen = resumptions_seen;
  entry.taken = false;
  return is_due(entry) ? Kept::due : Kept::yes;
}

HoldQueue::Kept HoldQueue::insert(const Place& place, IncomingMessage& message,
                                  std::uint64_t resumptions_seen) {
  const std::size_t size = message.size();
  if (entries_.size() >= requests_max_) return Kept::refused;
  Entries made(1);
  message.keep();
  if (!place.owner.begin_parked(size)) return Kept::refused;
  Entry& entry = made.front();
  entry = {HoldOwnerRef(place.owner),
           place.hold_point,
           place.number != 0 ? place.number : ++last_number_,
           std::move(message),
           size,
           resumptions_seen,
           false};
  const auto later = std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& each) {
                       return each.number < entry.number;
                     }).base();
  entries_.splice(later, made);
  return is_due(entry) ? Kept::due : Kept::yes;
}

// Expects mutex_ to be held.
HoldQueue::Entry* HoldQueue::find(std::uint64_t number) noexcept {
  const auto found = std::ranges::find(entries_, number, &Entry::number);
  return found == entries_.end() ? nullptr : &*found;
}

bool HoldQueue::resume() noexcept {
  const std::lock_guard lock(mutex_);
  resumptions_.fetch_add(1);
  return !entries_.empty();
}

bool HoldQueue::any_due() const noexcept {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(entries_, [this](const Entry& entry) { return is_due(entry); });
}

std::optional<HoldQueue::Taken> HoldQueue::take() noexcept {
  const std::lock_guard lock(mutex_);
  const auto first =
      std::ranges::find_if(entries_, [this](const Entry& entry) { return is_due(entry); });
  if (first == entries_.end()) return std::nullopt;
  first->taken = true;
  return Taken{HoldOwnerRef(*first->owner), first->number, std::move(first->message)};
}

void HoldQueue::done(std::uint64_t number) noexcept {
  Entries dropped;  // destroyed without the lock
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(
        entries_, [number](const Entry& entry) { return entry.number == number && entry.taken; });
    if (found == entries_.end()) return;
    dropped.splice(dropped.end(), entries_, found);
  }
  end(dropped);
}

void HoldQueue::drop(const HoldOwner& owner) noexcept {
  Entries dropped;
  {
    const std::lock_guard lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      const auto next = std::next(entry);
      if (entry->owner.get() == &owner) dropped.splice(dropped.end(), entries_, entry);
      entry = next;
    }
  }
  end(dropped);
}

void HoldQueue::clear() noexcept {
  Entries dropped;
  {
    const std::lock_guard lock(mutex_);
    dropped.swap(entries_);
  }
  end(dropped);
}

// The caller must not hold the mutex, since connections may end here.
void HoldQueue::end(const Entries& dropped) noexcept {
  for (const Entry& entry : dropped) (*entry.owner).end_parked(entry.size);
}

}  // namespace perigee::engine
