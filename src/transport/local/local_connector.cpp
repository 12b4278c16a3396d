// Connects, and checks the user of the server: first the user in the address, then the user of the
// process that listens.
#include "transport/local/local_connector.h"

#include "transport/local/local_address.h"
#include "transport/local/local_trust.h"
#include "transport/stream/ended_connect.h"
#include "transport/stream/errors.h"
#include "transport/stream/stream_transport.h"
#include <perigee/ipc/lsock.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace perigee::transport {
namespace {

std::unexpected<IoError> refuse(const Endpoint& endpoint, const std::string& why) {
  return std::unexpected(IoError{IoErrorKind::system, IoOperation::connect, EACCES,
                                 to_string(endpoint) + " (" + why + ")"});
}

}  // namespace

std::expected<LocalAddress, IoError> LocalConnector::trusted_address(
    const Endpoint& endpoint) const {
  auto address = parse_local_address(endpoint.address);
  if (endpoint.scheme != uiop_scheme || !address)
    return bad_address(IoOperation::connect, endpoint, address_needed);
  if (!trusts_socket(trust_, address->text))
    return refuse(endpoint, trust_.places.empty()
                                ? "no server of Perigee listens there, and -ORBUiopTrust does not "
                                  "name the place"
                                : "-ORBUiopTrust names other places");
  if (address->user && !trusts_user(trust_, *address->user, user_numbers_here()))
    return refuse(endpoint, "the address names user " + std::to_string(*address->user) +
                                ", but -ORBUiopTrust does not name this user");
  return std::move(*address);
}

std::expected<std::unique_ptr<Transport>, IoError> LocalConnector::transport_of(
    ipc::lsock::Stream stream, const LocalAddress& address, const Endpoint& endpoint) const {
  const auto peer = stream.peer_credentials();
  if (!peer) return failure(IoOperation::connect, peer.error(), endpoint);
  const UserNumbers here = user_numbers_here();
  const std::string user = "user " + std::to_string(peer->user) + " listens there, ";
  if (address.user && (*address.user != peer->user || !here.tells_apart(peer->user)))
    return refuse(endpoint, user + "but the address names another user");
  if (!trusts_user(trust_, peer->user, here))
    return refuse(endpoint, user + "but -ORBUiopTrust does not name this user");
  if (const auto status = set_queues(stream, queues_); !status)
    return failure(IoOperation::connect, status.error(), endpoint);
  return std::make_unique<StreamTransport<ipc::lsock::Stream>>(std::move(stream),
                                                               to_string(endpoint));
}

std::expected<std::unique_ptr<Transport>, IoError> LocalConnector::connect(
    const Endpoint& endpoint, std::chrono::milliseconds timeout) {
  const auto address = trusted_address(endpoint);
  if (!address) return std::unexpected(address.error());
  const ipc::TimeLimit limit = timeout.count() > 0 ? ipc::TimeLimit(timeout) : ipc::forever;
  auto stream = ipc::lsock::Connector::connect(address->place, limit);
  if (!stream) return failure(IoOperation::connect, stream.error(), endpoint);
  return transport_of(std::move(*stream), *address, endpoint);
}

// The system connects at once if the queue has room.
Connector::Begun LocalConnector::look_up(const Endpoint& endpoint) {
  constexpr std::chrono::milliseconds at_once{1};
  const auto address = trusted_address(endpoint);
  if (!address) return std::unexpected(address.error());
  auto stream = ipc::lsock::Connector::connect(address->place, at_once);
  if (!stream && stream.error() == std::errc::timed_out) return nullptr;
  if (!stream) return failure(IoOperation::connect, stream.error(), endpoint);
  auto made = transport_of(std::move(*stream), *address, endpoint);
  if (!made) return std::unexpected(std::move(made.error()));
  return std::make_unique<EndedConnect>(std::move(*made));
}

}  // namespace perigee::transport
