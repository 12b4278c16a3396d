// Tells whether a server with these options can start here, and be reached from this host.
#pragma once

#include "doctor/finding.h"

#include <chrono>
#include <string>
#include <vector>

namespace perigee::tool {

/// Starts a server in this process with the options of an ORB, and connects to each of its
/// addresses. Options of plug-ins and of TLS are checked, too. Returns a finding for each
/// address, and one for the build of plug-ins.
[[nodiscard]] Findings check_server(const std::vector<std::string>& orb_options,
                                    std::chrono::milliseconds limit);

}  // namespace perigee::tool
