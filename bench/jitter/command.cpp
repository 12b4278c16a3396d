// Adds the command `perigee bench jitter`: its options, and the role "crowd" (a hidden command that
// runs the other clients).
#include "harness/command.h"

#include "jitter.h"

#include <memory>

namespace perigee::bench {
namespace {

struct JitterSettings {
  JitterOptions options;
  Output output;
  bool quick = false;
  bool counts = false;
};

void run_jitter_command(const CLI::App& command, JitterSettings& settings) {
  if (settings.quick) {
    set_unless_given(command, "--rounds", settings.options.rounds, 3);
    set_unless_given(command, "--calls", settings.options.calls, 2000);
  }
  JitterReport report = run_jitter(settings.options);
  if (settings.counts) count_costs(report);
  write_report(report, settings.output);
}

int run_jitter_role(const std::vector<std::string>& words) {
  if (words.front() == "crowd") return run_jitter_crowd(words.at(1), std::stoul(words.at(2)));
  return 1;
}

}  // namespace

void add_jitter_command(CLI::App& bench) {
  auto settings = std::make_shared<JitterSettings>();  // lives as long as the callback below
  JitterOptions& options = settings->options;
  CLI::App* command = bench.add_subcommand(
      "jitter", "Percentiles of the latency of calls, for servants that reply at once or later");
  add_rounds_option(*command, options.rounds, "Number of rounds; 30 or more for conclusions");
  command->add_option("--calls", options.calls, "Calls per workload, system and round")
      ->check(CLI::Range(10, 10000000))
      ->capture_default_str();
  command->add_option("--workload", options.workloads, "Workloads, as in cubit")
      ->check(CLI::IsMember(cubit_workloads()))
      ->capture_default_str();
  command
      ->add_option("--crowd", options.crowd,
                   "Other clients in the second part of the experiment; 0: no second part")
      ->check(CLI::Range(0, 10000))
      ->capture_default_str();
  command->add_flag("--split", options.split, "Run server and client on two CPUs");
  command->add_flag("--quick", settings->quick,
                    "Few calls and rounds; other options take precedence");
  command->add_flag("--counts", settings->counts,
                    "Count instructions, system calls and allocations with callgrind (slow)");
  add_output_options(*command, settings->output);
  command->callback([command, settings] { run_jitter_command(*command, *settings); });
  add_role_command(bench, "jitter", run_jitter_role);
}

}  // namespace perigee::bench
