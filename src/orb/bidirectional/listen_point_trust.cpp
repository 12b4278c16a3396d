// The trust rules: a peer that names the address of another host would get the calls that are meant
// for that host.
#include "orb/bidirectional/listen_point_trust.h"

#include <perigee/iop/profile_codec.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::orb {
namespace {

constexpr std::string_view scheme_end = "://";

// "iiop://127.0.0.1:40000" → "iiop"; empty: no scheme.
std::string_view scheme_of(std::string_view peer) noexcept {
  const std::size_t end = peer.find(scheme_end);
  return end == std::string_view::npos ? std::string_view() : peer.substr(0, end);
}

// "iiop://127.0.0.1:40000" and "iiop://[::1]:40000" → the address; empty: no address. `peer` must
// have a scheme.
std::string_view address_of(std::string_view peer) noexcept {
  peer.remove_prefix(scheme_of(peer).size() + scheme_end.size());
  const std::size_t colon = peer.rfind(':');
  if (colon == std::string_view::npos) return {};
  const std::string_view address = peer.substr(0, colon);
  const bool bracketed = address.starts_with('[') && address.ends_with(']');
  return bracketed ? address.substr(1, address.size() - 2) : address;
}

// The system writes each address in one form only, so equal addresses are equal texts. Another form
// of the same address is not believed.
bool is_own_address(const transport::Transport& connection, const iop::ListenPoint& point) {
  const std::string_view address = address_of(connection.peer());
  return !address.empty() && point.host == address;
}

// A wildcard stands for names of other hosts, too, so it vouches for no host.
bool is_certified(const transport::Transport& connection, const iop::ListenPoint& point) {
  if (is_own_address(connection, point)) return true;
  const PeerCertificate* const certificate = connection.peer_certificate();
  if (certificate == nullptr || !certificate->is_verified) return false;
  const auto has = [&point](const std::vector<std::string>& names) {
    return std::ranges::any_of(names,
                               [&point](const std::string& name) { return name == point.host; });
  };
  const bool is_wildcard = point.host.find('*') != std::string::npos;
  return !is_wildcard && (has(certificate->dns_names) || has(certificate->ip_addresses));
}

/// Whether the peer of a connection over this transport may speak for the host of a listen point.
struct TrustRule {
  std::string_view scheme;  // of the connection, and of the endpoint
  bool (*may_speak_for)(const transport::Transport& connection, const iop::ListenPoint& point);
};

constexpr TrustRule trust_rules[] = {{"iiop", &is_own_address}, {"ssliop", &is_certified}};

const TrustRule* find_rule(std::string_view scheme) noexcept {
  const auto* const rule = std::ranges::find(trust_rules, scheme, &TrustRule::scheme);
  return rule == std::ranges::end(trust_rules) ? nullptr : rule;
}

}  // namespace

bool has_trust_rule(std::string_view scheme) noexcept { return find_rule(scheme) != nullptr; }

std::optional<transport::Endpoint> believed_endpoint(const transport::Transport& connection,
                                                     const iop::ListenPoint& point) {
  const TrustRule* const rule = find_rule(scheme_of(connection.peer()));
  const bool believed =
      rule != nullptr && point.port != 0 && rule->may_speak_for(connection, point);
  if (!believed) return std::nullopt;
  return transport::Endpoint{std::string(rule->scheme),
                             iop::join_host_port(point.host, point.port)};
}

}  // namespace perigee::orb
