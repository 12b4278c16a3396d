// A scheme that pairs messages with a transport whose own schemes carry others: the protocol that
// stands for it in the registry, and the profiles that say it.
#pragma once

#include <perigee/transport/transport.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace perigee::transport {

/// Profiles of schemes that are pairs: a profile of the transport's own, in an envelope that names
/// the scheme. Private to this ORB; others pass them on unread.
inline constexpr std::uint32_t scheme_profile_tag = 0x50475343;  // "PGSC"

/// Finds the codec of the profile inside the envelope; nullptr if there is none.
using CodecFinder = std::function<const iop::ProfileCodec*(std::uint32_t tag)>;

/// The codec of scheme_profile_tag. A decoded body is that of the profile inside, with one
/// component more, the first: the scheme.
[[nodiscard]] std::unique_ptr<iop::ProfileCodec> make_scheme_profile_codec(CodecFinder find);

/// A protocol with the one scheme `scheme`, whose transports are those of `transport`. `transport`
/// outlives it, and everything that it makes.
[[nodiscard]] std::unique_ptr<ProtocolFactory> make_scheme_pair(std::string scheme,
                                                                ProtocolFactory& transport);

}  // namespace perigee::transport
