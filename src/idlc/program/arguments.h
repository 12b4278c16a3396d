// The command line of perigee-idl.
#pragma once

#include "idlc/backends/cpp11/generate.h"
#include "idlc/frontend/compile.h"
#include "idlc/implied/implied.h"

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace perigee::idlc {

enum class Action { generate, dump_model, dump_implied_idl, preprocess };

struct Arguments {
  Action action = Action::generate;
  std::vector<std::string> files;
  std::vector<std::string> include_paths;
  std::vector<std::string> defines;
  std::vector<std::string> undefines;
  std::vector<std::string> annotation_files;
  WarningOptions warnings;
  ImpliedOptions implied;
  IdlVersion idl_version = IdlVersion::three;
  std::string output_folder = ".";
  std::string depend_file;  ///< empty: none
  cpp11::FileNames names;
};

/// The process's exit statuses.
inline constexpr int exit_ok = 0;
inline constexpr int exit_bad_input = 1;  ///< errors in the IDL, or a file cannot be written
inline constexpr int exit_bad_usage = 2;  ///< errors in the command line

struct ParseResult {
  std::optional<Arguments> arguments;  ///< std::nullopt: leave with `exit_status`
  int exit_status = exit_ok;
};

/// Parses the words after the program's name. Prints --help and --version to `out`, and errors to
/// `err`.
ParseResult parse_arguments(std::vector<std::string> words, std::ostream& out, std::ostream& err);

}  // namespace perigee::idlc
