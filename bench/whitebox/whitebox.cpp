// Runs the whitebox experiment: a server and a client with probes for each protocol, kind of call
// and round.
#include "whitebox.h"

#include "harness/command.h"
#include "harness/process.h"
#include "harness/progress.h"
#include "harness/statistics.h"
#include "harness/temporary_folder.h"

#include <filesystem>
#include <map>
#include <stdexcept>

namespace perigee::bench {
namespace {

struct Protocol {
  std::string name;
  std::string endpoint;
  std::string messages;
};

std::vector<Protocol> protocols(const std::filesystem::path& folder) {
  const std::string tcp = "iiop://127.0.0.1:0";
  const std::string local = "uiop://" + (folder / "whitebox").string();
  return {{"GIOP TCP", tcp, "GIOP"},
          {"GIOPlite TCP", tcp, "GIOPlite"},
          {"GIOP UNIX", local, "GIOP"},
          {"GIOPlite UNIX", local, "GIOPlite"}};
}

std::string probed_program() {
  const auto folder = std::filesystem::path(own_executable()).parent_path();
  for (const char* place : {"../libexec/perigee", "../../bench"})
    if (const auto program = folder / place / "whitebox_probed"; std::filesystem::exists(program))
      return std::filesystem::canonical(program);
  throw std::runtime_error("whitebox: there is no program whitebox_probed beside this one");
}

/// Both sides of some calls.
struct SideSteps {
  Steps client;
  Steps server;
};

// A probe that is missing would make a layer look quick.
void check_complete(const std::vector<Activity>& activities, const Steps& steps) {
  for (const Activity& activity : activities)
    for (const probe::Point point : activity.points)
      if (!steps.contains(point))
        throw std::runtime_error(std::string("whitebox: no time probe says: ") + activity.name);
}

SideSteps measure(const Protocol& protocol, const std::string& workload, std::size_t calls) {
  const std::string program = probed_program();
  const std::string count = std::to_string(calls);
  const int cpu = usable_cpus().back();
  Process server({{program, "server", protocol.endpoint, protocol.messages, count}, cpu});
  const std::string reference = server.read_line();
  Process client({{program, "client", reference, protocol.messages, count}, cpu});
  client.write_line(workload + ' ' + std::to_string(calls + 200));  // the first ones warm up
  if (const std::string answer = client.read_line(); !answer.starts_with("ok"))
    throw std::runtime_error(protocol.name + ": " + answer);
  client.close_input();
  SideSteps steps;
  steps.client = parse_steps(client.read_line());
  server.close_input();
  steps.server = parse_steps(server.read_line());
  check_complete(client_activities(), steps.client);
  check_complete(server_activities(), steps.server);
  return steps;
}

Steps medians(const std::vector<Steps>& rounds) {
  std::map<probe::Point, std::vector<double>> samples;
  for (const Steps& round : rounds)
    for (const auto& [point, time] : round) samples[point].push_back(time);
  Steps result;
  for (auto& [point, times] : samples) {
    times.resize(rounds.size());
    result[point] = median(times);
  }
  return result;
}

std::string workload_of(std::size_t size) {
  return size == 0 ? "void" : "octets" + std::to_string(size);
}

}  // namespace

WhiteboxReport run_whitebox(const WhiteboxOptions& options) {
  const TemporaryFolder folder;
  WhiteboxReport report{options, {}};
  std::vector<std::size_t> sizes{0};
  sizes.insert(sizes.end(), options.sizes.begin(), options.sizes.end());
  const std::vector<Protocol> all = protocols(folder.path());
  Progress progress("whitebox", all.size() * sizes.size() * options.rounds);
  for (const std::size_t size : sizes) {
    std::map<std::string, std::vector<Steps>> clients;
    std::map<std::string, std::vector<Steps>> servers;
    for (std::size_t round = 0; round < options.rounds; ++round)
      for (const Protocol& protocol : all) {
        progress.step(protocol.name + ", " + workload_of(size));
        SideSteps steps = measure(protocol, workload_of(size), options.calls);
        clients[protocol.name].push_back(std::move(steps.client));
        servers[protocol.name].push_back(std::move(steps.server));
      }
    for (const Protocol& protocol : all)
      report.results.push_back(
          {protocol.name, size, medians(clients[protocol.name]), medians(servers[protocol.name])});
  }
  return report;
}

}  // namespace perigee::bench
