// Finding the ids of a sender, and forgetting senders.
#include "engine/server/sender_table.h"

#include <utility>

namespace perigee::engine {
namespace {

constexpr int looks_per_sender = 4;

}  // namespace

std::shared_ptr<RecentRequests> SenderTable::find_or_add(const std::string& peer) {
  check_some();
  if (const auto known = by_peer_.find(peer); known != by_peer_.end()) {
    const Senders::iterator sender = known->second;
    auto requests = sender->requests;
    Senders& list = std::exchange(sender->kept, false) ? kept_ : connected_;
    connected_.splice(connected_.end(), list, sender);
    return requests;
  }
  Senders added;
  added.push_back({peer, std::make_shared<RecentRequests>()});
  const Senders::iterator sender = added.begin();
  by_peer_.emplace(sender->peer, sender);
  auto requests = sender->requests;
  connected_.splice(connected_.end(), added);
  return requests;
}

// Each connection holds a reference to the ids of its sender.
void SenderTable::check_some() noexcept {
  for (int left = looks_per_sender; left > 0 && !connected_.empty(); --left) {
    const auto sender = connected_.begin();
    if (sender->requests.use_count() > 1) {
      connected_.splice(connected_.end(), connected_, sender);
    } else if (sender->requests->empty()) {
      forget(connected_, sender);
    } else {
      sender->kept = true;
      kept_.splice(kept_.end(), connected_, sender);
    }
  }
  while (kept_.size() > kept_max) forget(kept_, kept_.begin());
}

void SenderTable::forget(Senders& senders, Senders::iterator sender) noexcept {
  by_peer_.erase(sender->peer);
  senders.erase(sender);
}

}  // namespace perigee::engine
