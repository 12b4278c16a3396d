// Finds out what kind of reference was given, and parses it.
#include "ior_command.h"

#include "choice.h"
#include "describe.h"
#include "describe_json.h"
#include "ior_edit.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <memory>
#include <utility>

namespace perigee::tool {

namespace {

// More than the longest IOR string that the ORB accepts: longer files are not read to their end.
constexpr std::size_t file_size_max = 1 << 20;

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
    return std::unexpected(name + ": holds no object reference");
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
  if (!input) return std::unexpected(path + ": neither a file nor an IOR: or corbaloc: reference");
  return read_first_word(input, path);
}

std::string in_format(const iop::Ior& ior, const transport::ProtocolRegistry& protocols,
                      Format format) {
  const std::vector<Choice> places = choices(ior, protocols);
  return format == Format::json ? to_json(ior, places, &protocols)
                                : describe(ior, &protocols) + describe(places);
}

std::string in_format(const iop::Corbaloc& reference, Format format) {
  return format == Format::json ? to_json(reference) : describe(reference);
}

std::expected<std::string, std::string> describe_text(const std::string& text,
                                                      const transport::ProtocolRegistry& protocols,
                                                      Format format) {
  if (starts_with_word(text, "ior:")) {
    const auto ior = iop::parse_ior_string(text);
    if (!ior) return std::unexpected(ior.error().text);
    return in_format(*ior, protocols, format);
  }
  const auto corbaloc = iop::parse_corbaloc(text);
  if (!corbaloc) return std::unexpected(corbaloc.error().text);
  return in_format(*corbaloc, format);
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

void add_make_command(CLI::App& ior, const ProtocolSource& protocols) {
  CLI::App* command = ior.add_subcommand("make", "Make a reference to an object");
  auto parts = std::make_shared<IorParts>();
  command->add_option("--type", parts->type_id, "repository id, like IDL:Bank/Account:1.0");
  command->add_option("--key", parts->object_key, "object key, with %-escapes as in a corbaloc")
      ->required();
  command->add_option("--address", parts->addresses, "<host>:<port>; several: a profile each");
  command->add_option("--endpoint", parts->endpoints,
                      "<scheme>://<address> of any protocol; several: a profile each");
  command->add_option("--iiop", parts->version, "version: 1.0, 1.1 or 1.2")->capture_default_str();
  command->callback([parts, protocols] {
    if (parts->addresses.empty() && parts->endpoints.empty())
      throw CLI::RequiredError("--address or --endpoint");
    const auto known = parts->endpoints.empty() ? nullptr : protocols();
    std::cout << iop::to_ior_string(value_of(make_ior(*parts, known.get()))) << '\n';
  });
}

void add_edit_command(CLI::App& ior) {
  struct Arguments {
    std::string reference;
    IorChanges changes;
  };
  auto arguments = std::make_shared<Arguments>();
  IorChanges& changes = arguments->changes;
  CLI::App* command = ior.add_subcommand("edit", "Change a reference, and print the new one");
  command->add_option("reference", arguments->reference, "IOR:..., or a file that holds one")
      ->required();
  command->add_option("--address", changes.addresses,
                      "<old host>[:<port>]=<new host>[:<port>], in all IIOP profiles");
  command->add_option("--remove-component", changes.removed, "tag; from all IIOP profiles");
  command->add_option("--remove-profile", changes.removed_profiles, "number, from 1");
  command->add_option("--first", changes.first_profile, "number of the profile to be first");
  command->add_option("--type", changes.type_id, "repository id");
  command->add_option("--key", changes.object_key, "object key, with %-escapes");
  command->callback([arguments] {
    const auto before = iop::parse_ior_string(value_of(reference_text(arguments->reference)));
    if (!before) fail(before.error().text);
    std::cout << iop::to_ior_string(value_of(edit_ior(*before, arguments->changes))) << '\n';
  });
}

}  // namespace

std::expected<std::string, std::string> reference_text(const std::string& reference) {
  for (const char* scheme : {"ior:", "corbaloc:", "corbaname:"})
    if (starts_with_word(reference, scheme)) return reference;
  return read_file(reference);
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
  command->add_option("reference", arguments->reference,
                      "IOR:..., corbaloc:..., or a file that holds one (- is standard input)");
  command->add_flag("--json", arguments->json, "for programs");
  add_make_command(*command, protocols);
  add_edit_command(*command);
  command->callback([command, arguments, protocols = std::move(protocols)] {
    if (!command->get_subcommands().empty()) return;
    if (arguments->reference.empty()) throw CLI::RequiredError("reference");
    const Format format = arguments->json ? Format::json : Format::text;
    std::cout << value_of(describe_reference(arguments->reference, *protocols(), format))
              << std::flush;
  });
  return command;
}

}  // namespace perigee::tool
