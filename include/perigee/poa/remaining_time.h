// How long the client of a request still waits for the reply.
//
// The time is known if the client is a Perigee ORB and sends the time with the request. It does so
// for calls with a RelativeRoundtripTimeoutPolicy, and for calls of a task whose own client has
// such a limit. The time counts from the moment when this server read the request, since clocks
// differ. So the client gives up a little earlier than the time says.
#pragma once

#include <perigee/base/export.h>
#include <perigee/poa/answer.h>

#include <chrono>
#include <optional>

namespace perigee {

/// The time for the upcall of this thread. Empty outside of upcalls, and if the client waits
/// without a limit. Zero if the client's time has passed.
[[nodiscard]] PERIGEE_API std::optional<std::chrono::microseconds> remaining_time() noexcept;

/// The time for a deferred reply. Also empty if the reply was given. Any thread.
[[nodiscard]] PERIGEE_API std::optional<std::chrono::microseconds> remaining_time_of(
    const skeleton::Answer& answer) noexcept;

/// The time for an AMH response handler. Empty if the ORB has not made the handler.
template <typename Handler>
[[nodiscard]] std::optional<std::chrono::microseconds> remaining_time_of(
    const CORBA::object_reference<Handler>& handler) noexcept {
  auto* const state = dynamic_cast<skeleton::HandlerState*>(handler.get());
  return state != nullptr ? remaining_time_of(state->_answer()) : std::nullopt;
}

}  // namespace perigee
