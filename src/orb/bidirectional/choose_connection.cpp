// Chooses the connection of a call that may go in both directions.
#include "engine/client/opening.h"
#include "orb/bidirectional/bidirectional.h"
#include "orb/client/endpoint_table.h"
#include "orb/context/server.h"

#include <mutex>
#include <utility>

namespace perigee::orb {

// A client that has been called over its own connection is called over no other connection: another
// program may listen at its address by now. An ORB without a TCP address has nothing to announce,
// so it offers no connection.
Bidirectional::Choice Bidirectional::choose_present(ClientEndpoint& endpoint,
                                                    std::optional<bool> policy, Server* server) {
  if (&endpoint.messaging() != &messages_) return {};
  BothDirections& both = endpoint.both_directions();
  if (policy.value_or(settings_.accept_bidirectional)) {
    if (auto peer = find(endpoint.endpoint()); peer && !peer->ending()) {
      both.called_over_its_own.store(true, std::memory_order_relaxed);
      return {Found::connection, std::move(peer)};
    }
    if (both.called_over_its_own.load(std::memory_order_relaxed)) return {Found::peer_gone};
  }
  if (!policy.value_or(settings_.offer_bidirectional) || server == nullptr) return {};
  const bool over_tcp = endpoint.endpoint().scheme == "iiop" && endpoint.connector() != nullptr;
  if (!over_tcp || server->listen_points().empty()) return {};
  const std::lock_guard lock(both.mutex);
  if (both.offered && !both.offered->ending()) return {Found::connection, both.offered};
  return {Found::to_be_opened};
}

Bidirectional::Choice Bidirectional::choose(ClientEndpoint& endpoint, std::optional<bool> policy,
                                            Server* server, const CheckoutLimits& limits) {
  Choice present = choose_present(endpoint, policy, server);
  return present.found == Found::to_be_opened ? open(endpoint, *server, limits)
                                              : std::move(present);
}

// One call connects; other calls to the endpoint wait for it.
Bidirectional::Choice Bidirectional::open(ClientEndpoint& endpoint, Server& server,
                                          const CheckoutLimits& limits) {
  BothDirections& both = endpoint.both_directions();
  const std::lock_guard opening(both.opening);
  {
    const std::lock_guard lock(both.mutex);
    if (both.offered && !both.offered->ending()) return {Found::connection, both.offered};
  }
  const TimePoint start = clock_.now();
  auto opened = engine::connect_and_open(*endpoint.connector(), endpoint.endpoint(),
                                         connect_timeout(limits, start), clock_);
  if (limits.connecting != nullptr) limits.connecting->spend(clock_.now() - start);
  if (!opened) return {Found::error, {}, std::move(opened.error())};
  if (auto connection = adopt(endpoint, server, std::move(*opened)))
    return {Found::connection, std::move(connection)};
  return {Found::error, {}, {IoErrorKind::interrupted, IoOperation::connect, 0, {}}};
}

engine::ConnectionRef Bidirectional::adopt(ClientEndpoint& endpoint, Server& server,
                                           std::unique_ptr<transport::Transport> opened) {
  BothDirections& both = endpoint.both_directions();
  const std::lock_guard lock(both.mutex);
  if (!both.offered || both.offered->ending())
    both.offered = server.adopt(std::move(opened), messages_);
  return both.offered;
}

}  // namespace perigee::orb
