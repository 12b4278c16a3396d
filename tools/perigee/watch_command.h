// `perigee watch`: the events of a channel as lines of JSON.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace perigee::tool {

/// Adds the subcommand. `orb_options`: the options for the ORB from the command line. They must
/// live as long as `program`.
void add_watch_command(CLI::App& program, const std::vector<std::string>& orb_options);

}  // namespace perigee::tool
