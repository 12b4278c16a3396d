// Finds the connection to the peer that listens at an address, by the listen points that peers have
// announced and that were believed.
#pragma once

#include <perigee/transport/transport.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>

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
    full,   ///< the peer has as many as allowed
  };

  /// How many listen points one peer may have.
  explicit ListenPointTable(std::uint32_t per_peer_max) noexcept : per_peer_max_(per_peer_max) {}
  ListenPointTable(const ListenPointTable&) = delete;
  ListenPointTable& operator=(const ListenPointTable&) = delete;

  [[nodiscard]] Added add(Peer& peer, const transport::Endpoint& point) {
    const std::lock_guard lock(mutex_);
    const auto known = own_points_.find(&peer);
    const std::size_t count = known != own_points_.end() ? known->second.size() : 0;
    if (count != 0 && has(known->second, point)) return Added::known;
    if (count >= per_peer_max_) return Added::full;
    // All allocations come first: no exception leaves a part of an announcement.
    Points announced;
    OwnPoints own{announced.emplace(point, &peer)};
    OwnPoints& place = own_points_[&peer];
    place.splice(place.end(), own);
    points_.merge(announced);
    return Added::yes;
  }

  /// The peer that listens at `point`, with a reference for the caller. Null: no peer has announced
  /// the point.
  [[nodiscard]] Peer* find(const transport::Endpoint& point) noexcept {
    const std::lock_guard lock(mutex_);
    const auto [first, last] = points_.equal_range(point);
    if (first == last) return nullptr;
    const auto open =
        std::find_if(first, last, [](const auto& each) { return !each.second->ending(); });
    Peer* const found = (open != last ? open : first)->second;
    found->add_reference();
    return found;
  }

  /// Visits only the peer's own points: a peer that ends does not hold up the calls to others.
  void forget(Peer& peer) noexcept {
    const std::lock_guard lock(mutex_);
    const auto known = own_points_.find(&peer);
    if (known == own_points_.end()) return;
    for (const auto point : known->second) points_.erase(point);
    own_points_.erase(known);
  }

  /// The number of announcements.
  [[nodiscard]] std::size_t size() const noexcept {
    const std::lock_guard lock(mutex_);
    return points_.size();
  }

 private:
  using Points = std::multimap<transport::Endpoint, Peer*>;
  using OwnPoints = std::list<typename Points::iterator>;

  [[nodiscard]] static bool has(const OwnPoints& own, const transport::Endpoint& point) {
    return std::ranges::any_of(own, [&point](const auto each) { return each->first == point; });
  }

  const std::uint32_t per_peer_max_;
  mutable std::mutex mutex_;               // guards the members below
  Points points_;                          // the peers of one point are in the order of `add`
  std::map<Peer*, OwnPoints> own_points_;  // no list is empty
};

}  // namespace perigee::orb
