// Time probes: places on the way of a call where a build of its own (`PERIGEE_PROBES`, for
// `perigee bench whitebox`) notes the time. In every other build nothing is left of them.
#pragma once

#ifdef PERIGEE_PROBES
#include <perigee/base/export.h>
#endif

#include <cstdint>

namespace perigee::probe {

/// Each ends a step, which began with the stamp before it on the same thread.
enum class Point : std::uint8_t {
  // The client's way down, and back.
  call_begins,
  initialised,       ///< the call's state machine is made, and its policies are known
  connection_found,  ///< of the reference's target
  request_begun,     ///< the request header is written
  arguments_encoded,
  request_finished,  ///< it may be sent
  reply_parsed,      ///< its header
  results_decoded,
  call_ended,
  // The server's.
  request_parsed,  ///< its header
  admitted,        ///< limits and order are kept to
  key_parsed,
  object_found,
  upcall_prepared,  ///< the adapter lets it pass
  upcall_begins,    ///< noted by the servant
  upcall_ended,     ///< by the servant, too
  reply_begun,      ///< its header is written
  results_encoded,
  reply_finished,  ///< it may be sent
  // The transport's, on both sides.
  send_begins,  ///< the system is called
  sent,
  receive_begins,
  received,
};

#ifdef PERIGEE_PROBES
inline namespace on {
PERIGEE_API void stamp(Point point) noexcept;
}
#else
inline namespace off {
[[gnu::always_inline]] inline constexpr void stamp(Point /*point*/) noexcept {}
}  // namespace off
#endif

}  // namespace perigee::probe
