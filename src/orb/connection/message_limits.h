// Texts for messages that exceed a limit: the limit, its option, its value and the size.
#pragma once

#include "engine/connection/exceeded_limit.h"
#include <perigee/base/export.h>
#include <perigee/messaging/protocol.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace perigee::orb {

/// Says what a peer has sent, and which limit that exceeds. Empty if no limit was exceeded.
[[nodiscard]] PERIGEE_INTERNAL_API std::string to_string(const engine::ExceededLimit& exceeded);

/// The text for a message of this side that cannot be sent: the encoder has failed with
/// `too_large`. `what` names the message. Empty if the message has a size that `limits` allows, and
/// is sent in a stream.
[[nodiscard]] PERIGEE_INTERNAL_API std::string too_large_text(std::string_view what,
                                                              std::uint64_t size,
                                                              const messaging::Limits& limits,
                                                              messaging::Shape shape);

}  // namespace perigee::orb
