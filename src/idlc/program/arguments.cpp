// Parses the command line of perigee-idl with CLI11.
#include "idlc/program/arguments.h"

#include "base/nearest_name.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace perigee::idlc {

namespace {

constexpr const char* description =
    "Compiles IDL files to C++ (the OMG mapping of IDL to C++11): stock.idl gives stockC.h and "
    "stockC.cpp for clients, stockS.h and stockS.cpp for servers.";

struct Flags {
  std::vector<std::string> warnings;
  bool dumps_model = false;
  bool dumps_implied_idl = false;
  bool preprocesses = false;
  std::string idl_version = "3";
  bool wants_ami = false;
  bool wants_ami_polling = false;
  bool wants_amh = false;
  bool wants_async = false;
};

void add_input_options(CLI::App& app, Arguments& arguments, Flags& flags) {
  app.add_option("FILE", arguments.files, "The IDL files to compile")->required();
  app.add_option("-I", arguments.include_paths, "Look for included files in FOLDER, too")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  app.add_option("-D", arguments.defines, "Define a preprocessor macro")
      ->type_name("NAME[=TEXT]")
      ->allow_extra_args(false);
  app.add_option("-U", arguments.undefines, "Undefine a preprocessor macro")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--annotate", arguments.annotation_files,
                 "Read annotations for declarations of the IDL from FILE: a line "
                 "\"borrowed Stock::Quoter::put.data\" means \"#pragma perigee borrowed "
                 "Stock::Quoter::put.data\"")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option(
         "-W", flags.warnings,
         "Choose warnings, as in -Wall, -Wunknown-pragmas, -Wno-undefined-forward, -Werror, "
         "-Werror=cpp; --help-warnings lists them")
      ->type_name("[no-]WARNING")
      ->allow_extra_args(false);
  app.add_option("--idl", flags.idl_version,
                 "IDL version: with 3, words that are keywords since IDL 4 (map, bitset, ...) are "
                 "ordinary names")
      ->check(CLI::IsMember({"3", "4"}))
      ->capture_default_str();
}

void add_output_options(CLI::App& app, Arguments& arguments) {
  cpp11::FileNames& names = arguments.names;
  app.add_option("-o,--output-dir", arguments.output_folder,
                 "Write into FOLDER, which is made if it does not exist")
      ->type_name("FOLDER")
      ->capture_default_str();
  app.add_option("--depend-file", arguments.depend_file,
                 "Write a make rule that names all files that were read")
      ->type_name("FILE");
  app.add_flag("--any", names.with_any,
               "Also generate TypeCodes, and insertion into and extraction from any: stockA.h and "
               "stockA.cpp");
  app.add_flag(
      "--repository", names.with_repository,
      "Also generate a description of the IDL, stockR.h and stockR.cpp, with which a server "
      "answers _get_interface: see <perigee/repository/embedded.h>");
  app.add_flag(
      "--one-source", names.with_one_source,
      "Also generate stockAll.cpp, which includes the other sources: quicker to compile than "
      "each of them");
  app.add_flag("--client-only", names.client_only,
               "Leave out the files of servants: a program with only the client's files does not "
               "need libperigee_server");
  using WithOrb = cpp11::FileNames::WithOrb;
  app.add_option("--include-orb", names.with_orb,
                 "Which headers include <perigee/corba.h>, which declares the ORB and the POA for "
                 "applications: none, server (stockS.h), or all (stockC.h, too)")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, WithOrb>{
              {"none", WithOrb::none}, {"server", WithOrb::server}, {"all", WithOrb::all}},
          CLI::ignore_case))
      ->type_name("HEADERS")
      ->default_str("server");
  using cpp11::Demux;
  app.add_option("--demux", names.demux,
                 "For the experiment \"perigee bench demux\" only: how skeletons find an operation "
                 "by its name, linear, hash, perfect or sorted (default: perfect for up to 128 "
                 "operations, sorted for more)")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Demux>{{"linear", Demux::linear},
                                                                       {"hash", Demux::hash},
                                                                       {"perfect", Demux::perfect},
                                                                       {"sorted", Demux::sorted}}))
      ->type_name("WAY");
  app.add_flag("--keep-include-path", names.keeps_include_path,
               "Keep the folders of #include in generated code: #include \"parts/stock.idl\" gives "
               "#include \"parts/stockC.h\", not \"stockC.h\"");
  app.add_option("--client-suffix", names.client_suffix, "Suffix of the client's files")
      ->capture_default_str();
  app.add_option("--server-suffix", names.server_suffix, "Suffix of the server's files")
      ->capture_default_str();
  app.add_option("--any-suffix", names.any_suffix, "Suffix of the files for any")
      ->capture_default_str();
  app.add_option("--ami-suffix", names.ami_suffix, "Suffix of the files of asynchronous calls")
      ->capture_default_str();
  app.add_option("--ami-server-suffix", names.ami_server_suffix,
                 "Suffix of the files of reply handlers that are objects")
      ->capture_default_str();
  app.add_option("--amh-suffix", names.amh_suffix, "Suffix of the files of asynchronous servants")
      ->capture_default_str();
  app.add_option("--async-suffix", names.async_suffix, "Suffix of the files of calls by coroutines")
      ->capture_default_str();
  app.add_option("--async-server-suffix", names.async_server_suffix,
                 "Suffix of the files of coroutine servants")
      ->capture_default_str();
  app.add_option("--header-extension", names.header_extension, "Extension of headers")
      ->capture_default_str();
  app.add_option("--source-extension", names.source_extension, "Extension of sources")
      ->capture_default_str();
}

void add_flags(CLI::App& app, Flags& flags) {
  auto* dump = app.add_flag("--dump-model", flags.dumps_model,
                            "Print the checked declarations instead of generating");
  auto* implied =
      app.add_flag("--dump-implied-idl", flags.dumps_implied_idl,
                   "Instead of generating, print the IDL that asynchronous calls and servants "
                   "imply: for annotated interfaces, and for all with --ami, --amh")
          ->excludes(dump);
  app.add_flag("-E,--preprocess", flags.preprocesses, "Print the preprocessed text instead")
      ->excludes(dump)
      ->excludes(implied);
  app.add_flag(
      "--ami", flags.wants_ami,
      "Asynchronous calls (AMI) of all interfaces, not only of annotated ones: "
      "stockAmiC.h and stockAmiC.cpp, with stockAmiS.h and stockAmiS.cpp for reply handlers "
      "that are objects");
  app.add_flag("--ami-polling", flags.wants_ami_polling,
               "Like --ami, with pollers, too: a program takes the reply from a poller when it "
               "wants; the program needs Perigee::dynamic (libperigee_dynamic)");
  app.add_flag("--amh", flags.wants_amh,
               "Asynchronous servants (AMH) of all interfaces, not only of annotated ones: "
               "stockAmhS.h and stockAmhS.cpp");
  app.add_flag("--async", flags.wants_async,
               "Calls by coroutines, and coroutine servants, of all interfaces, not only of "
               "annotated ones: stockAsync.h, stockAsync.cpp, stockAsyncS.h and stockAsyncS.cpp");
}

/// The table of warnings, in the form of --help.
std::string warnings_help() {
  std::string text =
      "Warnings (-W<name> asks for one, -Wno-<name> drops it, -Werror=<name> makes it an error; "
      "-Wall asks for all, -Werror makes all errors):\n";
  for (const WarningInfo& info : warnings()) {
    std::string line = "  " + std::string(info.name);
    line.resize(std::max<std::size_t>(line.size() + 2, 24), ' ');
    text += line + std::string(info.meaning);
    text += info.is_error ? " (an error)\n" : info.is_on ? " (on)\n" : "\n";
  }
  return text;
}

/// Applies the -W options in order. Returns the error text; empty if all are valid.
std::string apply_warnings(const std::vector<std::string>& words, WarningOptions& options) {
  for (const std::string& word : words) {
    if (apply_warning_option(word, options)) continue;
    std::vector<std::string> names = {"all", "error"};
    for (const WarningInfo& info : warnings()) names.emplace_back(info.name);
    const auto equals = word.find('=');
    std::string name = equals == std::string::npos ? word : word.substr(equals + 1);
    if (name.starts_with("no-")) name.erase(0, 3);
    return "unknown warning '" + word + "'" + did_you_mean(name, names) +
           " (--help-warnings lists the warnings)";
  }
  return {};
}

/// The error text for options that are valid one by one, but not together; empty if they are valid.
std::string complaint(const Arguments& arguments) {
  if (!arguments.depend_file.empty() && arguments.files.size() > 1)
    return "--depend-file takes one IDL file at a time";
  const cpp11::FileNames& names = arguments.names;
  if (names.client_suffix == names.server_suffix)
    return "the client's and the server's files have the same suffix";
  const bool any_is_apart =
      names.any_suffix != names.client_suffix && names.any_suffix != names.server_suffix;
  if (names.with_any && !any_is_apart)
    return "the files for any have the same suffix as the client's or the server's";
  std::set<std::string> suffixes = {names.client_suffix, names.server_suffix};
  if (names.with_any) suffixes.insert(names.any_suffix);
  for (const std::string& suffix : {names.ami_suffix, names.ami_server_suffix, names.amh_suffix,
                                    names.async_suffix, names.async_server_suffix})
    if (!suffixes.insert(suffix).second)
      return "the files of asynchronous calls or servants have the same suffix as other files";
  if (names.with_repository && suffixes.contains(names.repository_suffix))
    return "the suffix R is reserved for the files of --repository";
  if (names.with_one_source && suffixes.contains(std::string(names.one_source_suffix)))
    return "the suffix All is reserved for the source of --one-source";
  if (arguments.names.header_extension == arguments.names.source_extension)
    return "headers and sources have the same extension";
  return {};
}

/// The error text for an invalid command line. CLI11 proposes no names for a misspelt option.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining();
  const auto first = std::ranges::find_if(unknown, [](const auto& each) { return each != "--"; });
  if (first == unknown.end()) return error.what();
  const std::string word = first->substr(0, first->find('='));
  std::vector<std::string> names;
  for (const CLI::Option* const option : app.get_options())
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  const std::size_t dashes = std::min(word.find_first_not_of('-'), word.size());
  return "unknown option '" + word + "'" + did_you_mean(word.substr(dashes), names, "--");
}

void apply(const Flags& flags, Arguments& arguments) {
  if (flags.dumps_model) arguments.action = Action::dump_model;
  if (flags.dumps_implied_idl) arguments.action = Action::dump_implied_idl;
  if (flags.preprocesses) arguments.action = Action::preprocess;
  arguments.implied = {flags.wants_ami, flags.wants_amh, flags.wants_async,
                       flags.wants_ami_polling};
  arguments.names.with_ami = flags.wants_ami || flags.wants_ami_polling;
  arguments.names.with_amh = flags.wants_amh;
  arguments.names.with_async = flags.wants_async;
  arguments.idl_version = flags.idl_version == "4" ? IdlVersion::four : IdlVersion::three;
}

}  // namespace

ParseResult parse_arguments(std::vector<std::string> words, std::ostream& out, std::ostream& err) {
  Arguments arguments;
  Flags flags;
  CLI::App app(description, "perigee-idl");
  app.set_version_flag("--version", std::string("perigee-idl ") + PERIGEE_VERSION);
  add_input_options(app, arguments, flags);
  add_output_options(app, arguments);
  add_flags(app, flags);
  app.add_flag_callback(
      "--help-warnings",
      [&out] {
        out << warnings_help();
        throw CLI::Success();
      },
      "List the warnings that -W knows");
  try {
    std::ranges::reverse(words);  // CLI11 takes words from the back
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app.exit(error, out, err);
      return {std::nullopt, exit_ok};
    }
    err << "perigee-idl: " << usage_error(app, error) << " (--help lists the options)\n";
    return {std::nullopt, exit_bad_usage};
  }
  apply(flags, arguments);
  std::string text = complaint(arguments);
  if (text.empty()) text = apply_warnings(flags.warnings, arguments.warnings);
  if (!text.empty()) {
    err << "perigee-idl: " << text << '\n';
    return {std::nullopt, exit_bad_usage};
  }
  return {std::move(arguments), exit_ok};
}

}  // namespace perigee::idlc
