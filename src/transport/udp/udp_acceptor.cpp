// Binds a socket to the address of the endpoint.
#include "transport/udp/udp_acceptor.h"

#include "transport/inet/listen_address.h"
#include "transport/stream/errors.h"
#include "transport/udp/udp_carrier.h"
#include <perigee/iop/profile_codec.h>

#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace perigee::transport {
namespace {

constexpr std::string_view replies_option = "replies=";

/// The endpoint without `replies=`, and the value of that option.
struct ParsedOptions {
  Endpoint endpoint;
  Replies replies = Replies::no;
};

std::optional<Replies> parse_replies(std::string_view value) {
  if (value == "yes") return Replies::yes;
  if (value == "no") return Replies::no;
  return std::nullopt;
}

std::expected<ParsedOptions, IoError> parse_options(const Endpoint& endpoint) {
  const std::string_view text = endpoint.address;
  const std::size_t question = std::min(text.find('?'), text.size());
  ParsedOptions parsed{{endpoint.scheme, std::string(text.substr(0, question))}};
  char separator = '?';
  for (std::size_t start = question + 1; start <= text.size();) {
    const std::size_t end = std::min(text.find('&', start), text.size());
    const std::string_view option = text.substr(start, end - start);
    start = end + 1;
    if (!option.starts_with(replies_option)) {
      parsed.endpoint.address.append(1, separator).append(option);
      separator = '&';
      continue;
    }
    const auto replies = parse_replies(option.substr(replies_option.size()));
    if (!replies)
      return bad_address(IoOperation::listen, endpoint, "write replies=yes or replies=no");
    parsed.replies = *replies;
  }
  return parsed;
}

ipc::Result<ipc::sock::Dgram> open_at(const ipc::InetAddr& address) {
  if (address.version() == ipc::InetAddr::Version::v4) return ipc::sock::Dgram::open(address);
  // An IPv6 socket accepts IPv4 only if it is bound to all interfaces.
  return ipc::sock::Dgram::open(address, ipc::V6Only{!address.is_any()});
}

ipc::Result<ipc::sock::Dgram> open_at_all_interfaces(std::uint16_t port) {
  auto socket = open_at(ipc::InetAddr::any_v6(port));
  if (socket || socket.error() == std::errc::address_in_use) return socket;
  return open_at(ipc::InetAddr::any(port));  // a host without IPv6
}

ipc::Result<ipc::sock::Dgram> open_first(const std::vector<ipc::InetAddr>& addresses) {
  auto socket = open_at(addresses.front());
  for (std::size_t index = 1; !socket && index < addresses.size(); ++index)
    socket = open_at(addresses[index]);
  return socket;
}

std::unexpected<IoError> no_resources(int code, const Endpoint& endpoint) {
  return std::unexpected(
      IoError{IoErrorKind::limit, IoOperation::listen, code, to_string(endpoint)});
}

std::expected<std::shared_ptr<UdpSocket>, IoError> start_socket(ipc::sock::Dgram socket,
                                                                const ipc::InetAddr& bound,
                                                                const Endpoint& endpoint,
                                                                const UdpSocketOptions& options) {
  event::Signal signal = event::Signal::make();
  if (!signal) return no_resources(EMFILE, endpoint);
  auto made =
      std::make_shared<UdpSocket>(std::move(socket), bound.version(), std::move(signal), options);
  try {
    made->start();
  } catch (const std::system_error& error) {  // no thread
    return no_resources(error.code().value(), endpoint);
  }
  return made;
}

}  // namespace

std::expected<std::unique_ptr<Acceptor>, IoError> UdpAcceptor::listen(const Endpoint& endpoint,
                                                                      std::uint32_t peers_max) {
  const auto options = parse_options(endpoint);
  if (!options) return std::unexpected(options.error());
  const auto address = parse_listen_address(options->endpoint, diop_scheme);
  if (!address) return std::unexpected(address.error());

  ipc::Result<ipc::sock::Dgram> socket;
  if (address->host.empty()) {
    socket = open_at_all_interfaces(address->port);
  } else {
    const auto addresses = resolve_host(endpoint, address->host, address->port);
    if (!addresses) return std::unexpected(addresses.error());
    socket = open_first(*addresses);
  }
  if (!socket) return failure(IoOperation::listen, socket.error(), endpoint);
  const auto bound = socket->local_address();
  if (!bound) return failure(IoOperation::listen, bound.error(), endpoint);

  auto started = start_socket(std::move(*socket), *bound, endpoint, {peers_max, options->replies});
  if (!started) return std::unexpected(started.error());
  return std::make_unique<UdpAcceptor>(
      std::move(*started),
      Endpoint{endpoint.scheme, iop::join_host_port(bound->host(), bound->port())},
      published_endpoints(diop_scheme, *address, *bound));
}

UdpAcceptor::~UdpAcceptor() {
  socket_->stop();
  socket_->join();
}

std::expected<std::unique_ptr<Transport>, IoError> UdpAcceptor::accept(Wait wait) {
  auto taken = socket_->take_new(wait);
  if (taken || !socket_->stopped()) return taken;
  return std::unexpected(
      IoError{IoErrorKind::interrupted, IoOperation::accept, 0, to_string(listening_)});
}

}  // namespace perigee::transport
