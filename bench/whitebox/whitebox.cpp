// Runs the whitebox experiment: a server and a client with probes for each strategy, protocol, kind
// of call and round.
#include "whitebox.h"

#include "counts.h"
#include "harness/companions.h"
#include "harness/process.h"
#include "harness/progress.h"
#include "harness/temporary_folder.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace perigee::bench {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t warm_up_calls = 200;
/// callgrind writes a part of its output file for each stamp. To keep the file small, only this
/// number of calls is counted.
constexpr std::size_t counted_calls = 10;

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

std::string workload_of(std::size_t size) { return "octets" + std::to_string(size); }

/// A measurement, which is made once for each protocol. The processes get these values.
struct Subject {
  std::string strategy;
  std::string workload;
  std::size_t size = 0;
};

std::vector<Subject> subjects_of(const WhiteboxOptions& options) {
  std::vector<Subject> subjects;
  for (const std::string& strategy : options.strategies)
    for (const std::string& workload : options.workloads) subjects.push_back({strategy, workload});
  for (const std::size_t size : options.sizes)
    subjects.push_back({options.strategies.front(), workload_of(size), size});
  return subjects;
}

// A missing probe would make a layer look too fast. A single call may lack a step: a server may
// receive the next request before the thread that has sent the reply takes its stamp.
void check_complete(const std::vector<Activity>& activities, const std::vector<SideCall>& calls) {
  for (const Activity& activity : activities)
    for (const probe::Point point : activity.points)
      if (std::ranges::none_of(
              calls, [point](const SideCall& call) { return call.steps.contains(point); }))
        throw std::runtime_error(std::string("whitebox: the probe of the activity '") +
                                 activity.name +
                                 "' recorded no time; build whitebox_probed again, from the same "
                                 "sources as perigee");
}

/// The outputs of both sides after some calls.
struct Outputs {
  std::string client;
  std::string server;
};

/// `server_prefix`, `client_prefix`: words in front of the program's command. `kept`: each side
/// prints its last `kept` calls; 0: it prints the points of all its stamps.
struct Run {
  Words server_prefix;
  Words client_prefix;
  std::size_t calls = 0;
  std::size_t kept = 0;
};

Words with_prefix(Words prefix, const Words& command) {
  prefix.insert(prefix.end(), command.begin(), command.end());
  return prefix;
}

Outputs run_calls(const Subject& subject, const Protocol& protocol, const Run& run) {
  const std::string program = companion_program("whitebox_probed");
  const std::string kept = std::to_string(run.kept);
  const int cpu = usable_cpus().back();
  Process server({with_prefix(run.server_prefix, {program, "server", subject.strategy,
                                                  protocol.endpoint, protocol.messages, kept}),
                  cpu});
  const std::string reference = server.read_line();
  Process client(
      {with_prefix(run.client_prefix, {program, "client", reference, protocol.messages, kept}),
       cpu});
  client.write_line(subject.workload + ' ' + std::to_string(run.calls));
  if (const std::string answer = client.read_line(); !answer.starts_with("ok"))
    throw std::runtime_error(protocol.name + ": " + answer);
  client.close_input();
  Outputs outputs;
  outputs.client = client.read_rest();
  client.wait();
  server.close_input();
  outputs.server = server.read_rest();
  server.wait();
  return outputs;
}

// Takes the cost of a stamp from the first line.
double take_stamp_ns(std::string& output) {
  std::istringstream line(output.substr(0, output.find('\n')));
  std::string word;
  double ns = 0;
  if (!(line >> word >> ns) || word != "stamp")
    throw std::runtime_error("whitebox: the cost of a stamp is missing");
  output.erase(0, output.find('\n') + 1);
  return ns;
}

void check_sides(const std::vector<SideCall>& client, const std::vector<SideCall>& server) {
  check_complete(client_activities(), client);
  check_complete(server_activities(), server);
}

/// The calls of all rounds, and the highest cost of a stamp.
struct Measured {
  std::vector<CallSteps> calls;
  double stamp_ns = 0;
};

void measure(const Subject& subject, const Protocol& protocol, std::size_t calls,
             Measured& measured) {
  // The first calls warm up.
  Outputs outputs = run_calls(subject, protocol, {{}, {}, calls + warm_up_calls, calls});
  for (std::string* output : {&outputs.client, &outputs.server})
    measured.stamp_ns = std::max(measured.stamp_ns, take_stamp_ns(*output));
  const std::vector<SideCall> client = parse_calls(outputs.client);
  const std::vector<SideCall> server = parse_calls(outputs.server);
  check_sides(client, server);
  std::ranges::move(join(client, server), std::back_inserter(measured.calls));
}

Words callgrind_command(const std::string& valgrind, const std::string& file) {
  return {valgrind,
          "-q",
          "--tool=callgrind",
          "--combine-dumps=yes",
          "--callgrind-out-file=" + file,
          dump_after_stamps};
}

// Counts the instructions of each step. At each stamp callgrind writes a part of its file, which
// gives the number of instructions up to this stamp.
CallSteps count(const Subject& subject, const Protocol& protocol) {
  const TemporaryFolder folder;
  const std::string client_file = folder.path() / "client.out";
  const std::string server_file = folder.path() / "server.out";
  const std::string valgrind = find_program("valgrind");
  const Outputs outputs =
      run_calls(subject, protocol,
                {callgrind_command(valgrind, server_file), callgrind_command(valgrind, client_file),
                 2 * counted_calls, 0});
  const StampClock exact{1, 0};
  const auto calls_of = [&](const std::string& file, const std::string& output, probe::Point last) {
    return last_calls(count_stamps(file, parse_points(output)), last, counted_calls, exact);
  };
  const auto client = calls_of(client_file, outputs.client, probe::Point::call_ended);
  const auto server = calls_of(server_file, outputs.server, probe::Point::sent);
  if (client.empty() || server.empty())
    throw std::runtime_error("whitebox: callgrind has counted too few calls");
  check_sides(client, server);
  return medians(join(client, server));
}

}  // namespace

std::vector<std::string> whitebox_strategies() {
  return {"thread-per-connection", "reactive", "thread-pool", "reactor-per-core", "auto"};
}

const std::vector<std::string>& whitebox_workloads() {
  static const std::vector<std::string> workloads{"void",   "char",   "octet", "short", "long",
                                                  "double", "struct", "union", "any"};
  return workloads;
}

WhiteboxReport run_whitebox(const WhiteboxOptions& options) {
  if (options.counts)
    (void)find_program("valgrind");  // if it is missing, fails before the measurements
  const TemporaryFolder folder;
  WhiteboxReport report{options, {}, {}};
  const std::vector<Subject> subjects = subjects_of(options);
  const std::vector<Protocol> all = protocols(folder.path());
  Progress progress("whitebox", all.size() * subjects.size() * options.rounds);
  for (const Subject& subject : subjects) {
    std::map<std::string, Measured> measured;  // by protocol
    for (std::size_t round = 0; round < options.rounds; ++round)
      for (const Protocol& protocol : all) {
        progress.step(protocol.name + ", " + subject.workload + ", " + subject.strategy);
        measure(subject, protocol, options.calls, measured[protocol.name]);
      }
    const bool is_first = subject.strategy == options.strategies.front() &&
                          (subject.size != 0 || subject.workload == options.workloads.front());
    for (const Protocol& protocol : all) {
      Measured& of_protocol = measured[protocol.name];
      WhiteboxResult result{subject.strategy,
                            protocol.name,
                            subject.workload,
                            subject.size,
                            middle_means(std::move(of_protocol.calls)),
                            of_protocol.stamp_ns};
      if (options.counts && is_first && subject.size == 0)
        result.instructions = count(subject, protocol);
      (is_first ? report.results : report.further_results).push_back(std::move(result));
    }
  }
  return report;
}

}  // namespace perigee::bench
