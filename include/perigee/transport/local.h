// The protocol `uiop`: GIOP over UNIX-domain sockets. Only the default assembly (`runtime`) and
// programs that show references include this.
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

/// The tag of uiop profiles: "PGE" and 1. Not registered with the OMG: nobody else reads them.
inline constexpr std::uint32_t tag_perigee_local = 0x50474501;

/// The tag of a component, "PGE" and 2, that tells the place of such an address from the same path
/// on another host or in another container. In uiop profiles, and beside omniORB's component.
inline constexpr std::uint32_t tag_perigee_place = 0x50474502;

/// Where clients connect to: references come from strangers, and could lead to any socket that the
/// process may open.
///
/// Without places, a client connects only where a server of Perigee listens: to socket files that
/// such a server has marked, with the sticky bit in the permissions of the file, and to abstract
/// names that begin with "@perigee-". The sender of a reference can set neither.
struct LocalTrust {
  bool everybody = false;
  bool own_user = true;                    ///< who has the process's effective user listens there
  std::vector<std::uint32_t> users = {0};  ///< or one of these does; root without more words
  std::vector<std::string> places;         ///< "/folder", "@prefix"; marked or not
};
/// From text like "own,root,bank,1003,/run/bank,@bank-": `own`, `all`, users by name or number,
/// folders and beginnings of abstract names. Where no user is named it is own and root. Otherwise
/// what is wrong, in words.
PERIGEE_API std::expected<LocalTrust, std::string> parse_local_trust(std::string_view text);

/// The factory of scheme "uiop". Addresses: "/path" (a file), "@name" (an abstract name, which
/// needs no file and which everybody on the host may connect to), either with "?user=1000" behind
/// it: a client then connects only if this user listens. To listen, a path may have other options
/// behind it, "/path?mode=0660&publish=omniorb":
/// - `mode`: who may connect, as permissions of the file; without it 0600.
/// - `publish=omniorb`: references say it in their first IIOP profile as omniORB does, in place of
/// a
///   profile of the protocol's own, so that clients with omniORB find the way, too. (Not in IIOP
///   1.0, whose profiles have no room for it.)
PERIGEE_API std::unique_ptr<ProtocolFactory> make_local_protocol(LocalTrust trust = {});

/// Of the profiles with `tag_perigee_local`: the host's name, and the address as above.
PERIGEE_API std::unique_ptr<iop::ProfileCodec> make_local_codec();

/// Why the UNIX-domain address that a profile has is none of this process's, in words for people:
/// another host, a folder that is not there. Empty if it is one, as far as can be seen from here:
/// then it is the client's trust that leaves it out.
PERIGEE_API std::string why_not_here(const iop::TaggedProfile& profile, const Endpoint& endpoint);

/// The name that profiles give this host.
PERIGEE_API std::string local_host_name();

}  // namespace perigee::transport
