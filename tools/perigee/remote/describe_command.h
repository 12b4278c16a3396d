// `perigee describe`: prints the IDL of an object's interface.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace perigee::tool {

/// Adds the subcommand. `orb_options` are for its ORB, and must live as long as the subcommand.
void add_describe_command(CLI::App& program, const std::vector<std::string>& orb_options);

}  // namespace perigee::tool
