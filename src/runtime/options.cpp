// Options on the command line, and their combination with the configuration file.
#include "runtime/options.h"

#include "runtime/config_file.h"
#include "runtime/option_table.h"
#include <perigee/orb/exceptions.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>

namespace perigee::runtime {

namespace {

constexpr std::string_view option_prefix = "-ORB";
constexpr std::string_view help_option = "-ORBHelp";
constexpr const char* config_variable = "PERIGEE_CONFIG";

[[noreturn]] void raise_unknown(const std::string& argument) {
  throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO,
                         "there is no option " + argument + "; there are:\n" + describe_options());
}

// Prints the options of the ORB, and ends the program without further work.
[[noreturn]] void show_help() {
  std::cout << "Options of the ORB:\n" << describe_options() << std::flush;
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

}  // namespace

std::string describe_options() {
  std::string text;
  const auto add = [&text](std::string line, std::string_view meaning) {
    constexpr std::size_t column = 46;
    line.resize(std::max(line.size() + 1, column), ' ');
    text += line + std::string(meaning) + "\n";
  };
  for (const Option& option : option_table())
    add("  " + std::string(option_prefix) + std::string(option.name) + " " +
            std::string(option.value),
        option.meaning);
  add("  " + std::string(help_option), "this list, and the end of the program");
  return text;
}

// The command line wins: the file's value for the same option is only checked. Initial references
// of both are known, and the first match counts.
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
