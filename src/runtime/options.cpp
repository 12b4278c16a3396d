// Options on the command line, and their combination with the configuration file.
#include "runtime/options.h"

#include "base/nearest_name.h"
#include "runtime/config_file.h"
#include "runtime/foreign_options.h"
#include "runtime/option_table.h"
#include <perigee/base/printable.h>
#include <perigee/orb/exceptions.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <ranges>
#include <string_view>
#include <utility>

namespace perigee::runtime {

namespace {

constexpr std::string_view option_prefix = "-ORB";
constexpr std::string_view help_option = "-ORBHelp";
constexpr std::size_t meaning_column = 46;
constexpr const char* config_variable = "PERIGEE_CONFIG";

[[noreturn]] void raise_unknown(const std::string& argument) {
  const std::string_view name = std::string_view(argument).substr(option_prefix.size());
  const std::string foreign = describe_foreign_option(name);
  const auto names = option_table() | std::views::transform(&Option::name);
  const std::string proposal =
      foreign.empty() ? did_you_mean(name, names, option_prefix) : "; " + foreign;
  throw CORBA::BAD_PARAM(
      0, CORBA::COMPLETED_NO,
      "unknown option " + printable(argument) + proposal + " (-ORBHelp lists the options)");
}

// Prints the options of the ORB, and ends the program without further work.
[[noreturn]] void show_help() {
  std::cout << describe_options() << std::flush;
  std::exit(EXIT_SUCCESS);
}

const Option& find_option(const std::string& argument) {
  const std::string_view name = std::string_view(argument).substr(option_prefix.size());
  const auto found = std::ranges::find(option_table(), name, &Option::name);
  if (found == option_table().end()) raise_unknown(argument);
  return *found;
}

void apply(const Option& option, Configuration& configuration, const std::string& value) {
  try {
    option.apply(configuration, value);
  } catch (const BadValue& bad) {
    throw CORBA::BAD_PARAM(
        0, CORBA::COMPLETED_NO,
        "-ORB" + std::string(option.name) + " cannot be '" + value + "': " + bad.why);
  }
}

// Returns the given options, in order.
std::vector<const Option*> take_from_arguments(std::vector<std::string>& arguments,
                                               Configuration& configuration) {
  std::vector<const Option*> given;
  std::vector<std::string> others;
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    if (!arguments[index].starts_with(option_prefix)) {
      others.push_back(std::move(arguments[index]));
      continue;
    }
    if (arguments[index] == help_option) show_help();
    const Option& option = find_option(arguments[index]);
    if (++index == arguments.size())
      throw CORBA::BAD_PARAM(
          0, CORBA::COMPLETED_NO,
          "-ORB" + std::string(option.name) + " needs a value: " + std::string(option.value));
    apply(option, configuration, arguments[index]);
    given.push_back(&option);
  }
  arguments = std::move(others);
  return given;
}

// The environment variable is ignored in a program with more privileges than its user.
std::string config_file_of(const Configuration& configuration) {
  if (!configuration.config_file.empty()) return configuration.config_file;
  const char* const path = ::secure_getenv(config_variable);
  return path != nullptr ? path : std::string();
}

// The options of a group follow each other in the table.
std::string_view heading_of(const Option& option) {
  if (option.key.starts_with("limits."))
    return "Limits (docs/limits.md tells what happens beyond them)";
  if (option.key.starts_with("timeouts.")) return "Time-outs";
  if (option.key.starts_with("log.") || option.key.starts_with("metrics.") ||
      option.key.starts_with("tests."))
    return "Log, metrics and tests";
  return "Clients and servers";
}

void add_row(std::string& text, const std::string& option, std::string_view meaning) {
  std::string line = "  " + std::string(option_prefix) + option;
  line.resize(std::max(line.size() + 1, meaning_column), ' ');
  text += line + std::string(meaning) + "\n";
}

std::string default_and_key(const Option& option) {
  const std::string value = default_of(option);
  std::string text = value.empty() ? "no default" : "default: " + value;
  if (!option.key.empty()) text += "; " + std::string(option.key);
  return text;
}

}  // namespace

std::string describe_options() {
  std::string text =
      "Options of the ORB. The configuration file has the key behind each default.\n";
  std::string_view heading;
  for (const Option& option : option_table()) {
    if (heading_of(option) != heading) {
      heading = heading_of(option);
      text += "\n" + std::string(heading) + ":\n";
    }
    add_row(text, std::string(option.name) + " " + std::string(option.value), option.meaning);
    text += std::string(meaning_column, ' ') + "[" + default_and_key(option) + "]\n";
  }
  add_row(text, std::string(help_option.substr(option_prefix.size())),
          "prints this list and ends the program");
  return text;
}

// The command line wins: the file's value for the same option is only checked. Initial references
// and schemes of both are added, and for each name the first entry counts.
void take_options(std::vector<std::string>& arguments, Configuration& configuration) {
  const std::vector<const Option*> given = take_from_arguments(arguments, configuration);
  const std::string path = config_file_of(configuration);
  if (path.empty()) return;
  Configuration unused;
  read_config_file(path, [&](const Option& option) -> Configuration& {
    const bool adds = option.kind == ValueKind::named_texts;
    return adds || std::ranges::find(given, &option) == given.end() ? configuration : unused;
  });
}

}  // namespace perigee::runtime
