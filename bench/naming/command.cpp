// Adds the command `perigee bench naming` with its options.
#include "harness/command.h"

#include "harness/companions.h"
#include "naming.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace perigee::bench {
namespace {

struct NamingSettings {
  NamingOptions options;
  Output output;
  bool quick = false;
  bool goals = false;
};

int run_naming_role(const std::vector<std::string>& words) {
  if (words.at(0) == "clients") return run_naming_clients(words.at(1), std::stoul(words.at(2)));
  if (words.at(0) == "binders")
    return run_naming_binders(words.at(1), std::stoul(words.at(2)), std::stoul(words.at(3)));
  return 1;
}

void run_naming_command(const CLI::App& command, NamingSettings& settings) {
  NamingOptions& options = settings.options;
  if (settings.goals) set_unless_given(command, "--rounds", options.rounds, 12);
  if (settings.quick) {
    set_unless_given(command, "--rounds", options.rounds, 2);
    set_unless_given(command, "--calls", options.calls, 500);
    set_unless_given(command, "--names", options.names, 200'000);
    set_unless_given(command, "--clients", options.clients, {100});
    options.binds_alone = 20;
    options.binds_together = 640;
  }
  options.peers_program = companion_program("naming_peers");
  write_report(run_naming(options), settings.output);
}

}  // namespace

void add_naming_command(CLI::App& bench) {
  auto settings = std::make_shared<NamingSettings>();  // lives as long as the callback below
  NamingOptions& options = settings->options;
  CLI::App* command = bench.add_subcommand(
      "naming", "The naming service: resolve and bind, compared with a C program, and many names");
  add_rounds_option(*command, options.rounds, "Number of rounds; 6 or more for conclusions");
  command->add_option("--calls", options.calls, "Calls of each kind and round")
      ->check(CLI::Range(10, 10'000'000))
      ->capture_default_str();
  command
      ->add_option("--names", options.names,
                   "Names in the measurement of scale, at least 100,000; 0 leaves it out")
      ->check(CLI::Range(0, 100'000'000))
      ->capture_default_str();
  command
      ->add_option("--clients", options.clients,
                   "Connected clients, for each measurement with many clients; 0 leaves it out")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1} << 40))
      ->capture_default_str();
  command->add_flag("--quick", settings->quick,
                    "Few rounds and calls; other options take precedence");
  command->add_flag("--goals", settings->goals,
                    "Use enough rounds to compare the values with the goals");
  add_output_options(*command, settings->output);
  command->callback([command, settings] { run_naming_command(*command, *settings); });
  add_role_command(bench, "naming", run_naming_role);
}

}  // namespace perigee::bench
