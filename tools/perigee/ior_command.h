// `perigee ior`: prints what an object reference says, makes one, and changes one. Contacts nobody.
#pragma once

#include <perigee/transport/registry.h>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>

namespace perigee::tool {

/// What a person gives as a reference: as it is if it is one, else the first word of a file, as
/// below.
std::expected<std::string, std::string> reference_text(const std::string& reference);

enum class Format : std::uint8_t { text, json };

/// The description of `reference`: `IOR:…`, `corbaloc:…`, or the path of a file that holds one (as
/// is, or as `file:` URL; `-` is standard input), and of an IOR also which addresses a client on
/// this host with these protocols tries. The error is text for people.
std::expected<std::string, std::string> describe_reference(
    const std::string& reference, const transport::ProtocolRegistry& protocols,
    Format format = Format::text);

/// The protocols of a client here. Called once at most; may throw std::exception.
using ProtocolSource = std::function<std::shared_ptr<const transport::ProtocolRegistry>()>;

/// Adds the subcommand, with subcommands of its own, which print to standard output. Throws
/// CLI::RuntimeError, with exit status 1, for a reference that cannot be read. Returns it, for
/// further subcommands.
CLI::App* add_ior_command(CLI::App& program, ProtocolSource protocols);

}  // namespace perigee::tool
