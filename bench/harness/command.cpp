// The options that the commands of all experiments have, and the hidden commands for roles.
#include "command.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <utility>

namespace perigee::bench {

namespace {

[[noreturn]] void fail_to_write(const std::string& name) {
  throw std::runtime_error("cannot write " + name + ": " + std::strerror(errno));
}

// Reports an unwritable file before a run of minutes instead of after it. Does not change the file.
std::string check_writable(const std::string& name) {
  const bool is_new = !std::filesystem::exists(name);
  if (!std::ofstream(name, std::ios::app)) fail_to_write(name);
  if (is_new) std::filesystem::remove(name);
  return {};
}

}  // namespace

void add_output_options(CLI::App& command, Output& output) {
  command
      .add_option("--json", output.json_file,
                  "Write the results to this file; -: to standard output, as one line")
      ->check([](const std::string& name) {
        return name == "-" ? std::string() : check_writable(name);
      });
  add_file_option(command, "--html", output.html_file, "Write a page with figures to this file");
}

void add_file_option(CLI::App& command, const char* name, std::string& file,
                     const std::string& description) {
  command.add_option(name, file, description)->check(check_writable);
}

void add_rounds_option(CLI::App& command, std::size_t& rounds, const std::string& description) {
  command.add_option("--rounds", rounds, description)
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
}

void check_output_file(const std::string& name) { check_writable(name); }

void write_file(const std::string& name, const std::string& text) {
  std::ofstream file(name);
  file << text;
  file.close();
  if (!file) fail_to_write(name);
}

std::string one_line(const std::string& document) {
  return nlohmann::json::parse(document).dump() + '\n';
}

std::vector<std::string> orb_options_of(const std::vector<std::string>& words, std::size_t first) {
  std::vector<std::string> options;
  for (std::size_t index = first; index + 1 < words.size(); index += 2) {
    options.push_back("-ORB" + words[index]);
    options.push_back(words[index + 1]);
  }
  return options;
}

void add_role_command(CLI::App& bench, const std::string& experiment, Role run) {
  auto words = std::make_shared<std::vector<std::string>>();  // lives as long as the callback
  CLI::App* command = bench.add_subcommand(experiment + "-role", "");
  command->group("");  // hides it in the help
  command->add_option("words", *words)->required();
  command->callback([words, experiment, run = std::move(run)] {
    if (run(*words) != 0)
      throw std::runtime_error("process failed: " + experiment + ' ' + words->front());
  });
}

}  // namespace perigee::bench
