// A time limit for all calls of a command.
#pragma once

#include <perigee/orb/orb.h>

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdint>

namespace perigee::tool {

/// From now on each call through the ORB, including connecting, may take at most this time; 0: no
/// limit.
void limit_calls(CORBA::ORB& orb, double seconds);

[[nodiscard]] std::chrono::milliseconds to_milliseconds(double seconds);

/// Whether an option may have the value 0, for no limit.
enum class NoLimit : std::uint8_t { allowed, refused };

/// Validates options that are time limits in seconds: from a millisecond to a million seconds.
[[nodiscard]] CLI::Validator time_limit(NoLimit zero = NoLimit::allowed);

}  // namespace perigee::tool
