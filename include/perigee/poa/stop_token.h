// Stop tokens of requests: a servant learns that the client does not want the reply any longer.
// Separate from <perigee/poa/answer.h>, since <stop_token> takes longer to compile than all other
// headers there.
#pragma once

#include <perigee/base/export.h>
#include <perigee/poa/answer.h>

#include <stop_token>

namespace perigee {

namespace stub {
class CallHandle;
}
namespace skeleton {
/// Cancels the call when the stop of the request is requested, or at once if it was requested
/// before. Makes no token. The registration ends when another call is registered, or when the reply
/// is given.
PERIGEE_API void cancel_with(const Answer& answer, stub::CallHandle& call) noexcept;
/// The token of the request, for a task that replies. No copy of it may be used after the reply:
/// the state of the token may then serve another request, unless `share_stop_token` was called.
[[nodiscard]] PERIGEE_API std::stop_token lend_stop_token(const Answer& answer);
/// Allows copies of the token to be used after the reply.
PERIGEE_API void share_stop_token(const Answer& answer) noexcept;
}  // namespace skeleton

/// The token of a deferred reply. The stop is requested when the client cancels the request, when
/// the connection to the client ends, or when the ORB begins to shut down without waiting. It is
/// also requested when the client's time has passed, if the client has sent this time (see
/// <perigee/poa/remaining_time.h>). The stop is never requested after the reply. Any thread. Stop
/// callbacks run on the thread that requests the stop. This thread holds no locks.
[[nodiscard]] PERIGEE_API std::stop_token stop_token_of(const skeleton::Answer& answer);

/// The token of an AMH response handler. Its stop is never requested if the ORB has not made the
/// handler.
template <typename Handler>
[[nodiscard]] std::stop_token stop_token_of(const CORBA::object_reference<Handler>& handler) {
  auto* const state = dynamic_cast<skeleton::HandlerState*>(handler.get());
  return state != nullptr ? stop_token_of(state->_answer()) : std::stop_token();
}

}  // namespace perigee
