// Mistakes in the command line: their texts, and the exit statuses of the program.
#pragma once

#include <CLI/CLI.hpp>

#include <stdexcept>
#include <string>

namespace perigee::tool {

/// The exit statuses of `perigee` and its commands.
inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;          ///< the command was understood, but not completed
inline constexpr int exit_usage = 2;           ///< a mistake in the command line
inline constexpr int exit_user_exception = 3;  ///< of `perigee call`: the operation has raised it

/// A mistake in the command line. The text begins with the name of the command.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Prints the help that the user asked for, or one line about the mistake. `error` is what
/// `program.parse` has thrown. Returns the exit status.
int report(const CLI::App& program, const CLI::ParseError& error);

}  // namespace perigee::tool
