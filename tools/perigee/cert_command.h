// `perigee cert`: certificates for a first try of TLS.
#pragma once

#include <CLI/CLI.hpp>

namespace perigee::tool {

/// Adds the command `cert` to the program.
void add_cert_command(CLI::App& program);

}  // namespace perigee::tool
