// `perigee bench ami`: its options, and its role.
#include "harness/command.h"

#include "ami.h"
#include "harness/companions.h"

#include <algorithm>
#include <memory>

namespace perigee::bench {
namespace {

struct AmiSettings {
  AmiOptions options;
  Output output;
  bool quick = false;
  bool counts = false;
};

// Leaves out omniORB if this build has none, and the parts on two CPUs if there is only one CPU.
void choose_parts(const CLI::App& command, AmiOptions& options) {
  if (std::ranges::find(options.servers, "omniORB") != options.servers.end())
    options.omniorb_program = find_omniorb_program("cubit_omniorb");
  if (options.omniorb_program.empty()) std::erase(options.servers, "omniORB");
  if (usable_cpus().size() < 2) set_unless_given(command, "--cpus", options.cpus, {1});
  if (options.servers.empty()) throw std::runtime_error("ami: there is no server to measure");
}

void run_ami_command(const CLI::App& command, AmiSettings& settings) {
  AmiOptions& options = settings.options;
  if (settings.quick) {
    set_unless_given(command, "--rounds", options.rounds, 3);
    set_unless_given(command, "--calls", options.calls, 1000);
    set_unless_given(command, "--in-flight", options.in_flight, {1, 8, 64});
  }
  choose_parts(command, options);
  AmiReport report = run_ami(options);
  if (settings.counts) count_costs(report);
  write_report(report, settings.output);
}

int run_ami_role(const std::vector<std::string>& words) {
  if (words.front() == "client") return run_ami_client(words.at(1), words.at(2));
  return 1;
}

}  // namespace

void add_ami_command(CLI::App& bench) {
  auto settings = std::make_shared<AmiSettings>();  // lives as long as the callback below
  AmiOptions& options = settings->options;
  CLI::App* command = bench.add_subcommand(
      "ami", "Asynchronous calls: many in flight on one connection, compared with one at a time");
  add_rounds_option(*command, options.rounds,
                    "Number of rounds; 30 or more for differences of a few percent");
  command->add_option("--calls", options.calls, "Calls per kind, number in flight and round")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  command
      ->add_option("--in-flight", options.in_flight, "Numbers of calls that wait for their replies")
      ->check(CLI::Range(1, 16384))
      ->capture_default_str();
  command
      ->add_option("--server", options.servers, "Servers: Perigee's by thread strategy, or omniORB")
      ->check(CLI::IsMember(ami_servers()))
      ->capture_default_str();
  command
      ->add_option("--cpus", options.cpus,
                   "Numbers of CPUs: with 1, client and server share a CPU; with 2, each has one")
      ->check(CLI::Range(1, 2))
      ->capture_default_str();
  command->add_flag("--quick", settings->quick,
                    "Few calls and rounds; other options take precedence");
  command->add_flag("--counts", settings->counts,
                    "Count instructions, system calls and allocations with callgrind (slow)");
  add_output_options(*command, settings->output);
  command->callback([command, settings] { run_ami_command(*command, *settings); });
  add_role_command(bench, "ami", run_ami_role);
}

}  // namespace perigee::bench
