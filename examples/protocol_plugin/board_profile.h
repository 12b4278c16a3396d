// The profiles of references to objects that are reached by the protocol `board`.
#pragma once

#include <perigee/iop/profile_codec.h>

#include <cstdint>
#include <memory>

namespace board {

/// Private tags like this one are not registered with the OMG: other ORBs forward them without
/// reading them.
inline constexpr std::uint32_t profile_tag = 0x424f4152;  // "BOAR"

/// The codec of profiles with the tag. Their address is a whole endpoint: "board:///folder/notice".
[[nodiscard]] std::unique_ptr<perigee::iop::ProfileCodec> make_profile_codec();

}  // namespace board
