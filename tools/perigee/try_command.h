// `perigee ior try`: whether an object can be reached, and if not, why.
#pragma once

#include <CLI/CLI.hpp>

namespace perigee::tool {

/// Adds the subcommand. It ends with status 1 if no address leads to the object.
void add_try_command(CLI::App& ior);

}  // namespace perigee::tool
