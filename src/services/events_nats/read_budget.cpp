// Room for answers, and the reads that wait for it.
#include "services/events_nats/read_budget.h"

#include <algorithm>
#include <utility>

namespace perigee::events::nats {

std::size_t ReadBudget::take(std::size_t wanted, std::size_t octets_each) {
  const std::size_t room = octets_max_ - std::min(octets_max_, taken_);
  const std::size_t fitting = std::min(wanted, room / std::max<std::size_t>(octets_each, 1));
  const std::size_t count = taken_ == 0 ? std::max<std::size_t>(fitting, 1) : fitting;
  taken_ += count * octets_each;
  return count;
}

void ReadBudget::give_back(std::size_t octets) {
  taken_ -= octets;
  for (Bell* const bell : std::exchange(waiting_, {})) bell->ring();
}

task<void> ReadBudget::wait(Session& session, std::chrono::milliseconds time) {
  Bell bell;
  waiting_.push_back(&bell);
  co_await session.wait(bell, time);
  std::erase(waiting_, &bell);
}

}  // namespace perigee::events::nats
