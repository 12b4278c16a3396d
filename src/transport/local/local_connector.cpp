// Connects, and checks the user of the server: first the user in the address, then the user of the
// process that listens.
#include "transport/local/local_connector.h"

#include "transport/local/local_address.h"
#include "transport/local/local_trust.h"
#include "transport/stream/errors.h"
#include "transport/stream/stream_transport.h"
#include <perigee/ipc/lsock.h>

#include <cerrno>
#include <string>

namespace perigee::transport {
namespace {

std::unexpected<IoError> refuse(const Endpoint& endpoint, const std::string& why) {
  return std::unexpected(IoError{IoErrorKind::system, IoOperation::connect, EACCES,
                                 to_string(endpoint) + " (" + why + ")"});
}

}  // namespace

std::expected<std::unique_ptr<Transport>, IoError> LocalConnector::connect(
    const Endpoint& endpoint, std::chrono::milliseconds timeout) {
  const auto address = parse_local_address(endpoint.address);
  if (endpoint.scheme != uiop_scheme || !address)
    return bad_address(IoOperation::connect, endpoint, address_needed);
  if (!trusts_socket(trust_, address->text))
    return refuse(endpoint, trust_.places.empty()
                                ? "no server of Perigee listens there, and -ORBUiopTrust does not "
                                  "name the place"
                                : "-ORBUiopTrust names other places");
  const UserNumbers here = user_numbers_here();
  if (address->user && !trusts_user(trust_, *address->user, here))
    return refuse(endpoint, "the address names user " + std::to_string(*address->user) +
                                ", but -ORBUiopTrust does not name this user");
  const ipc::TimeLimit limit = timeout.count() > 0 ? ipc::TimeLimit(timeout) : ipc::forever;
  auto stream = ipc::lsock::Connector::connect(address->place, limit);
  if (!stream) return failure(IoOperation::connect, stream.error(), endpoint);
  const auto peer = stream->peer_credentials();
  if (!peer) return failure(IoOperation::connect, peer.error(), endpoint);
  const std::string user = "user " + std::to_string(peer->user) + " listens there, ";
  if (address->user && (*address->user != peer->user || !here.tells_apart(peer->user)))
    return refuse(endpoint, user + "but the address names another user");
  if (!trusts_user(trust_, peer->user, here))
    return refuse(endpoint, user + "but -ORBUiopTrust does not name this user");
  if (const auto status = set_queues(*stream, queues_); !status)
    return failure(IoOperation::connect, status.error(), endpoint);
  return std::make_unique<StreamTransport<ipc::lsock::Stream>>(std::move(*stream),
                                                               to_string(endpoint));
}

}  // namespace perigee::transport
