// Parses options with CLI11.
#include "arguments.h"

#include "base/nearest_name.h"
#include "orb_options.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace perigee::ifr {

namespace {

constexpr const char* description =
    "Serves an Interface Repository with the definitions of IDL files, or adds the definitions to "
    "a running repository. Options that begin with -ORB are for the ORB.";

void add_idl_options(CLI::App& app, Arguments& arguments, std::string& version) {
  app.add_option("FILE", arguments.files, "The IDL files whose definitions are added");
  app.add_option("-I", arguments.include_paths, "Look for included files in FOLDER, too")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  app.add_option("-D", arguments.defines, "Define a preprocessor macro")
      ->type_name("NAME[=TEXT]")
      ->allow_extra_args(false);
  app.add_option("--idl", version, "IDL version: with 4, words like map and bitset are keywords")
      ->check(CLI::IsMember({"3", "4"}))
      ->capture_default_str();
}

void add_server_options(CLI::App& app, Arguments& arguments) {
  auto* add_to = app.add_option("--add-to", arguments.add_to,
                                "Add the definitions to the repository with this reference, and "
                                "end: an IOR, a corbaloc URL, or file:PATH")
                     ->type_name("REFERENCE");
  app.add_option("--endpoint", arguments.endpoint,
                 "Serve at this endpoint; clients may use corbaloc::HOST:PORT/InterfaceRepository")
      ->type_name("ENDPOINT")
      ->capture_default_str()
      ->excludes(add_to);
  app.add_option("--ior-file", arguments.ior_file,
                 "Write the reference to FILE when the repository is ready; else print it")
      ->type_name("FILE")
      ->excludes(add_to);
  using repository::Writers;
  app.add_option("--writers", arguments.repository.writers,
                 "Which clients may change definitions: none, local (clients of this host), or all")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Writers>{
              {"none", Writers::none}, {"local", Writers::local}, {"all", Writers::all}},
          CLI::ignore_case))
      ->type_name("CLIENTS")
      ->default_str("local")
      ->excludes(add_to);
  app.add_option("--definitions-max", arguments.repository.limits.definitions_max,
                 "The largest number of definitions; types without a name count, too")
      ->type_name("NUMBER")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->excludes(add_to);
}

/// The text of the error, with a proposal for a misspelt option. CLI11 itself makes no proposals.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining();
  if (unknown.empty()) return error.what();
  const std::string word = unknown.front().substr(0, unknown.front().find('='));
  std::vector<std::string> names;
  for (const CLI::Option* const option : app.get_options())
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  const std::size_t dashes = std::min(word.find_first_not_of('-'), word.size());
  return "unknown option '" + word + "'" + did_you_mean(word.substr(dashes), names, "--");
}

}  // namespace

ParseResult parse_arguments(std::vector<std::string> words, std::ostream& out, std::ostream& err) {
  Arguments arguments;
  arguments.orb_options = tool::take_orb_options(words);
  std::string version = "3";
  CLI::App app(description, "perigee-ifr");
  app.set_version_flag("--version", std::string("perigee-ifr ") + PERIGEE_VERSION);
  add_idl_options(app, arguments, version);
  add_server_options(app, arguments);
  try {
    std::ranges::reverse(words);  // CLI11 takes words from the back
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app.exit(error, out, err);
      return {std::nullopt, exit_done};
    }
    err << "perigee-ifr: " << usage_error(app, error) << " (--help lists the options)\n";
    return {std::nullopt, exit_usage};
  }
  if (!arguments.add_to.empty() && arguments.files.empty()) {
    err << "perigee-ifr: --add-to needs an IDL file (--help lists the options)\n";
    return {std::nullopt, exit_usage};
  }
  arguments.idl_version = version == "4" ? idlc::IdlVersion::four : idlc::IdlVersion::three;
  return {std::move(arguments), exit_done};
}

}  // namespace perigee::ifr
