// `perigee ior try`: whether an object can be reached, and if not, why.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace perigee::tool {

/// Adds the subcommand. `orb_options` are for its ORB, and must live as long as the subcommand. The
/// exit status is 1 if no address leads to the object.
void add_try_command(CLI::App& ior, const std::vector<std::string>& orb_options);

}  // namespace perigee::tool
