// The protocol `uiop`: GIOP over UNIX-domain sockets. Only the default assembly (`runtime`) and
// programs that show the contents of references include this header.
#pragma once

#include <perigee/base/export.h>
#include <perigee/iop/profile_codec.h>
#include <perigee/transport/transport.h>

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::transport {

/// The tag of uiop profiles: "PGE" and 1. It is not registered with the OMG, so other ORBs ignore
/// it.
inline constexpr std::uint32_t tag_perigee_local = 0x50474501;

/// The tag of a component, "PGE" and 2. The component identifies the host and the container of an
/// address, since the same path may exist on other hosts and in other containers. Used in uiop
/// profiles, and beside omniORB's component.
inline constexpr std::uint32_t tag_perigee_place = 0x50474502;

/// The sockets to which clients connect. A reference from an untrusted peer could name any socket
/// that the process may open.
///
/// Without `places`, a client connects only to sockets of Perigee servers. These are socket files
/// that a server has marked with the sticky bit in the permissions, and abstract names that begin
/// with "@perigee-". The sender of a reference can set neither. With `places`, a client connects
/// only to sockets in these places, marked or not.
struct LocalTrust {
  bool everybody = false;                  ///< trusts the servers of all users
  bool own_user = true;                    ///< trusts servers with the process's effective user
  std::vector<std::uint32_t> users = {0};  ///< trusts servers with these users; root by default
  std::vector<std::string> places;         ///< "/folder", "@prefix": the only places of sockets
};
/// Parses text like "own,root,bank,1003,/run/bank,@bank-": `own`, `all`, users by name or number,
/// folders, and beginnings of abstract names. Without users, `own` and root apply. On an error,
/// gives its description.
PERIGEE_API std::expected<LocalTrust, std::string> parse_local_trust(std::string_view text);

/// The factory of scheme "uiop". Addresses: "/path" (a file) or "@name" (an abstract name, which
/// needs no file, and to which all users of the host may connect). With "?user=1000" at the end of
/// the address, a client connects only if this user listens. To listen, the address may be empty:
/// then the protocol chooses a new path in the runtime folder of the user. A path may have other
/// options, "/path?mode=0660&publish=omniorb":
/// - `mode`: the permissions of the file, which say which users may connect; 0600 by default.
/// - `publish=omniorb`: references contain the address in their first IIOP profile, as omniORB's
///   references do, and have no uiop profile for it. So clients with omniORB find it, too. (Not in
///   IIOP 1.0, whose profiles have no room for it.)
PERIGEE_API std::unique_ptr<ProtocolFactory> make_local_protocol(LocalTrust trust = {});

/// The codec of profiles with `tag_perigee_local`. They contain the host's name, and the address in
/// the form that `make_local_protocol` describes.
PERIGEE_API std::unique_ptr<iop::ProfileCodec> make_local_codec();

/// Why a profile's UNIX-domain address does not belong to this host and container, as text: another
/// host, a missing folder. Empty if it belongs here, as far as this process can tell. If the client
/// excludes the address nevertheless, the reason is its LocalTrust.
PERIGEE_API std::string why_not_here(const iop::TaggedProfile& profile, const Endpoint& endpoint);

/// The name of this host, as profiles contain it.
PERIGEE_API std::string local_host_name();

}  // namespace perigee::transport
