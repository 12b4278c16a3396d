// Listening and accepting.
#include "transport/tcp/tcp_acceptor.h"

#include "transport/inet/listen_address.h"
#include "transport/stream/accepting.h"
#include "transport/stream/errors.h"
#include "transport/stream/stream_transport.h"
#include "transport/tcp/tcp_address.h"

namespace perigee::transport {
namespace {

using Options = std::vector<ipc::io::OptionValue>;

Options listen_options(const TcpOptions& options) {
  Options values = early_options(options);
  if (options.share_port) {
    const ipc::ReusePort reuse{true};
    values.push_back({reuse.name, reuse.raw()});
  }
  return values;
}

// The options are set before the socket listens, so that they hold for the first connection.
ipc::Result<ipc::sock::Acceptor> open_at(const ipc::InetAddr& address, Options options) {
  const auto add = [&options](auto option) { options.push_back({option.name, option.raw()}); };
  add(ipc::ReuseAddress{true});
  // An IPv6 socket accepts IPv4 only if it is bound to all interfaces.
  if (address.version() == ipc::InetAddr::Version::v6) add(ipc::V6Only{!address.is_any()});
  auto handle = ipc::io::open_stream(address, ipc::io::Blocking::no);
  if (!handle) return std::unexpected(handle.error());
  ipc::Status status;
  for (const auto& option : options)
    if (status) status = ipc::io::set_option(handle->get(), option.name, option.raw);
  if (status) status = ipc::io::listen(handle->get(), address);
  if (!status) return std::unexpected(status.error());
  return ipc::sock::Acceptor::adopt(handle->release());
}

ipc::Result<ipc::sock::Acceptor> open_at_all_interfaces(std::uint16_t port,
                                                        const Options& options) {
  auto acceptor = open_at(ipc::InetAddr::any_v6(port), options);
  if (acceptor || acceptor.error() == std::errc::address_in_use) return acceptor;
  return open_at(ipc::InetAddr::any(port), options);  // a host without IPv6
}

ipc::Result<ipc::sock::Acceptor> open_first(const std::vector<ipc::InetAddr>& addresses,
                                            const Options& options) {
  auto acceptor = open_at(addresses.front(), options);
  for (std::size_t index = 1; !acceptor && index < addresses.size(); ++index) {
    acceptor = open_at(addresses[index], options);
  }
  return acceptor;
}

}  // namespace

std::expected<std::unique_ptr<Acceptor>, IoError> TcpAcceptor::listen(const Endpoint& endpoint,
                                                                      const TcpOptions& options) {
  const auto address = parse_listen_address(endpoint, iiop_scheme);
  if (!address) return std::unexpected(address.error());

  ipc::Result<ipc::sock::Acceptor> acceptor;
  if (address->host.empty()) {
    acceptor = open_at_all_interfaces(address->port, listen_options(options));
  } else {
    const auto addresses = resolve_host(endpoint, address->host, address->port);
    if (!addresses) return std::unexpected(addresses.error());
    acceptor = open_first(*addresses, listen_options(options));
  }
  if (!acceptor) return failure(IoOperation::listen, acceptor.error(), endpoint);
  const auto bound = acceptor->local_address();
  if (!bound) return failure(IoOperation::listen, bound.error(), endpoint);

  return std::make_unique<TcpAcceptor>(
      std::move(*acceptor), options,
      Endpoint{endpoint.scheme, iop::join_host_port(bound->host(), bound->port())},
      published_endpoints(endpoint.scheme, *address, *bound));
}

std::expected<std::unique_ptr<Transport>, IoError> TcpAcceptor::accept(Wait wait) {
  return accept_transport(acceptor_, interrupted_, listening_, wait,
                          [this](ipc::sock::Stream stream) -> std::unique_ptr<Transport> {
                            const auto peer = stream.peer_address();
                            // A peer without an address has disconnected already, and so has a peer
                            // whose options cannot be set.
                            if (!peer || !set_options(stream, options_)) return nullptr;
                            return std::make_unique<StreamTransport<ipc::sock::Stream>>(
                                std::move(stream), peer_text(iiop_scheme, *peer));
                          });
}

std::expected<std::unique_ptr<Acceptor>, IoError> TcpAcceptor::shard() {
  if (!options_.share_port) return Acceptor::shard();
  const auto address = acceptor_.local_address();
  if (!address) return failure(IoOperation::listen, address.error(), listening_);
  auto acceptor = open_at(*address, listen_options(options_));
  if (!acceptor) return failure(IoOperation::listen, acceptor.error(), listening_);
  return std::make_unique<TcpAcceptor>(std::move(*acceptor), options_, listening_, published_);
}

void TcpAcceptor::interrupt() noexcept {
  interrupted_.store(true, std::memory_order_release);
  acceptor_.interrupt();
}

}  // namespace perigee::transport
