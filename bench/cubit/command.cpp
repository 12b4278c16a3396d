// `perigee bench cubit`: its options, and its roles.
#include "harness/command.h"

#include "cubit.h"
#include "perigee.h"
#include "raw.h"

#include <memory>

namespace perigee::bench {
namespace {

struct Settings {
  CubitOptions options;
  Output output;
  bool quick = false;
  bool instructions = false;
};

void run(const CLI::App& command, Settings& settings) {
  CubitOptions& options = settings.options;
  if (settings.quick) {
    set_unless_given(command, "--rounds", options.rounds, 7);
    set_unless_given(command, "--workload", options.workloads,
                     {"void", "long", "struct", "octets4096"});
  }
  if (!options.floor_only) options.omniorb_program = find_omniorb_program("cubit_omniorb");
  CubitReport report = run_cubit(options);
  if (settings.instructions) count_instructions(report);
  write_report(report, settings.output);
}

int run_role(const std::vector<std::string>& words) {
  const std::string& role = words.front();
  if (role == "raw-server") return run_raw_server();
  if (role == "raw-client") return run_raw_client(words.at(1));
  if (role == "perigee-server") return run_perigee_server(words.at(1));
  if (role == "perigee-client") return run_perigee_client(words.at(1));
  return 1;
}

}  // namespace

void add_cubit_command(CLI::App& bench) {
  auto settings = std::make_shared<Settings>();  // lives as long as the callback below
  CubitOptions& options = settings->options;
  CLI::App* command = bench.add_subcommand(
      "cubit", "two-way calls of all basic kinds, beside a raw TCP ping-pong and omniORB");
  add_rounds_option(*command, options.rounds, "rounds; 30 or more for a claim");
  command->add_option("--calls", options.calls, "calls per workload, system and round")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  command->add_option("--workload", options.workloads, "only these workloads")
      ->check(CLI::IsMember(cubit_workloads()));
  command->add_flag("--split", options.split, "server and client on two CPUs");
  command->add_flag("--no-peers", options.floor_only, "leave other ORBs out");
  command->add_flag("--quick", settings->quick,
                    "a few rounds of four workloads, but for what is typed");
  command->add_flag("--instructions", settings->instructions,
                    "count user-space instructions per call with callgrind (slow)");
  add_output_options(*command, settings->output);
  command->callback([command, settings] { run(*command, *settings); });
  add_role_command(bench, "cubit", run_role);
}

}  // namespace perigee::bench
