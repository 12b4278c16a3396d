// `perigee bench crowd`: its options, and its roles: the processes that the experiment starts.
#include "harness/command.h"

#include "crowd.h"
#include "cubit/perigee.h"

#include <memory>

namespace perigee::bench {
namespace {

int run_crowd_role(const std::vector<std::string>& words) {
  const auto number = [&words](std::size_t index) { return std::stoul(words.at(index)); };
  const std::string& role = words.front();
  if (role == "server")
    return run_perigee_server(words.at(1), "iiop://127.0.0.1:0",
                              {"-ORBServerConnectionsMax", "1000000"});
  if (role == "idle") return run_crowd_idle(words.at(1), number(2));
  if (role == "busy") return run_crowd_busy(words.at(1), number(2));
  if (role == "disturbers") return run_crowd_disturbers(words.at(1), number(2), number(3));
  return 1;
}

}  // namespace

void add_crowd_command(CLI::App& bench) {
  struct Settings {
    CrowdOptions options;
    Output output;
  };
  auto settings = std::make_shared<Settings>();  // lives as long as the callback below
  CrowdOptions& options = settings->options;
  CLI::App* command = bench.add_subcommand(
      "crowd", "Memory of idle connections, and latencies of busy ones beside slow clients");
  add_rounds_option(*command, options.rounds, "Number of rounds; 15 or more for conclusions");
  command->add_option("--idle", options.idle, "Idle connections")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--busy", options.busy, "Busy connections")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->add_option("--calls", options.calls, "Calls per measurement, over all busy connections")
      ->check(CLI::Range(1000, 10000000))
      ->capture_default_str();
  command->add_option("--strategy", options.strategies, "Thread strategies of the server")
      ->capture_default_str();
  add_output_options(*command, settings->output);
  command->callback([settings] { write_report(run_crowd(settings->options), settings->output); });
  add_role_command(bench, "crowd", run_crowd_role);
}

}  // namespace perigee::bench
