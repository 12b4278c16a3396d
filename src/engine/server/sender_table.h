// The senders of datagrams at one listen point, with their last request ids.
#pragma once

#include "engine/connection/recent_ids.h"

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace perigee::engine {

/// A transport may end the connection of a silent sender for lack of places. The next datagram of
/// this sender makes another connection. The table gives it the ids of the former connection, so
/// that a datagram that the network has duplicated is not executed again. Used by the thread that
/// accepts.
///
/// Addresses can be forged, so the table is bounded: it has the senders of the connections that
/// exist, `kept_max` senders without a connection, and senders whose connections have ended since
/// the table last checked them. Each call of `find_or_add` checks four senders. So if connections
/// end only to make room for new senders, the last kind is at most a third of the connections. It
/// is never more than the largest number of connections. A sender that has sent no request is not
/// kept.
class SenderTable {
 public:
  static constexpr std::size_t kept_max = 1024;

  /// The ids of this sender; an empty list for a new sender. May throw bad_alloc.
  [[nodiscard]] std::shared_ptr<RecentRequests> find_or_add(const std::string& peer);
  [[nodiscard]] std::size_t size() const noexcept { return by_peer_.size(); }

 private:
  struct Sender {
    std::string peer;
    std::shared_ptr<RecentRequests> requests;
    bool kept = false;  // true: in kept_; false: in connected_
  };
  using Senders = std::list<Sender>;

  void check_some() noexcept;
  void forget(Senders& senders, Senders::iterator sender) noexcept;

  Senders connected_;  // their connections exist, or have ended since the last check
  Senders kept_;       // without a connection; the oldest first
  std::map<std::string_view, Senders::iterator> by_peer_;
};

}  // namespace perigee::engine
