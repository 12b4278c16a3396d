// Runs all checks, and prints their findings in the order of a first try: network, server, limits.
#include "doctor/doctor_command.h"

#include "call_limit.h"
#include "doctor/host.h"
#include "doctor/network.h"
#include "doctor/server.h"
#include "result.h"
#include "usage.h"

#include <sched.h>

#include <iterator>
#include <memory>
#include <thread>
#include <utility>

namespace perigee::tool {

namespace {

struct DoctorArguments {
  std::vector<std::string> peers;
  double timeout_s = 5;
  bool json = false;
};

unsigned usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return std::thread::hardware_concurrency();
  return static_cast<unsigned>(CPU_COUNT(&set));
}

Findings check_host() {
  const KernelFiles files;
  const ResourceLimits limits = resource_limits();
  return {check_open_files(limits), check_threads(limits, files),
          check_memory(files),      check_cpus(usable_cpus(), files),
          check_shared_memory(),    check_io_uring(files),
          check_clock(files),       check_backlog(files),
          check_client_ports(files)};
}

void append(Findings& findings, Findings more) {
  findings.insert(findings.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
}

void run(const DoctorArguments& arguments, const std::vector<std::string>& orb_options) {
  const auto limit = to_milliseconds(arguments.timeout_s);
  Findings findings = check_network();
  append(findings, check_server(orb_options, limit));
  for (const std::string& peer : arguments.peers) append(findings, check_peer(peer, limit));
  append(findings, check_host());
  print({to_text(findings), to_json(findings)}, format_of(arguments.json));
  if (has_problem(findings)) throw CLI::RuntimeError(exit_failed);
}

}  // namespace

void add_doctor_command(CLI::App& program, const std::vector<std::string>& orb_options) {
  CLI::App* command = program.add_subcommand(
      "doctor", "Check this host for settings that make servers and clients slow or unreachable");
  const auto arguments = std::make_shared<DoctorArguments>();
  command->add_option("--peer", arguments->peers, "Also connect to this host:port; may be repeated")
      ->type_name("ADDRESS")
      ->allow_extra_args(false);
  command
      ->add_option("--timeout", arguments->timeout_s, "Time limit for each connection, in seconds")
      ->check(time_limit(NoLimit::refused))
      ->capture_default_str();
  add_json_option(*command, arguments->json);
  command->callback([arguments, &orb_options] { run(*arguments, orb_options); });
}

}  // namespace perigee::tool
