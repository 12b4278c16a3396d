// Hearing that nobody wants the answer to a request any more. Apart from <perigee/poa/answer.h>:
// <stop_token> costs more to compile than all the rest.
#pragma once

#include <perigee/base/export.h>
#include <perigee/poa/answer.h>

#include <stop_token>

namespace perigee {

namespace stub {
class CallHandle;
}
namespace skeleton {
/// Cancels the call when the token of the answer would be requested, or if that has been: without
/// a token. Until it is told so of another call, or the request is answered.
PERIGEE_API void cancel_with(const Answer& answer, stub::CallHandle& call) noexcept;
/// The token of the answer for a task that answers: no copy is used after the answer. Its state
/// may then serve another request, unless it was shared.
[[nodiscard]] PERIGEE_API std::stop_token lend_stop_token(const Answer& answer);
PERIGEE_API void share_stop_token(const Answer& answer) noexcept;
}  // namespace skeleton

/// Requested when the client cancels the request, when it waits no longer (as far as it said so:
/// see <perigee/poa/remaining_time.h>), when the connection to it ends, or when the ORB begins to
/// shut down without waiting. Never, if the request is answered. Any thread. What is registered
/// with it is called by the thread that finds out, with no lock held.
[[nodiscard]] PERIGEE_API std::stop_token stop_token_of(const skeleton::Answer& answer);

/// The same of an AMH response handler; never, if it is none of the ORB's.
template <typename Handler>
[[nodiscard]] std::stop_token stop_token_of(const CORBA::object_reference<Handler>& handler) {
  auto* const state = dynamic_cast<skeleton::HandlerState*>(handler.get());
  return state != nullptr ? stop_token_of(state->_answer()) : std::stop_token();
}

}  // namespace perigee
