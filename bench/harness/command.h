// The common part of the commands of all experiments: the outputs of results, and the roles that
// are started as separate processes.
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

/// The files of a report, besides the terminal.
struct Output {
  std::string json_file;  ///< "-": standard output, without the table
  std::string html_file;
};

/// Gives a command its options --json and --html. `output` must live as long as the command. A file
/// that cannot be written is an error (std::runtime_error) before the measurements.
void add_output_options(CLI::App& command, Output& output);
/// The same for one other file.
void add_file_option(CLI::App& command, const char* name, std::string& file,
                     const std::string& description);
/// Gives the command --rounds, with the present value as default.
void add_rounds_option(CLI::App& command, std::size_t& rounds, const std::string& description);

/// Sets an option that the user has not given: --quick changes only such options.
template <typename T>
void set_unless_given(const CLI::App& command, const char* option, T& target,
                      std::type_identity_t<T> value) {
  if (command.count(option) == 0) target = std::move(value);
}

/// Throws std::runtime_error if the file cannot be written. Does not change the file.
void check_output_file(const std::string& name);
/// Throws std::runtime_error if the file cannot be written completely.
void write_file(const std::string& name, const std::string& text);

/// The JSON document as one line.
std::string one_line(const std::string& document);

/// Writes the report's JSON and its page if the options name files.
template <typename Report>
void write_files(const Report& report, const Output& output) {
  if (!output.json_file.empty() && output.json_file != "-")
    write_file(output.json_file, to_json(report));
  if (!output.html_file.empty()) write_file(output.html_file, to_html(report));
}

/// Prints the report's table, and writes its JSON and its page if the options name files. A report
/// has to_table(), to_json() and to_html().
template <typename Report>
void write_report(const Report& report, const Output& output) {
  std::cout << (output.json_file == "-" ? one_line(to_json(report)) : to_table(report))
            << std::flush;
  write_files(report, output);
}

/// Reads ORB options for a role from its words, starting at `first`: names without "-ORB", each
/// before its value. The command line of `perigee` takes no ORB options.
std::vector<std::string> orb_options_of(const std::vector<std::string>& words, std::size_t first);

/// Adds the hidden command `<experiment>-role`, which passes its words to `run`. A result other
/// than 0 is an error.
using Role = std::function<int(const std::vector<std::string>& words)>;
void add_role_command(CLI::App& bench, const std::string& experiment, Role run);

}  // namespace perigee::bench
