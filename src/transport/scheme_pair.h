// A scheme that pairs messages with a transport whose own schemes carry other messages: the
// protocol for the registry, and the profiles that name the scheme.
#pragma once

#include <perigee/transport/transport.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace perigee::transport {

/// Profiles of pairs: a profile of the transport in an envelope that names the scheme. The tag is
/// private to this ORB; other ORBs pass such profiles on unread.
inline constexpr std::uint32_t scheme_profile_tag = 0x50475343;  // "PGSC"

/// Finds the codec of the profile inside the envelope; nullptr if there is none.
using CodecFinder = std::function<const iop::ProfileCodec*(std::uint32_t tag)>;

/// The codec of scheme_profile_tag. A decoded body is the body of the inner profile, with one
/// additional component in front: the scheme and the tag of the inner profile.
[[nodiscard]] std::unique_ptr<iop::ProfileCodec> make_scheme_profile_codec(CodecFinder find);

/// A protocol with the single scheme `scheme`, which uses the transports of `transport`.
/// `transport` outlives the protocol and everything that the protocol makes.
[[nodiscard]] std::unique_ptr<ProtocolFactory> make_scheme_pair(std::string scheme,
                                                                ProtocolFactory& transport);

}  // namespace perigee::transport
