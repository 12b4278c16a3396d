// The command line of `perigee bridge`, and the file that may add to it.
#pragma once

#include <perigee/bridge/bridge.h>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace perigee::tool {

/// The values of the options. Empty texts and zeros: the option is not given.
struct BridgeArguments {
  std::vector<std::string> listen;
  std::string target;
  std::vector<std::string> references;
  std::string target_version;
  bool lite = false;
  std::vector<std::string> operations_allowed;
  std::vector<std::string> operations_denied;
  std::vector<std::string> objects_allowed;
  std::vector<std::string> objects_denied;
  std::vector<std::string> idl_files;
  std::vector<std::string> idl_folders;
  std::vector<std::string> idl_macros;
  std::uint32_t threads = 0;
  double connect_timeout_s = 0;
  double stop_timeout_s = 0;
  std::string config;
  bool json = false;
};

/// Adds the options to a command. `arguments` must live as long as the command.
void add_options(CLI::App& command, BridgeArguments& arguments);

/// Adds the values of the TOML file `arguments.config`: its keys are the names of the options.
/// Lists grow. Other options keep the value of the command line, if it gives one. Error: message
/// for the user, with the file, the line and the key.
[[nodiscard]] std::expected<void, std::string> read_config(BridgeArguments& arguments);

/// The options without the references, which need an ORB. Reads IDL files. Error: message for the
/// user.
[[nodiscard]] std::expected<bridge::Options, std::string> to_options(
    const BridgeArguments& arguments);

}  // namespace perigee::tool
