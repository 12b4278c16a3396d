// Runs the experiment: rounds over all systems in turn. A ratio compares values of the same round.
#include "bridge.h"
#include "cubit/systems.h"
#include "harness/process.h"
#include "harness/progress.h"
#include "harness/samples.h"
#include "harness/usage.h"
#include "messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>

namespace perigee::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t systems_count = std::size(bridge_systems);

std::vector<std::string> role(const std::vector<std::string>& words) {
  std::vector<std::string> command{own_executable(), "bench", "bridge-role"};
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

/// The middle process of a system: a C forwarder, or a bridge.
std::vector<std::string> middle_of(const std::string& system, const std::string& port,
                                   std::size_t threads) {
  if (system != "perigee") return role({"floor", port, std::to_string(threads)});
  return {own_executable(), "bridge",
          "--listen",       "iiop://127.0.0.1:0",
          "--target",       "iiop://127.0.0.1:" + port,
          "--threads",      std::to_string(threads)};
}

struct BridgeSample {
  double cpu_ns = 0;
  double elapsed_ns = 0;
};

/// With one connection only one process works at a time. All of them then run on one CPU, because
/// the time to wake a process on another CPU depends on the scheduler.
int cpu_for(std::size_t connections) { return connections == 1 ? usable_cpus().back() : -1; }

/// The processes of one system: the target, the middle process, and the client that makes the
/// calls.
class Loaded {
 public:
  Loaded(const std::string& system, const BridgeOptions& options, std::size_t octets,
         std::size_t connections)
      : target_({role({"target", std::to_string(octets)}), cpu_for(connections)}),
        middle_({middle_of(system, target_.read_line(), options.threads), cpu_for(connections)}),
        client_({role({"client", middle_.read_line(), std::to_string(octets),
                       std::to_string(connections)}),
                 cpu_for(connections)}) {}

  BridgeSample run(std::size_t calls) {
    const auto before = middle_.cpu_time();
    const auto begin = Clock::now();
    client_.write_line("calls " + std::to_string(calls));
    if (client_.read_line() != "ok") throw std::runtime_error("a client failed");
    const auto per_call = [calls](std::chrono::nanoseconds time) {
      return static_cast<double>(time.count()) / static_cast<double>(calls);
    };
    const BridgeSample sample{per_call(middle_.cpu_time() - before),
                              per_call(Clock::now() - begin)};
    threads_ = std::max(threads_, usage_of(middle_.pid()).threads);
    return sample;
  }

  [[nodiscard]] std::size_t threads() const noexcept { return threads_; }

 private:
  Process target_;
  Process middle_;
  Process client_;
  std::size_t threads_ = 0;
};

/// New processes for all systems.
std::vector<std::unique_ptr<Loaded>> start(const BridgeOptions& options, std::size_t octets,
                                           std::size_t connections, std::size_t calls) {
  std::vector<std::unique_ptr<Loaded>> loaded;
  for (const char* const system : bridge_systems) {
    loaded.push_back(std::make_unique<Loaded>(system, options, octets, connections));
    (void)loaded.back()->run(calls);  // warm up
  }
  return loaded;
}

void measure(BridgeReport& report, std::size_t octets, std::size_t connections,
             Progress& progress) {
  const BridgeOptions& options = report.options;
  const std::size_t calls = std::max(bridge_calls(options, octets), connections);
  std::vector<std::unique_ptr<Loaded>> loaded;
  std::vector<std::vector<BridgeSample>> samples(systems_count);
  std::vector<std::size_t> threads(systems_count);
  for (std::size_t round = 0; round < options.rounds; ++round) {
    if (round % rounds_a_process == 0) loaded = start(options, octets, connections, calls);
    for (std::size_t turn = 0; turn < systems_count; ++turn) {
      const std::size_t index = (turn + round) % systems_count;
      progress.step(
          fmt::format("{}, {} octets, {} connections", bridge_systems[index], octets, connections));
      samples[index].push_back(loaded[index]->run(calls));
      threads[index] = std::max(threads[index], loaded[index]->threads());
    }
  }
  for (std::size_t index = 0; index < systems_count; ++index)
    report.cells.push_back({bridge_systems[index], octets, connections,
                            ratio(samples[index], samples.front(), &BridgeSample::cpu_ns),
                            ratio(samples[index], samples.front(), &BridgeSample::elapsed_ns),
                            median(column(samples[index], &BridgeSample::cpu_ns)),
                            median(column(samples[index], &BridgeSample::elapsed_ns)),
                            threads[index]});
}

// The target runs without callgrind.
Counts count(const BridgeOptions& options, std::size_t octets) {
  Process target({role({"target", std::to_string(octets)}), -1});
  const std::string port = target.read_line();
  const SystemIn system = [&](const std::filesystem::path& /*folder*/) {
    return System{"perigee", middle_of("perigee", port, options.threads),
                  role({"client", "{REF}", std::to_string(octets), "1"})};
  };
  return count_calls(system, "calls").server;
}

}  // namespace

std::size_t bridge_calls(const BridgeOptions& options, std::size_t octets) {
  if (octets <= small_message_max) return options.calls;
  return std::max<std::size_t>(options.calls * small_message_max / octets / 2, 1);
}

BridgeReport run_bridge(const BridgeOptions& chosen) {
  BridgeReport report{chosen, usable_cpus().size(), {}, {}};
  BridgeOptions& options = report.options;
  if (options.threads == 0) options.threads = report.cpus;
  const std::size_t rows = options.octets.size() * options.connections.size();
  Progress progress("bridge", rows * systems_count * options.rounds);
  for (const std::size_t octets : options.octets)
    for (const std::size_t connections : options.connections)
      measure(report, octets, connections, progress);
  if (options.counts)
    for (const std::size_t octets : options.octets)
      report.counts.emplace_back(octets, count(options, octets));
  return report;
}

}  // namespace perigee::bench
