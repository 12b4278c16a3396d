// Adds the command `perigee bench bridge`: its options, and its roles (hidden commands that run the
// peers).
#include "harness/command.h"

#include "bridge.h"

#include <memory>

namespace perigee::bench {
namespace {

int run_bridge_role(const std::vector<std::string>& words) {
  const auto number = [&words](std::size_t index) { return std::stoul(words.at(index)); };
  const std::string& role = words.front();
  if (role == "floor") return run_bridge_floor(static_cast<std::uint16_t>(number(1)), number(2));
  if (role == "target") return run_bridge_target(number(1));
  if (role == "client") return run_bridge_client(words.at(1), number(2), number(3));
  return 1;
}

// --goals implies --counts, because one goal limits allocations. --quick changes only options that
// the user has not given.
void complete(BridgeOptions& options, const CLI::App& command, bool quick) {
  if (options.goals) options.counts = true;
  if (!quick) return;
  set_unless_given(command, "--rounds", options.rounds, 2);
  set_unless_given(command, "--calls", options.calls, 500);
  set_unless_given(command, "--connections", options.connections, {1, 100});
}

}  // namespace

void add_bridge_command(CLI::App& bench) {
  struct Settings {
    BridgeOptions options;
    Output output;
    bool quick = false;
  };
  auto settings = std::make_shared<Settings>();  // lives as long as the callback below
  BridgeOptions& options = settings->options;
  CLI::App* command = bench.add_subcommand(
      "bridge", "CPU time of the in-line bridge for a call, compared with a C forwarder");
  add_rounds_option(*command, options.rounds, "Number of rounds; 30 or more for conclusions");
  command
      ->add_option("--octets", options.octets,
                   "Sizes of argument and result in octets; 0: a void call")
      ->check(CLI::Range(0, 16 << 20))
      ->capture_default_str();
  command->add_option("--connections", options.connections, "Numbers of connections of clients")
      ->check(CLI::Range(1, 5000))
      ->capture_default_str();
  command
      ->add_option("--calls", options.calls, "Calls per system and round; fewer for large messages")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  command
      ->add_option("--threads", options.threads,
                   "Threads of each system; default: one for each CPU")
      ->check(CLI::Range(1, 1024));
  command->add_flag("--counts", options.counts,
                    "Count instructions, system calls and allocations with callgrind (slow)");
  command->add_flag("--goals", options.goals,
                    "Compare the results with the goals; implies --counts");
  command->add_flag("--quick", settings->quick, "Few rounds, calls and connections");
  add_output_options(*command, settings->output);
  command->callback([settings, command] {
    complete(settings->options, *command, settings->quick);
    write_report(run_bridge(settings->options), settings->output);
  });
  add_role_command(bench, "bridge", run_bridge_role);
}

}  // namespace perigee::bench
