// The protocol `uiop`: GIOP over UNIX-domain sockets. Only the default assembly (`runtime`) and
// programs that show references include this.
#pragma once

#include <perigee/base/export.h>
#include <perigee/iop/profile_codec.h>
#include <perigee/transport/transport.h>

#include <cstdint>
#include <memory>
#include <string>

namespace perigee::transport {

/// The tag of uiop profiles: "PGE" and 1. Not registered with the OMG: nobody else reads them.
inline constexpr std::uint32_t tag_perigee_local = 0x50474501;

/// The factory of scheme "uiop". Addresses: "/path" (a file), "@name" (an abstract name, which
/// needs no file and which everybody on the host may connect to). To listen, a path may have
/// options behind it, "/path?mode=0660&publish=omniorb":
/// - `mode`: who may connect, as permissions of the file; without it 0600.
/// - `publish=omniorb`: references have an IIOP profile like omniORB's own for such sockets, in
///   place of the protocol's own, so that clients with omniORB find the way, too. (Not in IIOP 1.0,
///   whose profiles have no room for it.)
PERIGEE_API std::unique_ptr<ProtocolFactory> make_local_protocol();

/// Of the profiles with `tag_perigee_local`: the host's name, and the address as above.
PERIGEE_API std::unique_ptr<iop::ProfileCodec> make_local_codec();

/// The name that profiles give this host.
PERIGEE_API std::string local_host_name();

}  // namespace perigee::transport
