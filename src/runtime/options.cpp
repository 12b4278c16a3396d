// Options on the command line, and their combination with the configuration file.
#include "runtime/options.h"

#include "base/nearest_name.h"
#include "runtime/config_file.h"
#include "runtime/foreign_options.h"
#include "runtime/option_table.h"
#include "runtime/tao_options.h"
#include <perigee/base/log.h>
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
  std::string proposal =
      foreign.empty() ? did_you_mean(name, names, option_prefix) : "; " + foreign;
  const bool is_tao = foreign.empty() || foreign.starts_with("TAO");
  if (is_tao && find_tao_option(name) != nullptr) {
    if (foreign.empty()) proposal.clear();
    proposal += "; -ORBTaoOptions yes accepts options of TAO";
  }
  throw CORBA::BAD_PARAM(
      0, CORBA::COMPLETED_NO,
      "unknown option " + printable(argument) + proposal + " (-ORBHelp lists the options)");
}

// Prints the options of the ORB, and ends the program without further work.
[[noreturn]] void show_help() {
  std::cout << describe_options() << std::flush;
  std::exit(EXIT_SUCCESS);
}

enum class Case : bool { exact, any };

const Option* find_option(std::string_view name, Case wanted = Case::exact) {
  const auto found = std::ranges::find(option_table(), name, &Option::name);
  if (found != option_table().end()) return &*found;
  if (wanted == Case::exact) return nullptr;
  const auto close = std::ranges::find_if(option_table(), [name](const Option& option) {
    return equal_in_any_case(option.name, name);
  });
  return close != option_table().end() ? &*close : nullptr;
}

/// Reads the options of one command line.
class ArgumentReader {
 public:
  ArgumentReader(std::vector<std::string>& arguments, Configuration& configuration)
      : arguments_(arguments),
        configuration_(configuration),
        accepts_tao_(accepts_tao_options(arguments)) {}

  /// Returns the given options, in order.
  std::vector<const Option*> take() {
    std::vector<std::string> others;
    while (next_ < arguments_.size()) {
      const std::string argument = arguments_[next_++];
      if (argument.starts_with(option_prefix))
        take_option(argument);
      else if (accepts_tao_ && has_prefix_in_any_case(argument))
        take_option(std::string(option_prefix) + argument.substr(option_prefix.size()));
      else
        others.push_back(argument);
    }
    arguments_ = std::move(others);
    return std::move(given_);
  }

 private:
  static bool has_prefix_in_any_case(std::string_view argument) {
    return equal_in_any_case(argument.substr(0, option_prefix.size()), option_prefix);
  }

  void take_option(const std::string& argument) {
    if (argument == help_option) show_help();
    const std::string_view name = std::string_view(argument).substr(option_prefix.size());
    if (const TaoOption* const found = accepts_tao_ ? find_tao_option(name) : nullptr)
      return take_tao_option(argument, *found);
    const Option* const option = find_option(name, accepts_tao_ ? Case::any : Case::exact);
    if (option == nullptr) raise_unknown(argument);
    if (next_ == arguments_.size())
      throw CORBA::BAD_PARAM(
          0, CORBA::COMPLETED_NO,
          "-ORB" + std::string(option->name) + " needs a value: " + std::string(option->value));
    apply(*option, arguments_[next_++]);
  }

  void take_tao_option(const std::string& argument, const TaoOption& row) {
    if (arguments_.size() - next_ < row.values)
      throw CORBA::BAD_PARAM(
          0, CORBA::COMPLETED_NO,
          argument + (row.values == 1 ? " needs a value"
                                      : " needs " + std::to_string(row.values) + " values"));
    if (row.replacement.empty()) {
      next_ += row.values;
      log::write(log::Level::warning, "orb",
                 "TAO's " + argument + " is ignored: " + std::string(row.why));
      return;
    }
    const std::string& value = arguments_[next_++];
    try {
      apply(*find_option(row.replacement), row.translate != nullptr ? row.translate(value) : value);
    } catch (const BadValue& bad) {
      throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO,
                             argument + " cannot be '" + value + "': " + bad.why);
    }
  }

  void apply(const Option& option, const std::string& value) {
    try {
      option.apply(configuration_, value);
    } catch (const BadValue& bad) {
      throw CORBA::BAD_PARAM(
          0, CORBA::COMPLETED_NO,
          "-ORB" + std::string(option.name) + " cannot be '" + value + "': " + bad.why);
    }
    given_.push_back(&option);
  }

  std::vector<std::string>& arguments_;
  Configuration& configuration_;
  const bool accepts_tao_;
  std::size_t next_ = 0;
  std::vector<const Option*> given_;
};

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
      "Options of the ORB. In brackets: the default, and the key in the configuration file.\n";
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

// The command line has priority: the file's value for the same option is only checked. Initial
// references and schemes of both are added, and for each name the first entry counts.
void take_options(std::vector<std::string>& arguments, Configuration& configuration) {
  const std::vector<const Option*> given = ArgumentReader(arguments, configuration).take();
  const std::string path = config_file_of(configuration);
  if (path.empty()) return;
  Configuration unused;
  read_config_file(path, [&](const Option& option) -> Configuration& {
    const bool adds = option.kind == ValueKind::named_texts;
    return adds || std::ranges::find(given, &option) == given.end() ? configuration : unused;
  });
}

}  // namespace perigee::runtime
