// `perigee list`: what a running server offers.
#pragma once

#include <CLI/CLI.hpp>

namespace perigee::tool {

/// Adds the subcommand.
void add_list_command(CLI::App& program);

}  // namespace perigee::tool
