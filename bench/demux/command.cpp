// `perigee bench demux`: its options.
#include "harness/command.h"

#include "demux.h"

#include <memory>

namespace perigee::bench {
namespace {

struct DemuxSettings {
  DemuxOptions options;
  Output output;
  bool quick = false;
};

void run_demux_command(const CLI::App& command, DemuxSettings& settings) {
  if (settings.quick) {
    set_unless_given(command, "--rounds", settings.options.rounds, 2);
    set_unless_given(command, "--calls", settings.options.calls, 10'000);
  }
  write_report(run_demux(settings.options), settings.output);
}

}  // namespace

void add_demux_command(CLI::App& bench) {
  auto settings = std::make_shared<DemuxSettings>();  // lives as long as the callback below
  DemuxOptions& options = settings->options;
  CLI::App* command = bench.add_subcommand(
      "demux", "The time in which a skeleton finds an operation, with several ways of searching");
  add_rounds_option(*command, options.rounds, "Number of rounds");
  command->add_option("--calls", options.calls, "Calls per way, interface, order and round")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  command
      ->add_option("--operations", options.operations,
                   "Measure only interfaces with these numbers of operations")
      ->check(CLI::IsMember(demux_counts()))
      ->capture_default_str();
  command->add_flag("--quick", settings->quick,
                    "Two rounds with fewer calls; other options take precedence");
  add_output_options(*command, settings->output);
  command->callback([command, settings] { run_demux_command(*command, *settings); });
}

}  // namespace perigee::bench
