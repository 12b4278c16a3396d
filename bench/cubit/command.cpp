// `perigee bench cubit`: its options, and its roles.
#include "harness/command.h"

#include "asynchronous.h"
#include "cubit.h"
#include "perigee.h"
#include "raw.h"

#include <memory>

namespace perigee::bench {
namespace {

struct Settings {
  CubitOptions options;
  Output output;
  std::string picture_file;
  bool quick = false;
  bool goals = false;
  bool counts = false;
};

void run(const CLI::App& command, Settings& settings) {
  CubitOptions& options = settings.options;
  if (settings.quick) {
    set_unless_given(command, "--rounds", options.rounds, 7);
    set_unless_given(command, "--workload", options.workloads,
                     {"void", "long", "struct", "octets4096"});
    set_unless_given(command, "--system", options.systems, quick_cubit_systems());
  }
  if (settings.goals) {
    set_unless_given(command, "--workload", options.workloads, goal_workloads());
    set_unless_given(command, "--system", options.systems, goal_systems());
    options.floor_only = true;
  }
  if (!options.floor_only) options.omniorb_program = find_omniorb_program("cubit_omniorb");
  CubitReport report = run_cubit(options);
  if (settings.counts) count_costs(report);
  write_report(report, settings.output);
  if (!settings.picture_file.empty()) write_file(settings.picture_file, to_picture(report));
}

// Parses "GIOP" or "GIOPlite", and options of the ORB.
std::vector<std::string> options_for(const std::vector<std::string>& words, std::size_t first) {
  std::vector<std::string> options;
  if (words.at(first) == "GIOPlite") options = {"-ORBGiopLite", "yes"};
  const std::vector<std::string> others = orb_options_of(words, first + 1);
  options.insert(options.end(), others.begin(), others.end());
  return options;
}

int run_role(const std::vector<std::string>& words) {
  const std::string& role = words.front();
  if (role == "raw-server") return run_raw_server(words.at(1));
  if (role == "raw-epoll-server") return run_raw_epoll_server(words.at(1));
  if (role == "raw-client") return run_raw_client(words.at(1), words.at(2));
  if (role == "perigee-server" && words.size() == 2) return run_perigee_server(words[1]);
  if (role == "perigee-server")
    return run_perigee_server(words.at(1), words.at(2), options_for(words, 3));
  if (role == "asynchronous-server") return run_asynchronous_server(words.at(1), words.at(2));
  if (role == "perigee-client") return run_perigee_client(words.at(1), options_for(words, 2));
  return 1;
}

std::vector<std::string> all_workload_names() {
  std::vector<std::string> names = cubit_workloads();
  const std::vector<std::string> large = large_cubit_workloads();
  names.insert(names.end(), large.begin(), large.end());
  return names;
}

std::vector<std::string> all_system_names() {
  std::vector<std::string> names;
  for (const System& system : cubit_systems("omniORB", {})) names.push_back(system.name);
  return names;
}

}  // namespace

void add_cubit_command(CLI::App& bench) {
  auto settings = std::make_shared<Settings>();  // lives as long as the callback below
  CubitOptions& options = settings->options;
  CLI::App* command = bench.add_subcommand(
      "cubit",
      "two-way calls of all basic kinds, by every protocol, beside raw ping-pongs and omniORB");
  add_rounds_option(*command, options.rounds, "rounds; 30 or more for a claim");
  command->add_option("--calls", options.calls, "calls per workload, system and round")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  command->add_option("--workload", options.workloads, "only these workloads")
      ->check(CLI::IsMember(all_workload_names()));
  command->add_option("--volume", options.volume, "octets of large calls per round, like 64MiB")
      ->transform(CLI::AsSizeValue(false))
      ->capture_default_str();
  command->add_option("--system", options.systems, "only these, and what they are compared with")
      ->check(CLI::IsMember(all_system_names()));
  command->add_flag("--split", options.split, "server and client on two CPUs");
  command->add_flag("--no-peers", options.floor_only, "leave other ORBs out");
  command->add_flag(
      "--quick", settings->quick,
      "a few rounds of four workloads and one thread strategy, but for what is typed");
  command->add_flag("--goals", settings->goals,
                    "only what the goals are about, but for what is typed");
  command->add_flag("--counts", settings->counts,
                    "count instructions, system calls and allocations with callgrind (slow)");
  add_output_options(*command, settings->output);
  add_file_option(*command, "--svg", settings->picture_file,
                  "write a picture of the first workload to this file");
  command->callback([command, settings] { run(*command, *settings); });
  add_role_command(bench, "cubit", run_role);
}

}  // namespace perigee::bench
