// Improves CLI11's error texts: for an unknown word, adds a proposal or the known commands.
#include "usage.h"

#include "base/nearest_name.h"
#include "describe.h"

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

namespace perigee::tool {

namespace {

/// The program, then the subcommand that was chosen at each level.
std::vector<const CLI::App*> chosen_commands(const CLI::App& program) {
  std::vector<const CLI::App*> path{&program};
  while (!path.back()->get_subcommands().empty())
    path.push_back(path.back()->get_subcommands().back());
  return path;
}

std::string name_of(const std::vector<const CLI::App*>& path) {
  std::string name;
  for (const CLI::App* const command : path)
    name += (name.empty() ? "" : " ") + command->get_name();
  return name;
}

/// The names of the subcommands that the help shows.
std::vector<std::string> subcommands_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* const subcommand : command.get_subcommands({}))
    if (!subcommand->get_group().empty()) names.push_back(subcommand->get_name());
  return names;
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string unknown_option(const CLI::App& command, const std::string& word) {
  const std::string option = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* const known : command.get_options())
    names.insert(names.end(), known->get_lnames().begin(), known->get_lnames().end());
  const std::string name = option.substr(std::min(option.find_first_not_of('-'), option.size()));
  return "unknown option '" + printable(option) + "'" + did_you_mean(name, names, "--");
}

std::string unknown_word(const CLI::App& command, const std::string& word) {
  if (word.starts_with('-') && word != "-") return unknown_option(command, word);
  const std::vector<std::string> names = subcommands_of(command);
  const bool has_arguments =
      std::ranges::any_of(command.get_options(), &CLI::Option::get_positional);
  if (names.empty() || has_arguments) return "unexpected argument '" + printable(word) + "'";
  const std::string proposal = did_you_mean(word, names);
  return "no command '" + printable(word) + "'" +
         (proposal.empty() ? "; the commands are: " + list(names) : proposal);
}

/// A word that no command knows is reported first, because it causes most other errors.
std::string explain_usage(std::vector<const CLI::App*>& path, const CLI::ParseError& error) {
  for (std::size_t index = 0; index < path.size(); ++index) {
    const std::vector<std::string> words = path[index]->remaining();
    const auto word = std::ranges::find_if(words, [](const auto& each) { return each != "--"; });
    if (word == words.end()) continue;
    // CLI11 passes a word that a command does not take to the commands that contain this command.
    const bool is_surplus = !word->starts_with('-') && index + 1 < path.size();
    if (is_surplus) return "unexpected argument '" + printable(*word) + "'";
    path.resize(index + 1);
    return unknown_word(*path.back(), *word);
  }
  const std::vector<std::string> names = subcommands_of(*path.back());
  if (error.get_name() == "RequiredError" && path.back()->get_require_subcommand_min() > 0)
    return "a command is missing; the commands are: " + list(names);
  return error.what();
}

}  // namespace

int report(const CLI::App& program, const CLI::ParseError& error) {
  const bool is_mistake = error.get_exit_code() != 0 && error.get_name() != "RuntimeError";
  if (!is_mistake) return program.exit(error);
  std::vector<const CLI::App*> path = chosen_commands(program);
  const std::string text = explain_usage(path, error);
  const bool needs_command = path.back()->get_require_subcommand_min() > 0;
  std::cerr << name_of(path) << ": " << text << " (" << name_of(path) << " --help lists the "
            << (needs_command ? "commands" : "options") << ")\n";
  return exit_usage;
}

}  // namespace perigee::tool
