// From stamps to the steps of a call. Pure functions.
#pragma once

#include <perigee/base/probe.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace perigee::bench {

struct Stamp {
  std::uint64_t ticks = 0;
  probe::Point point = probe::Point::call_begins;
};

/// How long a tick is, and what noting a stamp takes.
struct StampClock {
  double ns_per_tick = 1;
  double stamp_ns = 0;
};

/// What the step that ends at a point takes of one call, in nanoseconds.
using Steps = std::map<probe::Point, double>;

/// One side of a call.
struct SideCall {
  Steps steps;           ///< without what noting the stamps took
  double stamps_ns = 0;  ///< which is this
};

/// The last `calls` calls that the stamps of one thread tell of. A call ends at `last`, and begins
/// behind the one before. A step that comes several times in a call counts with all its times.
/// Empty if there are fewer calls.
std::vector<SideCall> last_calls(std::span<const Stamp> stamps, probe::Point last,
                                 std::size_t calls, const StampClock& clock);

/// Calls as lines of text, and back. Throws std::runtime_error if the text is none.
std::string to_text(const std::vector<SideCall>& calls);
std::vector<SideCall> parse_calls(const std::string& text);

/// Both sides of a call. The client's steps from its beginning to its end make up the round trip.
struct CallSteps {
  Steps client;
  Steps server;
};

/// The two sides of the same calls, in order: of both on one CPU, so that the client waits for the
/// server's stamps, too, which are taken off its waiting. Throws std::runtime_error if one side has
/// more calls.
std::vector<CallSteps> join(const std::vector<SideCall>& client,
                            const std::vector<SideCall>& server);

/// From the call of the stub to its end.
double round_trip(const Steps& client);

/// Means over the calls whose round trips are the middle half of all: a median could not be finer
/// than the clock's ticks, and means of the same calls add up. Of a step that a call did not have:
/// it took it no time.
CallSteps middle_means(std::vector<CallSteps> calls);

}  // namespace perigee::bench
