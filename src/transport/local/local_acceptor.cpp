// Listening and accepting.
#include "transport/local/local_acceptor.h"

#include "transport/local/local_place.h"
#include "transport/local/local_trust.h"
#include "transport/local/runtime_folder.h"
#include "transport/stream/accepting.h"
#include "transport/stream/errors.h"
#include "transport/stream/stream_transport.h"
#include <perigee/iop/components.h>
#include <perigee/transport/local.h>

#include <string>
#include <utility>

namespace perigee::transport {
namespace {

// "uiop:///tmp/server?pid=42": clients have no address of their own.
std::string peer_text(const Endpoint& listening, const ipc::PeerCredentials& peer) {
  return to_string(listening) + "?pid=" + std::to_string(peer.process);
}

// A user number that stands for many users (UserNumbers::of_others) would not identify the server's
// user.
std::string published_by_user(const LocalAddress& address) {
  const UserNumbers here = user_numbers_here();
  return here.tells_apart(here.own) ? published_address(address, here.own) : address.text;
}

}  // namespace

LocalAcceptor::LocalAcceptor(ipc::lsock::Acceptor acceptor, const LocalListenAddress& address,
                             std::optional<SocketFile> file, StreamQueues queues)
    : acceptor_(std::move(acceptor)),
      queues_(queues),
      file_(std::move(file)),
      listening_{std::string(uiop_scheme), address.address.text},
      published_{std::string(uiop_scheme), published_by_user(address.address)} {
  if (address.for_omniorb)
    iiop_components_ = {iop::encode_omniorb_unix_address({local_host_name(), address.address.text}),
                        encode_place(place_seen_here(published_.address))};
}

std::expected<std::unique_ptr<Acceptor>, IoError> LocalAcceptor::listen(const Endpoint& endpoint,
                                                                        StreamQueues queues) {
  if (endpoint.address.empty()) {
    const auto chosen = choose_socket(endpoint, runtime_folder_here());
    if (!chosen) return std::unexpected(chosen.error());
    return listen(*chosen, queues);
  }
  const auto address = parse_local_listen_address(endpoint);
  if (!address) return std::unexpected(address.error());
  const ipc::UnixAddr& place = address->address.place;
  if (place.kind() == ipc::UnixAddr::Kind::abstract) {
    auto acceptor = ipc::lsock::Acceptor::open(place);
    if (!acceptor) return failure(IoOperation::listen, acceptor.error(), endpoint);
    return std::make_unique<LocalAcceptor>(std::move(*acceptor), *address, std::nullopt, queues);
  }
  auto file = listen_at_file(place, address->mode);
  if (!file) return failure(IoOperation::listen, file.error(), endpoint);
  return std::make_unique<LocalAcceptor>(std::move(file->acceptor), *address, std::move(file->file),
                                         queues);
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

// The file is removed while the socket still listens, so that no other server takes the file for a
// stale one.
void LocalAcceptor::interrupt() noexcept {
  if (!interrupted_.exchange(true, std::memory_order_acq_rel)) file_.reset();
  acceptor_.interrupt();
}

}  // namespace perigee::transport
