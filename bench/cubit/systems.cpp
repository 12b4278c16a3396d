// The systems that the cubit experiment compares, and how each is started.
#include "systems.h"

#include <sstream>
#include <stdexcept>

namespace perigee::bench {

std::vector<System> cubit_systems(const std::string& omniorb_program) {
  const std::string self = own_executable();
  const auto role = [&self](std::vector<std::string> words) {
    std::vector<std::string> command{self, "bench", "cubit-role"};
    command.insert(command.end(), words.begin(), words.end());
    return command;
  };
  std::vector<System> systems{
      {"raw", role({"raw-server"}), role({"raw-client", "{REF}"})},
      {"null", role({"raw-server"}), role({"raw-client", "{REF}"})},
      {"perigee tpc", role({"perigee-server", "thread-per-connection"}),
       role({"perigee-client", "{REF}"})},
      {"perigee reactive", role({"perigee-server", "reactive"}), role({"perigee-client", "{REF}"})},
  };
  if (!omniorb_program.empty()) {
    const std::vector<std::string> local{"-ORBendPoint", "giop:tcp:127.0.0.1:"};
    std::vector<std::string> tpc{omniorb_program, "server"};
    tpc.insert(tpc.end(), local.begin(), local.end());
    std::vector<std::string> pool = tpc;
    pool.insert(pool.end(), {"-ORBthreadPerConnectionPolicy", "0"});
    const std::vector<std::string> client{omniorb_program, "client", "{REF}"};
    systems.push_back({"omniORB tpc", tpc, client});
    systems.push_back({"omniORB pool", pool, client});
  }
  return systems;
}

const std::vector<std::string>& cubit_workloads() {
  static const std::vector<std::string> names{
      "void", "octet", "short", "long", "struct", "octets4", "longs4", "octets4096", "longs4096"};
  return names;
}

Pair::Pair(const System& system, const Placement& placement)
    : server_(std::make_unique<Process>(ProcessOptions{system.server, placement.server_cpu})) {
  const std::string reference = server_->read_line();
  std::vector<std::string> arguments = system.client;
  for (std::string& argument : arguments)
    if (argument == "{REF}") argument = reference;
  client_ = std::make_unique<Process>(ProcessOptions{arguments, placement.client_cpu});
}

Sample Pair::run(const std::string& workload, std::size_t count) {
  const auto cpu_before = server_->cpu_time() + client_->cpu_time();
  client_->write_line(workload + " " + std::to_string(count));
  const std::string line = client_->read_line();
  const auto cpu_after = server_->cpu_time() + client_->cpu_time();
  std::istringstream words(line);
  std::string status;
  Sample sample;
  words >> status >> sample.p50_ns >> sample.mean_ns;
  if (status != "ok") throw std::runtime_error(workload + ": " + line);
  sample.cpu_ns = std::chrono::duration<double, std::nano>(cpu_after - cpu_before).count() /
                  static_cast<double>(count);
  return sample;
}

}  // namespace perigee::bench
