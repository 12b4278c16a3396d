// Bidirectional GIOP of one ORB: decides which calls use a connection that carries requests in both
// directions, and chooses this connection.
#pragma once

#include "engine/client/opening.h"
#include "engine/connection/connection.h"
#include "engine/connection/connection_ref.h"
#include "orb/bidirectional/listen_point_table.h"
#include "orb/context/settings.h"
#include <perigee/base/clock.h>
#include <perigee/base/export.h>
#include <perigee/base/io_error.h>
#include <perigee/iop/ior.h>
#include <perigee/messaging/message.h>
#include <perigee/messaging/protocol.h>
#include <perigee/transport/transport.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace perigee::orb {

class ClientEndpoint;
class ClientPolicies;
class OrbMetrics;
class Server;
struct CheckoutLimits;

/// Accepts the listen points of clients, and chooses the connections of calls. Any thread.
class Bidirectional final {
 public:
  /// All arguments must outlive the object. `messages`: the GIOP protocol. Connections with other
  /// message protocols are never bidirectional.
  Bidirectional(const Settings& settings, const Clock& clock, const ClientPolicies& policies,
                OrbMetrics& metrics, const messaging::MessagingProtocol& messages) noexcept
      : settings_(settings),
        clock_(clock),
        policies_(policies),
        metrics_(metrics),
        messages_(messages),
        peers_(settings.listen_points_max) {}

  /// Whether the ORB accepts listen points of clients. The BidirectionalPolicy of the ORB overrides
  /// -ORBAcceptBidirectional.
  [[nodiscard]] bool accepts() const noexcept;
  /// Whether a call may use a bidirectional connection. `policy`: the call's BidirectionalPolicy,
  /// true for BOTH; empty if no level has the policy.
  [[nodiscard]] bool concerns(std::optional<bool> policy) const noexcept {
    return policy.value_or(settings_.offer_bidirectional || settings_.accept_bidirectional);
  }
  enum class Found : std::uint8_t {
    usual,           ///< the call uses connections for one direction
    connection,      ///< the call goes over this connection
    peer_gone,       ///< the connection that the peer offered has ended: the call fails
    callbacks_lost,  ///< the offered connection has ended after callbacks: the call fails
    error,           ///< connecting has failed
    to_be_opened,    ///< only from `choose_present`: the caller must connect, and call `adopt`
  };
  struct Choice {
    Found found = Found::usual;
    engine::ConnectionRef connection = {};
    IoError error = {};
  };
  /// The connection for a call to an endpoint. `server`: the server of the same ORB, or null. May
  /// connect. May throw bad_alloc.
  [[nodiscard]] Choice choose(ClientEndpoint& endpoint, std::optional<bool> policy, Server* server,
                              const CheckoutLimits& limits);
  /// The same without connecting.
  [[nodiscard]] Choice choose_present(ClientEndpoint& endpoint, std::optional<bool> policy,
                                      Server* server);
  /// Offers `opened` to the peer at the endpoint, unless another call has offered a connection
  /// meanwhile. Returns the offered connection, or null if the server does not accept `opened`,
  /// for example because it is shutting down.
  [[nodiscard]] engine::ConnectionRef adopt(ClientEndpoint& endpoint, Server& server,
                                            std::unique_ptr<transport::Transport> opened);
  /// Called after a call has failed because its connection has ended. True: the connection was
  /// offered to the peer at the endpoint, and carried callbacks. Then the call must not be repeated
  /// over another connection.
  [[nodiscard]] bool lose_callbacks(ClientEndpoint& endpoint,
                                    const engine::Connection& connection) noexcept;
  /// Takes the listen points from the contexts of a request that has arrived over the connection.
  PERIGEE_INTERNAL_API void hear(engine::Connection& connection, messaging::Version version,
                                 std::span<const iop::ServiceContext> contexts) noexcept;
  /// Removes the listen points of a connection that has ended.
  void forget(engine::Connection& connection) noexcept { peers_.forget(connection); }
  /// The connection of the client that listens at the endpoint; null: there is none.
  [[nodiscard]] engine::ConnectionRef find(const transport::Endpoint& endpoint) noexcept {
    return engine::ConnectionRef::adopt(peers_.find(endpoint));
  }

 private:
  [[nodiscard]] Choice open(ClientEndpoint& endpoint, Server& server, const CheckoutLimits& limits);
  [[nodiscard]] engine::MadeTransport connect(ClientEndpoint& endpoint,
                                              const CheckoutLimits& limits);
  void take_listen_points(engine::Connection& connection, OctetSpan data);
  void refuse(std::size_t count) noexcept;

  const Settings& settings_;
  const Clock& clock_;
  const ClientPolicies& policies_;
  OrbMetrics& metrics_;
  const messaging::MessagingProtocol& messages_;
  ListenPointTable<engine::Connection> peers_;
};

}  // namespace perigee::orb
