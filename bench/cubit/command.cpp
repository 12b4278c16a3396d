// Adds the command `perigee bench cubit`: its options, and its roles (hidden commands that run the
// peers).
#include "harness/command.h"

#include "asynchronous.h"
#include "cubit.h"
#include "harness/companions.h"
#include "perigee.h"
#include "raw.h"
#include "raw_copies.h"
#include "raw_ring.h"

#include <memory>

namespace perigee::bench {
namespace {

struct CubitSettings {
  CubitOptions options;
  Output output;
  std::string picture_file;
  bool quick = false;
  bool goals = false;
  bool counts = false;
};

void run_cubit_command(const CLI::App& command, CubitSettings& settings) {
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
  if (!options.floor_only)
    options.peers = {find_omniorb_program("cubit_omniorb"), find_iceoryx_program("cubit_iceoryx")};
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

int run_cubit_role(const std::vector<std::string>& words) {
  const std::string& role = words.front();
  if (role == "raw-server") return run_raw_server(words.at(1));
  if (role == "raw-epoll-server") return run_raw_epoll_server(words.at(1));
  if (role == "raw-client") return run_raw_client(words.at(1), words.at(2));
  if (role == "raw-ring-server") return run_raw_ring_server(words.at(1));
  if (role == "raw-ring-client") return run_raw_ring_client(words.at(1), words.at(2));
  if (role == "raw-copies-server") return run_raw_copies_server();
  if (role == "raw-copies-client") return run_raw_copies_client(words.at(1));
  if (role == "perigee-server" && words.size() == 2) return run_perigee_server(words[1]);
  if (role == "perigee-server")
    return run_perigee_server(words.at(1), words.at(2), options_for(words, 3));
  if (role == "asynchronous-server") return run_asynchronous_server(words.at(1), words.at(2));
  if (role == "perigee-client") return run_perigee_client(words.at(1), options_for(words, 2));
  return 1;
}

std::vector<std::string> all_workload_names() {
  std::vector<std::string> names = cubit_workloads();
  const std::vector<std::string> further = further_cubit_workloads();
  names.insert(names.end(), further.begin(), further.end());
  return names;
}

std::vector<std::string> all_system_names() {
  std::vector<std::string> names;
  for (const System& system : cubit_systems({"omniORB", "iceoryx"}, {}))
    names.push_back(system.name);
  return names;
}

}  // namespace

void add_cubit_command(CLI::App& bench) {
  auto settings = std::make_shared<CubitSettings>();  // lives as long as the callback below
  CubitOptions& options = settings->options;
  CLI::App* command = bench.add_subcommand(
      "cubit",
      "Two-way calls with all basic types over all protocols, compared with raw ping-pongs and "
      "omniORB");
  add_rounds_option(*command, options.rounds, "Number of rounds; 30 or more for conclusions");
  command->add_option("--calls", options.calls, "Calls per workload, system and round")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  command->add_option("--workload", options.workloads, "Measure only these workloads")
      ->check(CLI::IsMember(all_workload_names()));
  command->add_option("--volume", options.volume, "Octets of large calls per round, like 64MiB")
      ->transform(CLI::AsSizeValue(false))
      ->capture_default_str();
  command
      ->add_option("--system", options.systems,
                   "Measure only these systems, and the systems that they are compared with")
      ->check(CLI::IsMember(all_system_names()));
  command->add_flag("--split", options.split, "Run server and client on two CPUs");
  command->add_flag("--no-peers", options.floor_only, "Measure no other ORBs");
  command->add_flag(
      "--quick", settings->quick,
      "Few rounds of four workloads and one thread strategy; other options take precedence");
  command->add_flag("--goals", settings->goals,
                    "Measure only the systems with goals; other options take precedence");
  command->add_flag("--counts", settings->counts,
                    "Count instructions, system calls and allocations with callgrind (slow)");
  add_output_options(*command, settings->output);
  add_file_option(*command, "--svg", settings->picture_file,
                  "Write a picture of the first workload to this file");
  command->callback([command, settings] { run_cubit_command(*command, *settings); });
  add_role_command(bench, "cubit", run_cubit_role);
}

}  // namespace perigee::bench
