// Addresses in references of protocols whose profiles look like IIOP's: a host and a port, and
// further addresses in components.
#pragma once

#include <perigee/base/io_error.h>
#include <perigee/iop/profile_codec.h>
#include <perigee/transport/transport.h>

#include <cstdint>
#include <expected>
#include <string_view>
#include <vector>

namespace perigee::transport {

/// The address at which a server listens; refers to the text of an endpoint.
struct HostAndPort {
  std::string_view host;
  std::uint16_t port;
};

/// The address to which a client connects. An absent port is 2809 (CORBA 3.0, 13.6.10.3). Errors:
/// bad_address: another scheme, no host, port 0.
std::expected<HostAndPort, IoError> server_address(const Endpoint& endpoint,
                                                   std::string_view scheme);

/// The endpoints in a profile: its address, then its alternate addresses.
std::vector<ProfileEndpoint> inet_endpoints(std::string_view scheme, const iop::ProfileBody& body);

/// A profile of the endpoint, with the alternate endpoints in components.
iop::ProfileBody inet_profile_body(const Endpoint& endpoint, const ProfileSource& source);

}  // namespace perigee::transport
