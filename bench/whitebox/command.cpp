// Adds the command `perigee bench whitebox` with its options.
#include "harness/command.h"

#include "cubit/workloads.h"
#include "whitebox.h"

#include <iterator>
#include <memory>

namespace perigee::bench {
namespace {

struct WhiteboxSettings {
  WhiteboxOptions options;
  Output output;
  bool quick = false;
};

void run_whitebox_command(const CLI::App& command, WhiteboxSettings& settings) {
  if (settings.quick) {
    set_unless_given(command, "--rounds", settings.options.rounds, 1);
    set_unless_given(command, "--size", settings.options.sizes, {4, 4096});
    set_unless_given(command, "--strategy", settings.options.strategies,
                     {"thread-per-connection", "reactive"});
    set_unless_given(command, "--workload", settings.options.workloads, {"void"});
  }
  write_report(run_whitebox(settings.options), settings.output);
}

}  // namespace

void add_whitebox_command(CLI::App& bench) {
  auto settings = std::make_shared<WhiteboxSettings>();  // lives as long as the callback below
  WhiteboxOptions& options = settings->options;
  options.sizes.assign(std::begin(cubit::echo_sizes), std::end(cubit::echo_sizes));
  CLI::App* command = bench.add_subcommand(
      "whitebox", "The time of a two-way call in each layer, with time probes");
  add_rounds_option(*command, options.rounds, "Number of rounds, each with new processes");
  command->add_option("--calls", options.calls, "Calls per protocol, size and round")
      ->check(CLI::Range(1, 2000))  // the ring of a thread has room for the stamps of these calls
      ->capture_default_str();
  command
      ->add_option("--size", options.sizes,
                   "Sizes of the parameter in octets, for the chart over sizes (figure 19)")
      ->check(CLI::IsMember(options.sizes));
  command
      ->add_option("--strategy", options.strategies,
                   "Thread strategies of the server; figure 19 shows the first")
      ->check(CLI::IsMember(whitebox_strategies()))
      ->capture_default_str();
  command->add_option("--workload", options.workloads, "Kinds of calls, as in the cubit experiment")
      ->check(CLI::IsMember(whitebox_workloads()))
      ->capture_default_str();
  command->add_flag("--counts", options.counts,
                    "Also count the instructions of each step, for the first strategy and kind of "
                    "call: needs valgrind");
  command->add_flag("--quick", settings->quick,
                    "One round of two sizes, two strategies and calls without parameters; other "
                    "options take precedence");
  add_output_options(*command, settings->output);
  command->callback([command, settings] { run_whitebox_command(*command, *settings); });
}

}  // namespace perigee::bench
