// A queue from which old events fall out.
#include "services/events_nats/recent.h"

#include <algorithm>
#include <utility>

namespace perigee::events::nats {

namespace {

constexpr std::size_t event_octets_own = 64;  // memory of an event without its text, roughly

std::size_t octets_of(const StoredEvent& event) { return event.octets.size() + event_octets_own; }

}  // namespace

void Recent::add(StoredEvent event) {
  octets_ += octets_of(event);
  events_.push_back(std::move(event));
  while (octets_ > octets_max_) {
    octets_ -= octets_of(events_.front());
    complete_after_ = events_.front().number;
    events_.pop_front();
  }
}

void Recent::read(SequenceNumber after, std::size_t events_max, std::size_t octets_max,
                  std::vector<StoredEvent>& events, std::size_t& octets) const {
  auto next = std::ranges::upper_bound(events_, after, {}, &StoredEvent::number);
  for (; next != events_.end() && events.size() < events_max; ++next) {
    if (!events.empty() && octets + next->octets.size() > octets_max) return;
    octets += next->octets.size();
    events.push_back(*next);
  }
}

}  // namespace perigee::events::nats
