// Determines the kind of the given reference, and parses it.
#include "ior_command.h"

#include "choice.h"
#include "describe.h"
#include "describe_json.h"
#include "ior_edit.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <memory>
#include <utility>

namespace perigee::tool {

namespace {

// More than the longest IOR string that the ORB accepts. Longer files are not read to their end.
constexpr std::size_t file_size_max = 1 << 20;
constexpr std::size_t shown_max = 40;  // for text that is not a reference

bool starts_with_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) {
           return a == std::tolower(static_cast<unsigned char>(b));
         });
}

std::expected<std::string, std::string> read_first_word(std::istream& input,
                                                        const std::string& name) {
  std::string text(file_size_max, '\0');
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(input.gcount()));
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blank);
  if (input.bad() || begin == std::string::npos)
    return std::unexpected(name + ": contains no object reference");
  return text.substr(begin, text.find_first_of(blank, begin) - begin);
}

std::expected<std::string, std::string> read_file(const std::string& reference) {
  if (reference == "-") return read_first_word(std::cin, "standard input");
  std::string path = reference;
  if (starts_with_word(path, "file:")) {
    path.erase(0, 5);
    if (path.starts_with("//")) path.erase(0, 2);
  }
  std::ifstream input(path, std::ios::binary);
  if (!input)
    return std::unexpected(path +
                           ": neither a file nor an IOR:, corbaloc: or corbaname: reference");
  return read_first_word(input, path);
}

std::string in_format(const iop::Ior& ior, const transport::ProtocolRegistry& protocols,
                      Format format) {
  const std::vector<Choice> places = choices(ior, protocols);
  return format == Format::json ? to_json(ior, places, &protocols)
                                : describe(ior, &protocols) + describe(places);
}

std::string in_format(const iop::Corbaloc& reference, const transport::ProtocolRegistry& protocols,
                      Format format, std::string_view name) {
  const std::vector<Choice> places = choices(reference, protocols);
  return format == Format::json ? to_json(reference, places, name)
                                : describe(reference, name) + describe(places);
}

/// A corbaname is a corbaloc of a naming context, and a name in it after '#'. No naming service is
/// asked.
std::expected<std::string, std::string> describe_url(const std::string& text,
                                                     const transport::ProtocolRegistry& protocols,
                                                     Format format) {
  const bool is_name = starts_with_word(text, "corbaname:");
  const std::size_t hash = is_name ? std::min(text.find('#'), text.size()) : text.size();
  auto place = iop::parse_corbaloc(
      is_name ? "corbaloc:" + text.substr(text.find(':') + 1, hash - text.find(':') - 1) : text);
  if (!place) return std::unexpected(place.error().text);
  if (is_name && place->object_key.empty())
    for (const char character : std::string_view("NameService"))
      place->object_key.push_back(static_cast<std::byte>(character));
  return in_format(*place, protocols, format,
                   std::string_view(text).substr(std::min(hash + 1, text.size())));
}

std::expected<std::string, std::string> describe_text(const std::string& text,
                                                      const transport::ProtocolRegistry& protocols,
                                                      Format format) {
  if (starts_with_word(text, "ior:")) {
    const auto ior = iop::parse_ior_string(text);
    if (!ior) return std::unexpected(ior.error().text);
    return in_format(*ior, protocols, format);
  }
  return describe_url(text, protocols, format);
}

[[noreturn]] void fail(const std::string& text) {
  std::cerr << "perigee ior: " << printable(text) << '\n';
  throw CLI::RuntimeError(1);
}

template <typename Value>
Value value_of(std::expected<Value, std::string> result) {
  if (!result) fail(result.error());
  return std::move(*result);
}

// A reference between `ior` and its subcommand would have no effect.
void check_no_reference_before(const CLI::App& ior, const CLI::App& command) {
  if (ior.count("reference") != 0)
    throw CLI::ValidationError("reference", "is not allowed before `" + command.get_name() + "`");
}

// --json has the same meaning before and after the name of a subcommand.
Format chosen_format(const CLI::App& ior, const CLI::App& command) {
  return format_of(ior.count("--json") + command.count("--json") != 0);
}

void add_make_command(CLI::App& ior, const ProtocolSource& protocols) {
  CLI::App* command = ior.add_subcommand("make", "Make a reference to an object");
  struct Arguments {
    IorParts parts;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  IorParts& given = arguments->parts;
  command->add_option("--type", given.type_id, "Repository id, like IDL:Bank/Account:1.0");
  command->add_option("--key", given.object_key, "Object key, with %-escapes as in a corbaloc")
      ->required();
  command->add_option("--address", given.addresses,
                      "<host>:<port> of an IIOP profile; may be repeated");
  command->add_option("--endpoint", given.endpoints,
                      "<scheme>://<address> of a profile of any protocol; may be repeated");
  command->add_option("--iiop", given.version, "Version of IIOP: 1.0, 1.1 or 1.2")
      ->capture_default_str();
  add_json_option(*command, arguments->json);
  command->callback([&ior, command, arguments, protocols] {
    check_no_reference_before(ior, *command);
    const IorParts& parts = arguments->parts;
    if (parts.addresses.empty() && parts.endpoints.empty())
      throw CLI::RequiredError("--address or --endpoint");
    const auto known = parts.endpoints.empty() ? nullptr : protocols();
    const std::string text = iop::to_ior_string(value_of(make_ior(parts, known.get())));
    print({text + '\n', {{"ior", text}}}, chosen_format(ior, *command));
  });
}

nlohmann::json unchanged_json(const std::vector<UnmovedProfile>& profiles) {
  nlohmann::json list = nlohmann::json::array();
  for (const UnmovedProfile& profile : profiles) {
    list.push_back({{"profile", profile.number}, {"tag", profile.tag}});
    if (!profile.endpoint.empty()) list.back()["endpoint"] = profile.endpoint;
  }
  return list;
}

void edit(const std::string& reference, const IorChanges& changes,
          const transport::ProtocolRegistry& protocols, Format format) {
  const auto before = iop::parse_ior_string(value_of(reference_text(reference)));
  if (!before) fail("only an IOR: can be changed: " + before.error().text);
  const iop::Ior after = value_of(edit_ior(*before, changes, &protocols));
  const std::string text = iop::to_ior_string(after);
  const auto unmoved = unmoved_profiles(*before, after, changes, protocols);
  print({text + '\n', {{"ior", text}, {"unchanged", unchanged_json(unmoved)}}}, format);
  if (format == Format::text) std::cerr << describe(unmoved);
}

void add_edit_command(CLI::App& ior, const ProtocolSource& protocols) {
  struct Arguments {
    std::string reference;
    IorChanges changes;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  IorChanges& changes = arguments->changes;
  CLI::App* command = ior.add_subcommand("edit", "Change a reference, and print the result");
  command->add_option("reference", arguments->reference, "IOR:..., or a file that contains one")
      ->required();
  command->add_option("--address", changes.addresses,
                      "<old host>[:<port>]=<new host>[:<port>] for all IIOP profiles, or "
                      "<scheme>://<old>=<scheme>://<new>; may be repeated");
  command->add_option("--remove-component", changes.removed,
                      "Tag of a component to remove from all IIOP profiles");
  command->add_option("--remove-profile", changes.removed_profiles,
                      "Number of a profile to remove, from 1, as in the given reference");
  command->add_option("--first", changes.first_profile, "Number of the profile to put first");
  command->add_option("--type", changes.type_id, "New repository id");
  command->add_option("--key", changes.object_key,
                      "New object key of all profiles, with %-escapes");
  add_json_option(*command, arguments->json);
  command->callback([&ior, command, arguments, protocols] {
    check_no_reference_before(ior, *command);
    if (command->count_all() - command->count("--json") ==
        2)  // the command itself and the reference
      throw CLI::ValidationError("edit",
                                 "no change is given: write an option like --address or --key");
    edit(arguments->reference, arguments->changes, *protocols(), chosen_format(ior, *command));
  });
}

}  // namespace

// A file may name another file. The limit ends cycles.
std::expected<std::string, std::string> reference_text(const std::string& reference) {
  constexpr int files_max = 8;
  std::string text = reference;
  for (int files = 0; files <= files_max; ++files) {
    for (const char* scheme : {"ior:", "corbaloc:", "corbaname:"})
      if (starts_with_word(text, scheme)) return text;
    if (files != 0 && !starts_with_word(text, "file:"))
      return std::unexpected("'" + printable(text.substr(0, shown_max)) +
                             "' is not a reference: neither IOR:, corbaloc:, corbaname: nor file:");
    auto next = read_file(text);
    if (!next) return next;
    text = std::move(*next);
  }
  return std::unexpected(reference +
                         ": each file names another file; write a reference into one of them");
}

std::expected<std::string, std::string> describe_reference(
    const std::string& reference, const transport::ProtocolRegistry& protocols, Format format) {
  const auto text = reference_text(reference);
  return text ? describe_text(*text, protocols, format) : std::unexpected(text.error());
}

CLI::App* add_ior_command(CLI::App& program, ProtocolSource protocols) {
  CLI::App* command = program.add_subcommand("ior", "Print what an object reference says");
  struct Arguments {
    std::string reference;
    bool json = false;
  };
  // Shared by the options, which fill it, and the callback, which reads it.
  auto arguments = std::make_shared<Arguments>();
  command->add_option(
      "reference", arguments->reference,
      "IOR:..., corbaloc:..., corbaname:..., or a file that contains one (-: standard "
      "input)");
  add_json_option(*command, arguments->json);
  add_make_command(*command, protocols);
  add_edit_command(*command, protocols);
  command->callback([command, arguments, protocols = std::move(protocols)] {
    if (!command->get_subcommands().empty()) return;
    if (arguments->reference.empty()) throw CLI::RequiredError("reference");
    const Format format = format_of(arguments->json);
    std::cout << value_of(describe_reference(arguments->reference, *protocols(), format))
              << std::flush;
  });
  return command;
}

}  // namespace perigee::tool
