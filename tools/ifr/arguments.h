// The command line of perigee-ifr.
#pragma once

#include "idlc/frontend/compile.h"
#include <perigee/repository/options.h>

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace perigee::ifr {

/// The exit statuses.
inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;  ///< errors in the IDL, or the repository is not reached
inline constexpr int exit_usage = 2;   ///< a mistake in the command line

struct Arguments {
  std::vector<std::string> files;
  std::vector<std::string> include_paths;
  std::vector<std::string> defines;
  idlc::IdlVersion idl_version = idlc::IdlVersion::three;
  std::string add_to;  ///< a reference to another repository; empty: serve one
  std::string endpoint = "iiop://127.0.0.1:0";
  std::string ior_file;  ///< empty: print the reference
  repository::Options repository;
  std::vector<std::string> orb_options;  ///< the words for ORB_init
};

struct ParseResult {
  std::optional<Arguments> arguments;  ///< nothing: leave with `exit_status`
  int exit_status = exit_done;
};

/// Parses the words after the program's name. Prints --help and --version to `out`, and errors to
/// `err`.
ParseResult parse_arguments(std::vector<std::string> words, std::ostream& out, std::ostream& err);

}  // namespace perigee::ifr
