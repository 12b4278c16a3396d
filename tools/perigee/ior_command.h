// `perigee ior`: prints what an object reference says. Contacts nobody.
#pragma once

#include <CLI/CLI.hpp>

#include <expected>
#include <string>

namespace perigee::tool {

/// The description of `reference`: `IOR:…`, `corbaloc:…`, or the path of a file that holds one (as
/// is, or as `file:` URL; `-` is standard input). The error is text for people.
std::expected<std::string, std::string> describe_reference(const std::string& reference);

/// Adds the subcommand, which prints to standard output. Throws CLI::RuntimeError, with exit status
/// 1, for a reference that cannot be read.
void add_ior_command(CLI::App& program);

}  // namespace perigee::tool
