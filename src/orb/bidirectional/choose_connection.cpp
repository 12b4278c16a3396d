// Chooses the connection of a call that may use a connection for both directions.
#include "engine/client/opening.h"
#include "orb/bidirectional/bidirectional.h"
#include "orb/bidirectional/listen_point_trust.h"
#include "orb/client/await_change.h"
#include "orb/client/endpoint_table.h"
#include "orb/context/server.h"

#include <mutex>
#include <utility>

namespace perigee::orb {
namespace {

bool carries_callbacks(const engine::Connection& connection) noexcept {
  return connection.agreement().carries_callbacks.load(std::memory_order_relaxed);
}

}  // namespace

// Once calls to a client have used the client's own connection, they use no other connection:
// another program may listen at the client's address by now. An ORB that does not listen by the
// endpoint's scheme has nothing to announce, so it offers no connection. If the offered connection
// carried callbacks and has ended, the peer may have stopped calling back: a new connection must
// not hide that.
Bidirectional::Choice Bidirectional::choose_present(ClientEndpoint& endpoint,
                                                    std::optional<bool> policy, Server* server) {
  if (&endpoint.messaging() != &messages_) return {};
  BothDirections& both = endpoint.both_directions();
  if (policy.value_or(settings_.accept_bidirectional)) {
    if (auto peer = find(endpoint.endpoint()); peer && !peer->ending()) {
      both.called_over_its_own.store(true, std::memory_order_relaxed);
      peer->agreement().carries_callbacks.store(true, std::memory_order_relaxed);
      return {Found::connection, std::move(peer)};
    }
    if (both.called_over_its_own.load(std::memory_order_relaxed)) return {Found::peer_gone};
  }
  if (!policy.value_or(settings_.offer_bidirectional) || server == nullptr) return {};
  const std::string& scheme = endpoint.endpoint().scheme;
  const bool has_rule = has_trust_rule(scheme) && endpoint.connector() != nullptr;
  if (!has_rule || server->listen_points(scheme).empty()) return {};
  engine::ConnectionRef lost;  // dropped without the lock
  const std::lock_guard lock(both.mutex);
  if (both.offered && !both.offered->ending()) return {Found::connection, both.offered};
  lost = std::exchange(both.offered, {});
  return {lost && carries_callbacks(*lost) ? Found::callbacks_lost : Found::to_be_opened};
}

// One failed call tells the application that its callbacks have ended. The next call opens another
// connection.
bool Bidirectional::lose_callbacks(ClientEndpoint& endpoint,
                                   const engine::Connection& connection) noexcept {
  const bool lost = connection.role() == messaging::Role::opener && carries_callbacks(connection);
  if (!lost) return false;
  BothDirections& both = endpoint.both_directions();
  engine::ConnectionRef dropped;  // without the lock
  const std::lock_guard lock(both.mutex);
  if (both.offered.get() == &connection) dropped = std::exchange(both.offered, {});
  return true;
}

Bidirectional::Choice Bidirectional::choose(ClientEndpoint& endpoint, std::optional<bool> policy,
                                            Server* server, const CheckoutLimits& limits) {
  Choice present = choose_present(endpoint, policy, server);
  return present.found == Found::to_be_opened ? open(endpoint, *server, limits)
                                              : std::move(present);
}

namespace {

/// While this object lives, only the calling thread connects to the endpoint for blocking calls.
class Opening {
 public:
  explicit Opening(BothDirections& both) noexcept : both_(both) { both_.is_opening = true; }
  ~Opening() {
    const std::lock_guard lock(both_.mutex);
    both_.is_opening = false;
    both_.opened.notify_all();
  }
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

 private:
  BothDirections& both_;
};

/// Waits while another call connects, until the time of this call is over.
void await_opening(BothDirections& both, std::unique_lock<std::mutex>& lock,
                   const CheckoutLimits& limits, const Clock& clock) {
  if (!both.is_opening) return;
  const ConnectTime time(limits.connecting, clock);
  const Deadline end = connect_end(limits, clock.now());
  while (both.is_opening && await_change(both.opened, lock, end, clock)) {
  }
}

}  // namespace

// One call connects; other calls to the endpoint wait for it.
Bidirectional::Choice Bidirectional::open(ClientEndpoint& endpoint, Server& server,
                                          const CheckoutLimits& limits) {
  BothDirections& both = endpoint.both_directions();
  std::unique_lock lock(both.mutex);
  await_opening(both, lock, limits, clock_);
  if (both.offered && !both.offered->ending()) return {Found::connection, both.offered};
  const bool is_spent = limits.connecting != nullptr && limits.connecting->is_spent();
  if (both.is_opening || is_spent) return {Found::error, {}, endpoint.timed_out()};
  const Opening opening(both);
  lock.unlock();
  auto opened = connect(endpoint, limits);
  if (!opened) return {Found::error, {}, std::move(opened.error())};
  endpoint.log_connected();
  if (auto connection = adopt(endpoint, server, std::move(*opened)))
    return {Found::connection, std::move(connection)};
  return {Found::error, {}, {IoErrorKind::interrupted, IoOperation::connect, 0, {}}};
}

engine::MadeTransport Bidirectional::connect(ClientEndpoint& endpoint,
                                             const CheckoutLimits& limits) {
  const ConnectTime time(limits.connecting, clock_);
  return engine::connect_and_open(*endpoint.connector(), endpoint.endpoint(),
                                  connect_timeout(limits, clock_.now()), clock_);
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
