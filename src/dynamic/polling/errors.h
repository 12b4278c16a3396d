// The exceptions of pollers and sets.
#pragma once

#include <perigee/orb/exceptions.h>

#include <cstdint>

namespace perigee::polling {

/// Raises OBJECT_NOT_EXIST: the reply of the poller was taken already.
[[noreturn]] void raise_used_up();
/// Raises NO_RESPONSE or TIMEOUT: there is no reply after `timeout` milliseconds.
[[noreturn]] void raise_not_ready(std::uint32_t timeout);
/// Raises BAD_INV_ORDER: the ORB has no request of `send_multiple_requests_deferred`.
[[noreturn]] void raise_no_request();

}  // namespace perigee::polling
