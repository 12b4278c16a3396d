// Looks up the addresses of other hosts and of this host. The functions block: do not call them on
// a reactor's thread.
#pragma once

#include <perigee/base/export.h>
#include <perigee/ipc/inet_addr.h>
#include <perigee/ipc/result.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace perigee::ipc {

/// Errors of the resolver that are not errors of the system (EAI_…).
PERIGEE_API const std::error_category& resolver_category() noexcept;

/// All addresses of `host` in the resolver's order of preference; never empty. `host` is a name, or
/// an address in any form that the system knows, zones included. Blocks without a limit.
/// Errors: of `resolver_category`, or the system's.
PERIGEE_API Result<std::vector<InetAddr>> resolve(std::string_view host, std::uint16_t port);
/// The same for "host:port" and "[v6]:port".
PERIGEE_API Result<std::vector<InetAddr>> resolve(std::string_view host_and_port);

/// Addresses (port 0) of this host's interfaces that are up, loopback included, in the system's
/// order.
PERIGEE_API Result<std::vector<InetAddr>> interface_addresses();
/// The address under which other hosts most likely reach this host. It is the first IPv4 address
/// that is neither loopback nor link-local. If there is none, it is such an IPv6 address, or else
/// loopback. It is never 0.0.0.0 or ::.
PERIGEE_API InetAddr primary_address();

}  // namespace perigee::ipc
