// The command `perigee`: assembles its subcommands.
#include "ior_command.h"
#include "name_command.h"
#include "orb_options.h"
#include "protocols_command.h"
#include "try_command.h"
#include <perigee/corba.h>
#include <perigee/orb/protocols.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#ifdef PERIGEE_WITH_BENCH
#include "bench.h"
#endif

namespace {

/// The protocols of an ORB with these options.
perigee::tool::ProtocolSource protocols_of(const std::vector<std::string>& orb_options) {
  return [&orb_options] {
    auto options = orb_options;
    auto orb = CORBA::ORB_init(options, "perigee ior");
    const auto& protocols = perigee::protocols(*orb);
    return std::shared_ptr<const perigee::transport::ProtocolRegistry>(
        &protocols, [orb](const auto* /*the ORB's*/) { orb->destroy(); });
  };
}

void check_used(const std::string& command, const std::vector<std::string>& orb_options) {
  if (command != "ior" && !orb_options.empty())
    throw std::runtime_error(orb_options.front() + ": this command takes no options of ORBs");
}

int run(int argc, char* argv[]) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const std::vector<std::string> orb_options = perigee::tool::take_orb_options(words);
  check_used(words.empty() ? std::string() : words.front(), orb_options);
  CLI::App program("Perigee: distributed objects at the speed of sockets");
  program.name("perigee");
  program.set_version_flag("--version", std::string("perigee ") + PERIGEE_VERSION);
  program.require_subcommand(1);
  CLI::App* ior = perigee::tool::add_ior_command(program, protocols_of(orb_options));
  perigee::tool::add_try_command(*ior, orb_options);
  perigee::tool::add_name_command(program);
  perigee::tool::add_protocols_command(program);
#ifdef PERIGEE_WITH_BENCH
  perigee::bench::add_bench_command(program);
#endif
  std::ranges::reverse(words);  // CLI11 takes words from the end
  try {
    program.parse(words);
  } catch (const CLI::ParseError& error) {
    return program.exit(error);
  }
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    return run(argc, argv);
  } catch (const std::exception& failure) {
    std::cerr << "perigee: " << failure.what() << '\n';
    return 1;
  }
}
