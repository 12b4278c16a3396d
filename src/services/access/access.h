// Decides whether a client may do what a service restricts.
#pragma once

#include <perigee/base/peer.h>
#include <perigee/services/access/access_rule.h>

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::services {

/// The ORB's information about the client of a request.
struct Client {
  std::string address;  ///< "iiop://10.0.0.7:40000"; empty for a call within the process
  std::optional<PeerIdentity> identity;
  std::optional<PeerCertificate> certificate;
};

/// Reads "any", "none" (no rule), "local", "user=1000", "subject=CN=teller,O=Bank",
/// "dns=host.example" or "fingerprint=ab12…", and appends the rule. On an error, returns what is
/// wrong and how to write it.
[[nodiscard]] std::expected<void, std::string> add_rule(std::string_view text,
                                                        std::vector<AccessRule>& rules);
/// Whether the address can only belong to this host.
[[nodiscard]] bool is_local(std::string_view address);
/// Whether one of the rules admits the client.
[[nodiscard]] bool is_admitted(const std::vector<AccessRule>& rules, const Client& client);
/// Groups the connections of a client: the user of a local socket, the subject of a verified
/// certificate, or the host. All addresses of this host are one client, and so are those of an IPv6
/// network (/64).
[[nodiscard]] std::string name_of(const Client& client);

}  // namespace perigee::services
