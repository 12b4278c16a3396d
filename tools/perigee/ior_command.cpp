// Finds out what kind of reference was given, and parses it.
#include "ior_command.h"

#include "describe.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <memory>

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

std::expected<std::string, std::string> describe_text(const std::string& text) {
  if (starts_with_word(text, "ior:")) {
    const auto ior = iop::parse_ior_string(text);
    return ior ? std::expected<std::string, std::string>(describe(*ior))
               : std::unexpected(ior.error().text);
  }
  const auto corbaloc = iop::parse_corbaloc(text);
  return corbaloc ? std::expected<std::string, std::string>(describe(*corbaloc))
                  : std::unexpected(corbaloc.error().text);
}

}  // namespace

std::expected<std::string, std::string> describe_reference(const std::string& reference) {
  if (starts_with_word(reference, "ior:") || starts_with_word(reference, "corbaloc:"))
    return describe_text(reference);
  const auto text = read_file(reference);
  return text ? describe_text(*text) : std::unexpected(text.error());
}

void add_ior_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("ior", "Print what an object reference says");
  // Shared by the option, which fills it, and the callback, which reads it: both live in `program`.
  auto reference = std::make_shared<std::string>();
  command
      ->add_option("reference", *reference,
                   "IOR:..., corbaloc:..., or a file that holds one (- is standard input)")
      ->required();
  command->callback([reference] {
    const auto text = describe_reference(*reference);
    if (!text) {
      std::cerr << "perigee ior: " << printable(text.error()) << '\n';
      throw CLI::RuntimeError(1);
    }
    std::cout << *text << std::flush;
  });
}

}  // namespace perigee::tool
