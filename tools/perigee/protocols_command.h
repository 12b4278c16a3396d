// `perigee protocols`: shows and changes the protocols of a running server.
#pragma once

#include <CLI/CLI.hpp>

namespace perigee::tool {

/// Adds the subcommand and its own. They print to standard output; throw CLI::RuntimeError, with
/// exit status 1, after a line on standard error that says what is wrong.
void add_protocols_command(CLI::App& program);

}  // namespace perigee::tool
