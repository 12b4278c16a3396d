// A time limit for all calls of a command.
#pragma once

#include <perigee/orb/orb.h>

#include <CLI/CLI.hpp>

namespace perigee::tool {

/// From now on each call through the ORB, connecting included, may take so long; 0: any time.
void limit_calls(CORBA::ORB& orb, double seconds);

/// For options that are such limits: a number from `least` to a million.
[[nodiscard]] CLI::Validator seconds_from(double least);

}  // namespace perigee::tool
