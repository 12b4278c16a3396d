// Endpoints to profiles, and back.
#include "transport/inet/inet_profile.h"

#include "transport/stream/errors.h"
#include <perigee/iop/components.h>
#include <perigee/iop/corbaloc.h>
#include <perigee/iop/profile_codec.h>
#include <perigee/ipc/resolver.h>

#include <string>

namespace perigee::transport {
namespace {

constexpr std::uint16_t default_port = iop::corbaloc_port_default;

// Port 0 stands for "not over this protocol" (interop fact 48 of docs/interop.md).
void add_endpoint(std::vector<ProfileEndpoint>& endpoints, std::string_view scheme,
                  std::string_view host, std::uint16_t port) {
  if (port == 0 || host.empty()) return;
  endpoints.push_back({{std::string(scheme), iop::join_host_port(host, port)}});
}

}  // namespace

std::expected<HostAndPort, IoError> server_address(const Endpoint& endpoint,
                                                   std::string_view scheme) {
  const auto parts = ipc::split_host_port(endpoint.address);
  if (endpoint.scheme != scheme || !parts) return bad_address(IoOperation::connect, endpoint);
  const std::uint16_t port = parts->port.value_or(default_port);
  if (parts->host.empty() || port == 0) return bad_address(IoOperation::connect, endpoint);
  return HostAndPort{parts->host, port};
}

// Alternate addresses belong in profiles of version 1.2. Some ORBs send them in version 1.1, where
// they mean the same (interop fact 46 of docs/interop.md). A component that does not decode is
// skipped: other addresses may still lead to the object.
std::vector<ProfileEndpoint> inet_endpoints(std::string_view scheme, const iop::ProfileBody& body) {
  std::vector<ProfileEndpoint> endpoints;
  if (const auto parts = ipc::split_host_port(body.address))
    add_endpoint(endpoints, scheme, parts->host, parts->port.value_or(default_port));
  for (const auto& component : body.components) {
    if (component.tag != iop::tag_alternate_iiop_address) continue;
    const auto address = iop::decode_alternate_address(component.data);
    if (address) add_endpoint(endpoints, scheme, address->host, address->port);
  }
  return endpoints;
}

iop::ProfileBody inet_profile_body(const Endpoint& endpoint, const ProfileSource& source) {
  iop::ProfileBody body = to_body(source);
  body.address = endpoint.address;
  for (const Endpoint& alternate : source.alternates)
    if (const auto parts = ipc::split_host_port(alternate.address))
      body.components.push_back(iop::encode_alternate_address(
          {std::string(parts->host), parts->port.value_or(default_port)}));
  return body;
}

}  // namespace perigee::transport
