// What the commands of all experiments have in common: where their results go, and the roles that
// they start as processes of their own.
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <functional>
#include <iostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace perigee::bench {

/// Where a report goes besides the terminal.
struct Output {
  std::string json_file;
  std::string html_file;
};

/// Gives a command its options --json and --html. `output` must live as long as the command. Files
/// that cannot be written are an error (std::runtime_error) before anything is measured.
void add_output_options(CLI::App& command, Output& output);
/// Gives it --rounds, with the option's value as default.
void add_rounds_option(CLI::App& command, std::size_t& rounds, const std::string& description);

/// Sets an option that was not typed: --quick changes no others.
template <typename T>
void set_unless_given(const CLI::App& command, const char* option, T& target,
                      std::type_identity_t<T> value) {
  if (command.count(option) == 0) target = std::move(value);
}

/// Throws std::runtime_error if the file cannot be written wholly.
void write_file(const std::string& name, const std::string& text);

/// Prints the report's table, and writes its JSON and its page where they were asked for. A report
/// has to_table(), to_json() and to_html().
template <typename Report>
void write_report(const Report& report, const Output& output) {
  std::cout << to_table(report);
  if (!output.json_file.empty()) write_file(output.json_file, to_json(report));
  if (!output.html_file.empty()) write_file(output.html_file, to_html(report));
}

/// Options of ORBs for a role, from its words on: names without "-ORB", each before its value. The
/// command line of `perigee` takes no options of ORBs.
std::vector<std::string> orb_options_of(const std::vector<std::string>& words, std::size_t first);

/// Adds the hidden command `<experiment>-role`: its words go to `run`, a result other than 0 is an
/// error.
using Role = std::function<int(const std::vector<std::string>& words)>;
void add_role_command(CLI::App& bench, const std::string& experiment, Role run);

/// The path of an experiment's own program, which was built or installed with this one. Throws
/// std::runtime_error if there is none.
std::string companion_program(const std::string& name);
/// The same of another ORB's program; empty if this build has none, which is said on standard
/// error.
std::string find_omniorb_program(const std::string& name);

}  // namespace perigee::bench
