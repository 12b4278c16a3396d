// Time probes: points on the way of a call at which a build with `PERIGEE_PROBES` notes the time,
// for `perigee bench whitebox`. Other builds contain no code for them.
#pragma once

#ifdef PERIGEE_PROBES
#include <perigee/base/export.h>
#endif

#include <cstdint>

namespace perigee::probe {

/// Each point ends a step. The step began with the previous stamp of the same thread.
enum class Point : std::uint8_t {
  // The client: sending the request, and taking the reply.
  call_begins,
  initialised,       ///< the call's state machine is made, and its policies are known
  connection_found,  ///< a connection to the target of the reference
  request_begun,     ///< the request header is written
  arguments_encoded,
  request_finished,  ///< the request may be sent
  reply_parsed,      ///< the reply header
  results_decoded,
  call_ended,
  // The server.
  request_parsed,  ///< the request header
  admitted,        ///< limits and order were checked
  key_parsed,
  object_found,
  upcall_prepared,  ///< the adapter lets the request pass
  upcall_begins,    ///< the servant's own code calls `stamp`
  upcall_ended,     ///< the servant's own code calls `stamp`
  reply_begun,      ///< the reply header is written
  results_encoded,
  reply_finished,  ///< the reply may be sent
  // The transport, on both sides.
  send_begins,  ///< before the system call
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
