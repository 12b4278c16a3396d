// `perigee bench protocols`: its options.
#include "harness/command.h"

#include "harness/companions.h"
#include "protocols.h"

#include <memory>

namespace perigee::bench {
namespace {

struct ProtocolsSettings {
  ProtocolsOptions options = protocols_options();
  Output output;
  bool quick = false;
};

void make_protocols_quick(const CLI::App& command, ProtocolsOptions& options) {
  set_unless_given(command, "--rounds", options.cubit.rounds, 3);
  options.cubit.calls = 100;
  options.cubit.workloads = {"void", "octets4096", "longs4096"};
  options.ttcp.buffers_max = 4096;
}

void run_protocols_command(const CLI::App& command, ProtocolsSettings& settings) {
  ProtocolsOptions& options = settings.options;
  if (settings.quick) make_protocols_quick(command, options);
  options.ttcp.rounds = options.cubit.rounds;
  options.cubit.peers.omniorb = find_omniorb_program("cubit_omniorb");
  write_report(run_protocols(options), settings.output);
}

}  // namespace

void add_protocols_command(CLI::App& bench) {
  auto settings = std::make_shared<ProtocolsSettings>();  // lives as long as the callback below
  CLI::App* command = bench.add_subcommand(
      "protocols", "The performance goals of the protocols, with parts of cubit and ttcp");
  add_rounds_option(*command, settings->options.cubit.rounds,
                    "Number of rounds; 30 or more for conclusions");
  command->add_flag("--quick", settings->quick, "Few rounds of few workloads");
  command->add_flag("--counts", settings->options.counts,
                    "Count instructions, system calls and allocations with callgrind (slow)");
  add_output_options(*command, settings->output);
  command->callback([command, settings] { run_protocols_command(*command, *settings); });
}

}  // namespace perigee::bench
