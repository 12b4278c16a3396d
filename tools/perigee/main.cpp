// The command `perigee`: puts its subcommands together.
#include "ior_command.h"
#include "name_command.h"
#include "protocols_command.h"
#include "try_command.h"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <string>
#ifdef PERIGEE_WITH_BENCH
#include "bench.h"
#endif

namespace {

int run(int argc, char* argv[]) {
  CLI::App program("Perigee: distributed objects at the speed of sockets");
  program.name("perigee");
  program.set_version_flag("--version", std::string("perigee ") + PERIGEE_VERSION);
  program.require_subcommand(1);
  perigee::tool::add_try_command(*perigee::tool::add_ior_command(program));
  perigee::tool::add_name_command(program);
  perigee::tool::add_protocols_command(program);
#ifdef PERIGEE_WITH_BENCH
  perigee::bench::add_bench_command(program);
#endif
  CLI11_PARSE(program, argc, argv);
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
