// The names and addresses of this host, and the way to a peer.
#pragma once

#include "doctor/finding.h"
#include <perigee/ipc/inet_addr.h>

#include <chrono>
#include <expected>
#include <string>
#include <vector>

namespace perigee::tool {

/// `addresses`: those of the interfaces that are up.
[[nodiscard]] Finding check_addresses(const std::vector<ipc::InetAddr>& addresses,
                                      const ipc::InetAddr& published);
/// Whether the name of this host leads to one of its addresses. `resolved` is the result of looking
/// up the name, and `time` the time that this took.
[[nodiscard]] Finding check_host_name(
    const std::string& name, const std::expected<std::vector<ipc::InetAddr>, std::string>& resolved,
    std::chrono::milliseconds time, const std::vector<ipc::InetAddr>& addresses);

/// Makes all checks above for this host.
[[nodiscard]] Findings check_network();
/// Connects to each address of "host:port". Returns a finding for each address.
[[nodiscard]] Findings check_peer(const std::string& peer, std::chrono::milliseconds limit);

}  // namespace perigee::tool
