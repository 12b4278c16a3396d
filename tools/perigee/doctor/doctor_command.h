// `perigee doctor`: checks this host for settings that make servers and clients slow or
// unreachable.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace perigee::tool {

/// Adds the subcommand. `orb_options` are for the server that it starts as a trial, and must live
/// as long as the subcommand. The exit status is 1 if there is a problem.
void add_doctor_command(CLI::App& program, const std::vector<std::string>& orb_options);

}  // namespace perigee::tool
