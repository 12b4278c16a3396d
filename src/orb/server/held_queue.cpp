// The order of those that wait.
#include "orb/server/held_queue.h"

#include "orb/server/conversation.h"

#include <algorithm>
#include <utility>

namespace perigee::orb {

using messaging::IncomingMessage;

HeldQueue::Kept HeldQueue::keep(HeldPlace place, IncomingMessage& message,
                                std::uint64_t resumptions_seen) {
  const std::lock_guard lock(mutex_);
  if (Entry* const known = place.number != 0 ? find(place.number) : nullptr)
    return put_back(*known, message, resumptions_seen);
  return insert(std::move(place), message, resumptions_seen);
}

HeldQueue::Kept HeldQueue::keep_behind(HeldPlace place, IncomingMessage& message) {
  const std::lock_guard lock(mutex_);
  const auto is_before = [&](const Entry& entry) {
    return entry.place.conversation == place.conversation && entry.place.gate == place.gate &&
           (place.number == 0 || entry.place.number < place.number);
  };
  const auto last = std::find_if(entries_.rbegin(), entries_.rend(), is_before);
  if (last == entries_.rend()) return Kept::not_needed;
  const std::uint64_t seen = last->resumptions_seen;
  if (Entry* const known = place.number != 0 ? find(place.number) : nullptr)
    return put_back(*known, message, seen);
  return insert(std::move(place), message, seen);
}

// Expects mutex_ to be held.
HeldQueue::Kept HeldQueue::put_back(Entry& entry, IncomingMessage& message,
                                    std::uint64_t resumptions_seen) {
  message.keep();
  entry.message = std::move(message);
  entry.resumptions_seen = resumptions_seen;
  entry.taken = false;
  return is_due(entry) ? Kept::due : Kept::yes;
}

// Expects mutex_ to be held.
HeldQueue::Kept HeldQueue::insert(HeldPlace place, IncomingMessage& message,
                                  std::uint64_t resumptions_seen) {
  Conversation& conversation = *place.conversation;
  const std::size_t size = message.octets.size();
  if (entries_.size() >= requests_max_ || !conversation.begin_hold(size)) return Kept::refused;
  try {
    message.keep();
    if (place.number == 0) place.number = ++last_number_;
    const auto later = std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& entry) {
                         return entry.place.number < place.number;
                       }).base();
    const auto entry = entries_.emplace(later);
    *entry = {std::move(place), std::move(message), size, resumptions_seen, false};
    return is_due(*entry) ? Kept::due : Kept::yes;
  } catch (...) {
    conversation.end_hold(size);
    throw;
  }
}

// Expects mutex_ to be held.
HeldQueue::Entry* HeldQueue::find(std::uint64_t number) noexcept {
  const auto found =
      std::ranges::find(entries_, number, [](const Entry& entry) { return entry.place.number; });
  return found == entries_.end() ? nullptr : &*found;
}

bool HeldQueue::resume() {
  const std::lock_guard lock(mutex_);
  resumptions_.fetch_add(1);
  return !entries_.empty();
}

bool HeldQueue::any_due() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(entries_, [this](const Entry& entry) { return is_due(entry); });
}

std::optional<HeldRequest> HeldQueue::take() {
  const std::lock_guard lock(mutex_);
  const auto first =
      std::ranges::find_if(entries_, [this](const Entry& entry) { return is_due(entry); });
  if (first == entries_.end()) return std::nullopt;
  first->taken = true;
  return HeldRequest{first->place, std::move(first->message)};
}

void HeldQueue::done(std::uint64_t number) noexcept {
  Entries dropped;  // end after the lock
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(entries_, [number](const Entry& entry) {
      return entry.place.number == number && entry.taken;
    });
    if (found == entries_.end()) return;
    dropped.splice(dropped.end(), entries_, found);
  }
  forget(dropped);
}

void HeldQueue::drop(const Conversation& conversation) noexcept {
  Entries dropped;
  {
    const std::lock_guard lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      const auto next = std::next(entry);
      if (entry->place.conversation.get() == &conversation)
        dropped.splice(dropped.end(), entries_, entry);
      entry = next;
    }
  }
  forget(dropped);
}

void HeldQueue::clear() noexcept {
  Entries dropped;
  {
    const std::lock_guard lock(mutex_);
    dropped.swap(entries_);
  }
  forget(dropped);
}

// Without the mutex: connections may end here.
void HeldQueue::forget(const Entries& dropped) noexcept {
  for (const Entry& entry : dropped) entry.place.conversation->end_hold(entry.size);
}

}  // namespace perigee::orb
