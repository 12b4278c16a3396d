// The protocol `shmiop`: GIOP through memory that two processes of one host share. Only the default
// assembly (`runtime`) and programs that show the contents of references include this header.
#pragma once

#include <perigee/base/export.h>
#include <perigee/iop/profile_codec.h>
#include <perigee/transport/shared_pool.h>
#include <perigee/transport/transport.h>

#include <cstdint>
#include <memory>

namespace perigee::transport {

/// The tag of shmiop profiles: "PGE" and 3. It is not registered with the OMG, so other ORBs ignore
/// it.
inline constexpr std::uint32_t tag_perigee_shared_memory = 0x50474503;

inline constexpr std::uint32_t shared_memory_connections_max_default = 256;

/// The factory of scheme "shmiop". `local` is the factory of scheme "uiop": addresses, options and
/// trust are those of its UNIX-domain sockets. Client and server meet at such a socket, and the
/// client hands over a file in memory with two rings of octets. The socket stays open: it wakes
/// reactors, and reports the end of a peer.
///
/// The peer is not trusted: it can send wrong octets, like a peer at a socket, and it can end the
/// connection. It cannot do more, whatever it writes into the shared memory.
///
/// `connections_max`: the most connections that servers of this protocol have at a time. Each uses
/// up to 512 KiB of memory. A server refuses more connections at once, so their clients go on with
/// the next address. The number does not limit the connections that clients open.
///
/// `pool`: sequences in its blocks pass to a peer as links, without a copy, if the peer's protocol
/// has a pool, too. The receiver then trusts the sender not to change octets of a link after it was
/// sent, and can read the sender's whole pool. Null: all octets are copied, and no peer needs to be
/// trusted.
PERIGEE_API std::unique_ptr<ProtocolFactory> make_shared_memory_protocol(
    std::unique_ptr<ProtocolFactory> local,
    std::uint32_t connections_max = shared_memory_connections_max_default,
    std::shared_ptr<LazyPool> pool = nullptr);

/// The codec of profiles with `tag_perigee_shared_memory`. They have the form of uiop profiles.
PERIGEE_API std::unique_ptr<iop::ProfileCodec> make_shared_memory_codec();

}  // namespace perigee::transport
