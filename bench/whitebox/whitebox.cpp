// Runs the whitebox experiment: a server and a client with probes for each protocol, kind of call
// and round.
#include "whitebox.h"

#include "harness/companions.h"
#include "harness/process.h"
#include "harness/progress.h"
#include "harness/temporary_folder.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

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

// A missing probe would make a layer look too fast.
void check_complete(const std::vector<Activity>& activities, const Steps& steps) {
  for (const Activity& activity : activities)
    for (const probe::Point point : activity.points)
      if (!steps.contains(point))
        throw std::runtime_error(std::string("whitebox: no stamp of the activity: ") +
                                 activity.name);
}

std::vector<CallSteps> measure(const Protocol& protocol, const std::string& workload,
                               std::size_t calls) {
  const std::string program = companion_program("whitebox_probed");
  const std::string count = std::to_string(calls);
  const int cpu = usable_cpus().back();
  Process server({{program, "server", protocol.endpoint, protocol.messages, count}, cpu});
  const std::string reference = server.read_line();
  Process client({{program, "client", reference, protocol.messages, count}, cpu});
  client.write_line(workload + ' ' + std::to_string(calls + 200));  // the first ones warm up
  if (const std::string answer = client.read_line(); !answer.starts_with("ok"))
    throw std::runtime_error(protocol.name + ": " + answer);
  client.close_input();
  const std::vector<SideCall> client_calls = parse_calls(client.read_rest());
  server.close_input();
  const std::vector<SideCall> server_calls = parse_calls(server.read_rest());
  check_complete(client_activities(), client_calls.back().steps);
  check_complete(server_activities(), server_calls.back().steps);
  return join(client_calls, server_calls);
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
    std::map<std::string, std::vector<CallSteps>> calls;  // of all rounds
    for (std::size_t round = 0; round < options.rounds; ++round)
      for (const Protocol& protocol : all) {
        progress.step(protocol.name + ", " + workload_of(size));
        std::ranges::move(measure(protocol, workload_of(size), options.calls),
                          std::back_inserter(calls[protocol.name]));
      }
    for (const Protocol& protocol : all)
      report.results.push_back(
          {protocol.name, size, middle_means(std::move(calls[protocol.name]))});
  }
  return report;
}

}  // namespace perigee::bench
