// Listening and accepting.
#include "transport/tcp/tcp_acceptor.h"

#include "transport/tcp/tcp_address.h"
#include "transport/tcp/tcp_transport.h"

#include <cerrno>

namespace perigee::transport {
namespace {

ipc::Result<ipc::sock::Acceptor> open_at(const ipc::InetAddr& address) {
  // An IPv6 socket takes IPv4 only where it was asked to take all.
  if (address.version() == ipc::InetAddr::Version::v6) {
    return ipc::sock::Acceptor::open(address, ipc::ReuseAddress{true},
                                     ipc::V6Only{!address.is_any()});
  }
  return ipc::sock::Acceptor::open(address, ipc::ReuseAddress{true});
}

ipc::Result<ipc::sock::Acceptor> open_at_all_interfaces(std::uint16_t port) {
  auto acceptor = open_at(ipc::InetAddr::any_v6(port));
  if (acceptor || acceptor.error() == std::errc::address_in_use) return acceptor;
  return open_at(ipc::InetAddr::any(port));  // a host without IPv6
}

ipc::Result<ipc::sock::Acceptor> open_first(const std::vector<ipc::InetAddr>& addresses) {
  auto acceptor = open_at(addresses.front());
  for (std::size_t index = 1; !acceptor && index < addresses.size(); ++index) {
    acceptor = open_at(addresses[index]);
  }
  return acceptor;
}

bool is_out_of_resources(int code) noexcept {
  return code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM;
}

std::string published_host(std::string_view host, const ipc::InetAddr& bound) {
  if (!bound.is_any()) return std::string(host);
  const auto primary = ipc::primary_address();
  const bool reachable = bound.version() == ipc::InetAddr::Version::v6 ||
                         primary.version() == ipc::InetAddr::Version::v4;
  return reachable ? primary.host() : ipc::InetAddr::loopback().host();
}

}  // namespace

std::expected<std::unique_ptr<Acceptor>, IoError> TcpAcceptor::listen(const Endpoint& endpoint) {
  const auto parts = split_address(endpoint);
  if (!parts) return std::unexpected(parts.error());
  const auto port = parts->port.value_or(0);

  ipc::Result<ipc::sock::Acceptor> acceptor;
  if (parts->host.empty()) {
    acceptor = open_at_all_interfaces(port);
  } else {
    const auto addresses = resolve_host(endpoint, parts->host, port);
    if (!addresses) return std::unexpected(addresses.error());
    acceptor = open_first(*addresses);
  }
  if (!acceptor) return failure(IoOperation::listen, acceptor.error(), endpoint);
  const auto bound = acceptor->local_address();
  if (!bound) return failure(IoOperation::listen, bound.error(), endpoint);

  Endpoint listening{endpoint.scheme, join_address(bound->host(), bound->port())};
  Endpoint published{endpoint.scheme,
                     join_address(published_host(parts->host, *bound), bound->port())};
  return std::make_unique<TcpAcceptor>(std::move(*acceptor), std::move(listening),
                                       std::move(published));
}

std::expected<std::unique_ptr<Transport>, IoError> TcpAcceptor::accept(Wait wait) {
  for (;;) {
    auto stream = acceptor_.accept(wait == Wait::yes ? ipc::forever : ipc::no_wait);
    if (interrupted_.load(std::memory_order_acquire)) {
      return std::unexpected(
          IoError{IoErrorKind::interrupted, IoOperation::accept, 0, to_string(listening_)});
    }
    if (stream) {
      const auto peer = stream->peer_address();
      // A peer that has gone already has no address; one that cannot be set up has gone too.
      if (!peer || !stream->set(ipc::NoDelay{true})) continue;
      return std::make_unique<TcpTransport>(std::move(*stream), peer_text(*peer));
    }
    const int code = stream.error().value();
    if (wait == Wait::no && code == EAGAIN) return nullptr;
    const auto kind = is_out_of_resources(code) ? IoErrorKind::limit : IoErrorKind::system;
    return std::unexpected(IoError{kind, IoOperation::accept, code, to_string(listening_)});
  }
}

void TcpAcceptor::interrupt() noexcept {
  interrupted_.store(true, std::memory_order_release);
  acceptor_.interrupt();
}

}  // namespace perigee::transport
