// Which connection leads to the peer that listens at an address: the listen points that peers have
// announced, and that were believed.
#pragma once

#include <perigee/transport/transport.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace perigee::orb {

/// Any thread. `Peer` is a counted object with `add_reference`, `drop_reference` and `ending`. The
/// table holds no reference: a peer has to be forgotten before it ends.
///
/// A listen point stays with the peer that announced it first, until that peer is ending: a later
/// peer cannot take calls away from an earlier one. Then the next peer has it.
template <typename Peer>
class ListenPointTable final {
 public:
  enum class Added : std::uint8_t {
    yes,
    known,  ///< the peer has announced it before
    full,   ///< as many as allowed
  };

  /// How many listen points one peer may have.
  explicit ListenPointTable(std::uint32_t per_peer_max) noexcept : per_peer_max_(per_peer_max) {}
  ListenPointTable(const ListenPointTable&) = delete;
  ListenPointTable& operator=(const ListenPointTable&) = delete;

  [[nodiscard]] Added add(Peer& peer, const transport::Endpoint& point) {
    const std::lock_guard lock(mutex_);
    auto& peers = points_[point];
    if (std::ranges::find(peers, &peer) != peers.end()) return Added::known;
    std::uint32_t& count = counts_[&peer];
    if (count >= per_peer_max_) {
      if (peers.empty()) points_.erase(point);
      return Added::full;
    }
    peers.push_back(&peer);
    ++count;
    return Added::yes;
  }

  /// The peer that listens there, with a reference for the caller. Null: none.
  [[nodiscard]] Peer* find(const transport::Endpoint& point) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = points_.find(point);
    if (found == points_.end()) return nullptr;
    const auto& peers = found->second;
    const auto open = std::ranges::find_if(peers, [](Peer* each) { return !each->ending(); });
    Peer* const first = open != peers.end() ? *open : peers.front();
    first->add_reference();
    return first;
  }

  void forget(Peer& peer) noexcept {
    const std::lock_guard lock(mutex_);
    if (counts_.erase(&peer) == 0) return;
    for (auto entry = points_.begin(); entry != points_.end();) {
      std::erase(entry->second, &peer);
      entry = entry->second.empty() ? points_.erase(entry) : std::next(entry);
    }
  }

  [[nodiscard]] std::size_t size() const noexcept {
    const std::lock_guard lock(mutex_);
    return points_.size();
  }

 private:
  const std::uint32_t per_peer_max_;
  mutable std::mutex mutex_;                                  // guards the members below
  std::map<transport::Endpoint, std::vector<Peer*>> points_;  // no list is empty
  std::map<Peer*, std::uint32_t> counts_;                     // of points with the peer
};

}  // namespace perigee::orb
