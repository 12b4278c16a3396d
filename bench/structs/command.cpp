// Adds the command `perigee bench structs`: its options, and its roles (hidden commands that run
// the peers).
#include "harness/command.h"

#include "harness/companions.h"
#include "perigee.h"
#include "structs.h"

#include <memory>

namespace perigee::bench {
namespace {

int run_structs_role(const std::vector<std::string>& words) {
  if (words.front() == "server") return run_structs_server(words.at(1));
  if (words.front() == "client") return run_structs_client(words.at(1));
  return 1;
}

}  // namespace

void add_structs_command(CLI::App& bench) {
  struct Settings {
    StructsOptions options;
    Output output;
  };
  auto settings = std::make_shared<Settings>();  // lives as long as the callback below
  StructsOptions& options = settings->options;
  CLI::App* command = bench.add_subcommand(
      "structs", "CPU time of marshalling structs, alone and in calls, compared with omniORB");
  add_rounds_option(*command, options.rounds, "Number of rounds; 30 or more for conclusions");
  command->add_option("--calls", options.calls, "Calls per workload, system and round")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--workload", options.workloads, "Measure only these workloads")
      ->check(CLI::IsMember(structs_workloads()));
  add_output_options(*command, settings->output);
  command->callback([settings] {
    settings->options.omniorb_program = find_omniorb_program("structs_omniorb");
    write_report(run_structs(settings->options), settings->output);
  });
  add_role_command(bench, "structs", run_structs_role);
}

}  // namespace perigee::bench
