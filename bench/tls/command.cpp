// Adds the command `perigee bench tls` with its options.
#include "harness/command.h"

#include "harness/companions.h"
#include "tls.h"

#include <memory>

namespace perigee::bench {
namespace {

struct Settings {
  TlsBenchOptions options;
  Output output;
  bool quick = false;
  bool goals = false;
  bool counts = false;
};

void run(const CLI::App& command, Settings& settings) {
  TlsBenchOptions& options = settings.options;
  if (settings.quick) {
    set_unless_given(command, "--rounds", options.rounds, 5);
    set_unless_given(command, "--calls", options.calls, 200);
  }
  if (settings.goals) options.systems = TlsSystems::with_goals;
  options.peers_program = companion_program("tls_peers");
  options.omniorb_program = find_omniorb_program("tls_omniorb");
  TlsReport report = run_tls(options);
  if (settings.counts) count_costs(report);
  write_report(report, settings.output);
}

}  // namespace

void add_tls_command(CLI::App& bench) {
  auto settings = std::make_shared<Settings>();  // lives as long as the callback below
  TlsBenchOptions& options = settings->options;
  CLI::App* command = bench.add_subcommand(
      "tls", "Calls and handshakes over TLS, compared with C programs and omniORB");
  add_rounds_option(*command, options.rounds, "Number of rounds; 30 or more for conclusions");
  command
      ->add_option("--calls", options.calls,
                   "Calls without parameters per system and round. A round has a tenth of this "
                   "number of 1 MiB calls, and a fifth of this number of handshakes")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  command->add_option("--workload", options.workloads, "Measure only these workloads")
      ->check(CLI::IsMember(tls_workloads()));
  command->add_flag("--quick", settings->quick,
                    "Few rounds and calls; other options take precedence");
  command->add_flag("--goals", settings->goals, "Measure only the systems with goals");
  command->add_flag("--counts", settings->counts,
                    "Count instructions, system calls and allocations with callgrind (slow)");
  add_output_options(*command, settings->output);
  command->callback([command, settings] { run(*command, *settings); });
}

}  // namespace perigee::bench
