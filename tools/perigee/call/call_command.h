// `perigee call`: calls an operation of an object, without generated code.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace perigee::tool {

/// Adds the subcommand. `orb_options` are for its ORB, and must live as long as the subcommand. It
/// prints JSON on standard output. Exit statuses: those of usage.h, and `exit_user_exception`.
void add_call_command(CLI::App& program, const std::vector<std::string>& orb_options);

/// CLI11 splits a word in brackets into several words. So for `perigee call`, this function marks
/// JSON arrays before the words are parsed. The command removes the marks.
void keep_arrays(std::vector<std::string>& words);

}  // namespace perigee::tool
