// How long the caller of a request still waits for the answer.
//
// Known if the caller has a RelativeRoundtripTimeoutPolicy, or waits in a task whose own caller has
// one, and is an ORB of this kind: it says with the request how much is left of its time. Counted
// from when the request was read here, since clocks differ; so the caller gives up a little
// earlier.
#pragma once

#include <perigee/base/export.h>
#include <perigee/poa/answer.h>

#include <chrono>
#include <optional>

namespace perigee {

/// Of the request that this thread is in the upcall of. Nothing outside of upcalls, and if the
/// caller waits as long as it takes; zero if it waits no longer.
[[nodiscard]] PERIGEE_API std::optional<std::chrono::microseconds> remaining_time() noexcept;

/// Of a request that is answered later. Nothing, too, if it is answered. Any thread.
[[nodiscard]] PERIGEE_API std::optional<std::chrono::microseconds> remaining_time_of(
    const skeleton::Answer& answer) noexcept;

/// The same of an AMH response handler; nothing, if it is none of the ORB's.
template <typename Handler>
[[nodiscard]] std::optional<std::chrono::microseconds> remaining_time_of(
    const CORBA::object_reference<Handler>& handler) noexcept {
  auto* const state = dynamic_cast<skeleton::HandlerState*>(handler.get());
  return state != nullptr ? remaining_time_of(state->_answer()) : std::nullopt;
}

}  // namespace perigee
