// The trust rule: a peer that names the address of another host would get the calls that are meant
// for that host.
#include "orb/bidirectional/listen_point_trust.h"

#include <perigee/iop/profile_codec.h>

#include <string>

namespace perigee::orb {
namespace {

constexpr std::string_view scheme = "iiop";
constexpr std::string_view prefix = "iiop://";

// "iiop://127.0.0.1:40000" and "iiop://[::1]:40000" → the address. Empty: not an address of TCP.
std::string_view address_of(std::string_view peer) noexcept {
  if (!peer.starts_with(prefix)) return {};
  peer.remove_prefix(prefix.size());
  const std::size_t colon = peer.rfind(':');
  if (colon == std::string_view::npos) return {};
  std::string_view address = peer.substr(0, colon);
  const bool bracketed = address.starts_with('[') && address.ends_with(']');
  return bracketed ? address.substr(1, address.size() - 2) : address;
}

}  // namespace

// The system writes each address in one form only, so equal addresses are equal texts. Another form
// of the same address is not believed.
std::optional<transport::Endpoint> believed_endpoint(std::string_view peer,
                                                     const iop::ListenPoint& point) {
  const std::string_view address = address_of(peer);
  if (address.empty() || point.host != address || point.port == 0) return std::nullopt;
  return transport::Endpoint{std::string(scheme), iop::join_host_port(point.host, point.port)};
}

}  // namespace perigee::orb
