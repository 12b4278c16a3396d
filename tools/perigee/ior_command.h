// `perigee ior`: prints what an object reference says, makes one, and changes one. Contacts nobody.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <expected>
#include <string>

namespace perigee::tool {

/// What a person gives as a reference: as it is if it is one, else the first word of a file, as
/// below.
std::expected<std::string, std::string> reference_text(const std::string& reference);

enum class Format : std::uint8_t { text, json };

/// The description of `reference`: `IOR:…`, `corbaloc:…`, or the path of a file that holds one (as
/// is, or as `file:` URL; `-` is standard input), and of an IOR also which addresses a client on
/// this host tries. The error is text for people.
std::expected<std::string, std::string> describe_reference(const std::string& reference,
                                                           Format format = Format::text);

/// Adds the subcommand, with subcommands of its own, which print to standard output. Throws
/// CLI::RuntimeError, with exit status 1, for a reference that cannot be read. Returns it, for
/// further subcommands.
CLI::App* add_ior_command(CLI::App& program);

}  // namespace perigee::tool
