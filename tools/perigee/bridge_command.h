// `perigee bridge`: passes requests from one protocol to another, until a signal ends it.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace perigee::tool {

/// Adds the subcommand. `orb_options` must live as long as the command: they configure the
/// protocols. Throws UsageError for a mistake, also in the configuration file, and
/// CLI::RuntimeError with exit status 1 if the bridge cannot be started.
void add_bridge_command(CLI::App& program, const std::vector<std::string>& orb_options);

}  // namespace perigee::tool
