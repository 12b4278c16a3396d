// The waits of threads inside the ORB.
#pragma once

#include "engine/loops/loop.h"
#include <perigee/base/deadline.h>
#include <perigee/base/export.h>
#include <perigee/base/function_ref.h>

#include <cstdint>

namespace perigee::engine {

enum class WaitEnd : std::uint8_t {
  done,
  timed_out,
  too_deep,  ///< `nested_upcall_depth_max` upcalls of the thread wait already: NO_RESOURCES
  not_here,  ///< the thread serves no loop alone, or its poller refuses `fd`: it may block, after
             ///< `begin_blocking`
};

/// Runs nested turns of a loop that the calling thread alone serves, until `done()` or the
/// deadline. `done` is called before each turn.
[[nodiscard]] PERIGEE_INTERNAL_API WaitEnd wait_in_turns(Loop& loop, std::uint32_t depth_max,
                                                         function_ref<bool()> done,
                                                         Deadline deadline);
/// The same until `fd` is readable, or its peer has closed the connection.
[[nodiscard]] PERIGEE_INTERNAL_API WaitEnd wait_readable_in_turns(Loop& loop,
                                                                  std::uint32_t depth_max, int fd,
                                                                  Deadline deadline);
/// Called by a thread that is going to block outside of upcalls, for example in an observer.
/// Messages that it has held back for the end of its turn leave now.
void end_turns() noexcept;
/// Called by a thread before it runs nested turns itself: these turns may then read its connection.
PERIGEE_INTERNAL_API void begin_nested_turns() noexcept;
/// Whether fewer upcalls and waits of the calling thread are nested than `depth_max` allows.
[[nodiscard]] bool may_nest(std::uint32_t depth_max) noexcept;

/// Called before the calling thread waits in an upcall, so that another thread serves its loop.
/// False: no further thread can serve, or the waits are nested too deep; the caller must not block.
[[nodiscard]] PERIGEE_INTERNAL_API bool begin_blocking(std::uint32_t depth_max) noexcept;
/// Called after the wait, if `begin_blocking` returned true.
PERIGEE_INTERNAL_API void end_blocking() noexcept;

}  // namespace perigee::engine
