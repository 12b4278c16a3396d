// From stamps to the steps of a call. Pure functions.
#pragma once

#include <perigee/base/probe.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace perigee::bench {

struct Stamp {
  std::uint64_t ticks = 0;
  probe::Point point = probe::Point::call_begins;
};

/// What the step that ends at a point takes of one call.
using Steps = std::map<probe::Point, double>;

/// Of the last `calls` calls, in ticks, what the stamps of one thread say: the mean of the middle
/// half of the samples, since a median could not be finer than the clock's ticks. A call ends at
/// `last`, and begins behind the one before. A step that comes several times in a call counts with
/// all its times. Empty if there are fewer calls.
Steps middle_steps(std::span<const Stamp> stamps, probe::Point last, std::size_t calls);

/// Steps as one line of text, and back. Throws std::runtime_error if the text is none.
std::string to_line(const Steps& steps);
Steps parse_steps(const std::string& line);

}  // namespace perigee::bench
