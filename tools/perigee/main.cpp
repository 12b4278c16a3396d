// The command `perigee`: adds its subcommands, and parses the command line.
#include "bridge_command.h"
#include "call/call_command.h"
#include "cert_command.h"
#include "doctor/doctor_command.h"
#include "ior_command.h"
#include "list_command.h"
#include "make_orb.h"
#include "name_command.h"
#include "orb_options.h"
#include "protocols_command.h"
#include "remote/describe_command.h"
#include "try_command.h"
#include "usage.h"
#include "watch_command.h"
#include <perigee/corba.h>
#include <perigee/orb/protocols.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>
#ifdef PERIGEE_WITH_BENCH
#include "bench.h"
#endif

namespace {

/// The protocols of an ORB with these options.
perigee::tool::ProtocolSource protocols_of(const std::vector<std::string>& orb_options) {
  return [&orb_options] {
    auto orb = perigee::tool::make_orb("perigee ior", orb_options);
    const auto& protocols = perigee::protocols(*orb);
    return std::shared_ptr<const perigee::transport::ProtocolRegistry>(
        &protocols, [orb](const auto* /*the ORB's*/) { orb->destroy(); });
  };
}

struct Command {
  const char* name;
  std::function<void(CLI::App& program)> add;
};

/// `orb_options` lives longer than the program.
std::vector<Command> commands_with(const std::vector<std::string>& orb_options) {
  using CLI::App;
  namespace tool = perigee::tool;
  return {
      {"ior",
       [&orb_options](App& program) {
         App* const ior = tool::add_ior_command(program, protocols_of(orb_options));
         tool::add_try_command(*ior, orb_options);
       }},
      {"name", [](App& program) { tool::add_name_command(program); }},
      {"protocols", [](App& program) { tool::add_protocols_command(program); }},
      {"list", [](App& program) { tool::add_list_command(program); }},
      {"cert", [](App& program) { tool::add_cert_command(program); }},
      {"bridge", [&orb_options](App& program) { tool::add_bridge_command(program, orb_options); }},
      {"call", [&orb_options](App& program) { tool::add_call_command(program, orb_options); }},
      {"describe",
       [&orb_options](App& program) { tool::add_describe_command(program, orb_options); }},
      {"watch", [&orb_options](App& program) { tool::add_watch_command(program, orb_options); }},
      {"doctor", [&orb_options](App& program) { tool::add_doctor_command(program, orb_options); }},
#ifdef PERIGEE_WITH_BENCH
      {"bench", [](App& program) { perigee::bench::add_bench_command(program); }},
#endif
  };
}

/// Adds only the command that the first word names: the others would cost each run the time for
/// all their options. Without such a command, adds all commands, because the help and the error
/// texts list them.
void add_commands(CLI::App& program, const std::vector<std::string>& words,
                  const std::vector<std::string>& orb_options) {
  const std::vector<Command> commands = commands_with(orb_options);
  const auto named = std::ranges::find_if(commands, [&words](const Command& command) {
    return !words.empty() && words.front() == command.name;
  });
  if (named != commands.end()) return named->add(program);
  for (const Command& command : commands) command.add(program);
}

/// Only some commands use the ORB's options.
void check_used(const CLI::App& program, const std::vector<std::string>& words,
                const std::vector<std::string>& orb_options) {
  if (orb_options.empty() || words.empty()) return;
  for (const char* const user : {"ior", "bridge", "call", "describe", "doctor", "watch"})
    if (words.front() == user) return;
  const auto is_named = [&words](const CLI::App* command) {
    return command->get_name() == words.front();
  };
  if (program.get_subcommands(is_named).empty()) return;  // the parser reports it
  const std::string command = "perigee " + words.front();
  throw perigee::tool::UsageError(
      command + ": " + orb_options.front() + " has no effect here; " +
      "only perigee ior, bridge, call, describe, doctor and watch take the options of an ORB");
}

int run_perigee(int argc, char* argv[]) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const std::vector<std::string> orb_options = perigee::tool::take_orb_options(words);
  if (std::ranges::find(orb_options, "-ORBHelp") !=
      orb_options.end()) {  // no command needs its arguments then
    perigee::tool::make_orb("perigee", {"-ORBHelp"})->destroy();
    return perigee::tool::exit_done;
  }
  CLI::App program("Perigee: distributed objects at the speed of sockets");
  program.name("perigee");
  program.set_version_flag("--version", std::string("perigee ") + PERIGEE_VERSION);
  program.require_subcommand(1);
  add_commands(program, words, orb_options);
  check_used(program, words, orb_options);
  perigee::tool::keep_arrays(words);
  std::ranges::reverse(words);  // CLI11 takes words from the end
  try {
    program.parse(words);
  } catch (const CLI::ParseError& error) {
    return perigee::tool::report(program, error);
  }
  return perigee::tool::exit_done;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    return run_perigee(argc, argv);
  } catch (const perigee::tool::UsageError& mistake) {
    std::cerr << mistake.what() << '\n';
    return perigee::tool::exit_usage;
  } catch (const std::exception& failure) {
    std::cerr << "perigee: " << failure.what() << '\n';
    return perigee::tool::exit_failed;
  }
}
