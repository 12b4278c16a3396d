// Listening and accepting.
#include "transport/local/local_acceptor.h"

#include "transport/local/local_address.h"
#include "transport/stream/accepting.h"
#include "transport/stream/errors.h"
#include "transport/stream/stream_transport.h"

#include <string>

namespace perigee::transport {
namespace {

// "uiop:///tmp/server?pid=42": clients have no address of their own.
std::string peer_text(const Endpoint& listening, const ipc::PeerCredentials& peer) {
  return to_string(listening) + "?pid=" + std::to_string(peer.process);
}

}  // namespace

std::expected<std::unique_ptr<Acceptor>, IoError> LocalAcceptor::listen(const Endpoint& endpoint,
                                                                        StreamQueues queues) {
  const auto address = parse_local_listen_address(endpoint);
  if (!address) return std::unexpected(address.error());
  const Endpoint listening{endpoint.scheme, address->address};
  if (address->place.kind() == ipc::UnixAddr::Kind::abstract) {
    auto acceptor = ipc::lsock::Acceptor::open(address->place);
    if (!acceptor) return failure(IoOperation::listen, acceptor.error(), endpoint);
    return std::make_unique<LocalAcceptor>(std::move(*acceptor), queues, listening, address->place,
                                           std::nullopt);
  }
  auto file = listen_at_file(address->place, address->mode);
  if (!file) return failure(IoOperation::listen, file.error(), endpoint);
  return std::make_unique<LocalAcceptor>(std::move(file->acceptor), queues, listening,
                                         address->place, file->file);
}

// While the socket still listens nobody can take its file for a stale one and put another there.
LocalAcceptor::~LocalAcceptor() {
  if (file_) remove_file(place_, *file_);
}

std::expected<std::unique_ptr<Transport>, IoError> LocalAcceptor::accept(Wait wait) {
  return accept_transport(acceptor_, interrupted_, listening_, wait,
                          [this](ipc::lsock::Stream stream) -> std::unique_ptr<Transport> {
                            const auto peer = stream.peer_credentials();
                            if (!peer || !set_queues(stream, queues_)) return nullptr;
                            return std::make_unique<StreamTransport<ipc::lsock::Stream>>(
                                std::move(stream), peer_text(listening_, *peer));
                          });
}

void LocalAcceptor::interrupt() noexcept {
  interrupted_.store(true, std::memory_order_release);
  acceptor_.interrupt();
}

}  // namespace perigee::transport
