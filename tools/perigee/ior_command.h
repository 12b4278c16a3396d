// `perigee ior`: describes, makes and changes object references. Makes no connection.
#pragma once

#include "result.h"
#include <perigee/transport/registry.h>

#include <expected>
#include <functional>
#include <memory>
#include <string>

namespace CLI {
class App;
}

namespace perigee::tool {

/// Turns a command-line argument into a reference: the argument itself if it is a reference,
/// otherwise the first word of the file that it names (see `describe_reference`).
std::expected<std::string, std::string> reference_text(const std::string& reference);

/// The description of `reference`: `IOR:…`, `corbaloc:…`, `corbaname:…`, or the name of a file that
/// contains one of them (a path, a `file:` URL, or `-` for standard input). It includes the
/// addresses that a client on this host with these protocols tries. The error is a message for the
/// user.
std::expected<std::string, std::string> describe_reference(
    const std::string& reference, const transport::ProtocolRegistry& protocols,
    Format format = Format::text);

/// The protocols of a client here. Called at most once; may throw std::exception.
using ProtocolSource = std::function<std::shared_ptr<const transport::ProtocolRegistry>()>;

/// Adds the subcommand with its own subcommands, which print to standard output. Throws
/// CLI::RuntimeError, with exit status 1, for a reference that cannot be read. Returns the
/// subcommand, so that further subcommands can be added.
CLI::App* add_ior_command(CLI::App& program, ProtocolSource protocols);

}  // namespace perigee::tool
