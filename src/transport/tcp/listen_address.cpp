// Taking listen addresses apart.
#include "transport/tcp/listen_address.h"

#include "transport/stream/errors.h"
#include "transport/tcp/tcp_address.h"

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
  if (numeric && numeric->is_any()) return std::nullopt;  // nobody could connect to it
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

}  // namespace

std::expected<ListenAddress, IoError> parse_listen_address(const Endpoint& endpoint) {
  const std::string_view text = endpoint.address;
  const std::size_t question = text.find('?');
  const auto parts = ipc::split_host_port(text.substr(0, question));
  if (endpoint.scheme != iiop_scheme)
    return bad_address(IoOperation::listen, endpoint, "the scheme is iiop");
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

}  // namespace perigee::transport
