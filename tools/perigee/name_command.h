// `perigee name`: binds, finds and lists names in a naming service.
#pragma once

#include <CLI/CLI.hpp>

namespace perigee::tool {

/// Adds the subcommand with its own subcommands. They print to standard output. On an error they
/// print a line on standard error and throw CLI::RuntimeError with exit status 1.
void add_name_command(CLI::App& program);

}  // namespace perigee::tool
