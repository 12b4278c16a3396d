// The program of ./quickstart: the command `bench cubit` of `perigee`, built without the other
// experiments.
#include "cubit/cubit.h"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>

int main(int argc, char* argv[]) {
  CLI::App program("A part of the command perigee: calls of one client, compared with raw sockets");
  program.require_subcommand(1);
  CLI::App* bench = program.add_subcommand("bench", "Measure Perigee");
  bench->require_subcommand(1);
  perigee::bench::add_cubit_command(*bench);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error);
  } catch (const std::exception& failure) {
    std::cerr << "quick_bench: " << failure.what() << '\n';
    return 1;
  }
  return 0;
}
