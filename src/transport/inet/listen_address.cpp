// Parses listen addresses, and chooses the addresses that references publish.
#include "transport/inet/listen_address.h"

#include "transport/stream/errors.h"
#include <perigee/iop/profile_codec.h>
#include <perigee/ipc/interface.h>
#include <perigee/ipc/resolver.h>

#include <algorithm>
#include <optional>

namespace perigee::transport {
namespace {

constexpr std::string_view publish_option = "publish=";
constexpr std::string_view all_addresses = "all";

std::optional<PublishedAddress> parse_published(std::string_view text) {
  const auto parts = ipc::split_host_port(text);
  if (!parts || parts->host.empty()) return std::nullopt;
  PublishedAddress address{std::string(parts->host), parts->port.value_or(0)};
  if (address.host == all_addresses) address.host.clear();
  const auto numeric = ipc::InetAddr::parse_host(address.host, address.port);
  if (numeric && numeric->is_any()) return std::nullopt;  // no client could connect to it
  return address;
}

std::optional<std::vector<PublishedAddress>> parse_options(std::string_view text) {
  if (!text.starts_with(publish_option)) return std::nullopt;
  text.remove_prefix(publish_option.size());
  std::vector<PublishedAddress> addresses;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    auto address = parse_published(text.substr(start, end - start));
    if (!address) return std::nullopt;
    addresses.push_back(std::move(*address));
    start = end + 1;
  }
  return addresses;
}

// The addresses of this host that other hosts may reach through `bound`, IPv4 first.
std::vector<std::string> reachable_hosts(const ipc::InetAddr& bound) {
  std::vector<std::string> hosts;
  const auto addresses = ipc::interface_addresses();
  if (!addresses) return hosts;
  for (const auto version : {ipc::InetAddr::Version::v4, ipc::InetAddr::Version::v6}) {
    if (version == ipc::InetAddr::Version::v6 && bound.version() != version) continue;
    for (const auto& address : *addresses)
      if (address.version() == version && !address.is_loopback() && !address.is_link_local())
        hosts.push_back(address.host());
  }
  return hosts;
}

std::string published_host(std::string_view host, const ipc::InetAddr& bound) {
  if (!bound.is_any()) return std::string(host);
  const auto primary = ipc::primary_address();
  const bool reachable = bound.version() == ipc::InetAddr::Version::v6 ||
                         primary.version() == ipc::InetAddr::Version::v4;
  return reachable ? primary.host() : ipc::InetAddr::loopback().host();
}

}  // namespace

std::expected<ListenAddress, IoError> parse_listen_address(const Endpoint& endpoint,
                                                           std::string_view scheme) {
  const std::string_view text = endpoint.address;
  const std::size_t question = text.find('?');
  const auto parts = ipc::split_host_port(text.substr(0, question));
  if (endpoint.scheme != scheme)
    return bad_address(IoOperation::listen, endpoint, "the scheme is " + std::string(scheme));
  if (!parts)
    return bad_address(
        IoOperation::listen, endpoint,
        "<host>:<port> is needed, the port from 0 to 65535, an IPv6 address in brackets");
  ListenAddress address{std::string(parts->host), parts->port.value_or(0), {}};
  if (question == std::string_view::npos) return address;
  auto publish = parse_options(text.substr(question + 1));
  if (!publish)
    return bad_address(
        IoOperation::listen, endpoint,
        "after ? only publish=<host>[:<port>][,...] or publish=all is known, with hosts "
        "that others can connect to");
  address.publish = std::move(*publish);
  return address;
}

std::vector<Endpoint> published_endpoints(std::string_view scheme, const ListenAddress& address,
                                          const ipc::InetAddr& bound) {
  std::vector<Endpoint> published;
  const auto add = [&](std::string_view host, std::uint16_t port) {
    Endpoint endpoint{std::string(scheme),
                      iop::join_host_port(host, port != 0 ? port : bound.port())};
    if (std::ranges::find(published, endpoint) == published.end())
      published.push_back(std::move(endpoint));
  };
  for (const PublishedAddress& wanted : address.publish) {
    if (!wanted.host.empty())
      add(wanted.host, wanted.port);
    else
      for (const std::string& host : reachable_hosts(bound)) add(host, wanted.port);
  }
  if (published.empty()) add(published_host(address.host, bound), bound.port());
  return published;
}

std::expected<std::vector<ipc::InetAddr>, IoError> resolve_host(const Endpoint& endpoint,
                                                                std::string_view host,
                                                                std::uint16_t port) {
  auto addresses = ipc::resolve(host, port);
  if (addresses) return std::move(*addresses);
  return std::unexpected(IoError{IoErrorKind::bad_address, IoOperation::resolve,
                                 addresses.error().value(), to_string(endpoint)});
}

std::string peer_text(std::string_view scheme, const ipc::InetAddr& address) {
  return std::string(scheme) + "://" + to_string(address.unmapped());
}

}  // namespace perigee::transport
