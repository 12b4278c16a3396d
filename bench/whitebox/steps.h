// Turns stamps into the steps of a call. Pure functions.
#pragma once

#include <perigee/base/probe.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace perigee::bench {

using probe::Stamp;
using probe::StampClock;

/// The time of the step that ends at each point, for one call, in nanoseconds.
using Steps = std::map<probe::Point, double>;

/// One side of a call.
struct SideCall {
  Steps steps;           ///< without the cost of the stamps
  double stamps_ns = 0;  ///< the cost of the stamps
};

/// The last `calls` calls in the stamps of a process that makes or serves one call at a time. A
/// call ends at `last`, and begins after the previous call. If a step occurs several times in a
/// call, its times are added. Empty if there are fewer calls.
std::vector<SideCall> last_calls(std::span<const Stamp> stamps, probe::Point last,
                                 std::size_t calls, const StampClock& clock);

/// The stamps of all threads of a process in the order of time. A call may move from thread to
/// thread; a step then includes the hand-over.
std::vector<Stamp> merged(const std::vector<std::vector<Stamp>>& threads);

/// Converts calls to lines of text, and back. Throws std::runtime_error if the text is invalid.
std::string to_text(const std::vector<SideCall>& calls);
std::vector<SideCall> parse_calls(const std::string& text);

/// Both sides of a call. The client's steps between start and end of the call are the round trip.
struct CallSteps {
  Steps client;
  Steps server;
};

/// Joins the two sides of the same calls, in order. Both sides must run on one CPU. Then the client
/// also waits for the server's stamps, and their cost is subtracted from its waiting time. Throws
/// std::runtime_error if one side has more calls.
std::vector<CallSteps> join(const std::vector<SideCall>& client,
                            const std::vector<SideCall>& server);

/// The time from the call of the stub to its return.
double round_trip(const Steps& client);

/// The median of each step. Use it for counts, which are equal in most calls. A step that is
/// missing in a call counts as zero.
CallSteps medians(const std::vector<CallSteps>& calls);
/// Means over the calls whose round trips are in the middle half. A median could not be more
/// precise than the clock's ticks, and means of the same calls add up. A step that is missing in a
/// call counts as zero.
CallSteps middle_means(std::vector<CallSteps> calls);

}  // namespace perigee::bench
