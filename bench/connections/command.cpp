// `perigee bench connections`: its options, and its roles.
#include "harness/command.h"

#include "connections.h"
#include "harness/companions.h"

#include <memory>

namespace perigee::bench {
namespace {

int run_connections_role(const std::vector<std::string>& words) {
  if (words.front() == "server") return run_connections_server(std::stoul(words.at(1)));
  if (words.front() == "thread-server") return run_connections_thread_server();
  if (words.front() == "client")
    return run_connections_client(words.at(1), std::stoul(words.at(2)));
  return 1;
}

}  // namespace

void add_connections_command(CLI::App& bench) {
  struct Settings {
    ConnectionsOptions options;
    Output output;
  };
  auto settings = std::make_shared<Settings>();  // lives as long as the callback below
  ConnectionsOptions& options = settings->options;
  CLI::App* command = bench.add_subcommand(
      "connections", "CPU time per call with many connections, compared with raw servers");
  add_rounds_option(*command, options.rounds, "Number of rounds; 30 or more for conclusions");
  command->add_option("--connections", options.connections, "Connections to each server")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->add_option("--calls", options.calls, "Calls per system and round")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  command->add_option("--system", options.systems, "Measure only these systems, and raw");
  add_output_options(*command, settings->output);
  command->callback([settings] {
    settings->options.omniorb_program = find_omniorb_program("cubit_omniorb");
    write_report(run_connections(settings->options), settings->output);
  });
  add_role_command(bench, "connections", run_connections_role);
}

}  // namespace perigee::bench
