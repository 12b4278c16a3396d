// Decides whether a client may change names.
#pragma once

#include <perigee/base/peer.h>
#include <perigee/services/naming/options.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::naming {

/// The ORB's information about the client of a request.
struct Client {
  std::string address;  ///< "iiop://10.0.0.7:40000"; empty for a call within the process
  std::optional<PeerIdentity> identity;
  std::optional<PeerCertificate> certificate;
};

/// Whether the address can only belong to this host.
[[nodiscard]] bool is_local(std::string_view address);
/// Whether one of the rules admits the client.
[[nodiscard]] bool may_change(const std::vector<AccessRule>& rules, const Client& client);
/// Groups the connections of a client: the user, or the address without its port.
[[nodiscard]] std::string name_of(const Client& client);

}  // namespace perigee::naming
