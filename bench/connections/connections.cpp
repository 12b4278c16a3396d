// Runs rounds over all systems in turn, and writes the report. A ratio compares two systems in the
// same round.
#include "connections.h"

#include "cubit/systems.h"
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "harness/process.h"
#include "harness/progress.h"
#include "harness/samples.h"
#include "harness/temporary_folder.h"
#include "harness/usage.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

namespace perigee::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* raw_threads = "raw, a thread each";
constexpr const char* automatic = "perigee auto";
constexpr std::size_t goal_connections = 256;

struct Served {
  std::string name;
  std::vector<std::string> server;
};

std::vector<Served> all_systems(const ConnectionsOptions& options,
                                const std::filesystem::path& folder) {
  const std::string self = own_executable();
  const auto raw = [&self](std::size_t threads) {
    return std::vector<std::string>{self, "bench", "connections-role", "server",
                                    std::to_string(threads)};
  };
  const auto perigee = [&self](const std::string& strategy) {
    return std::vector<std::string>{self, "bench", "cubit-role", "perigee-server", strategy};
  };
  const auto perigee_with = [&](const std::string& strategy,
                                const std::vector<std::string>& orb_options) {
    std::vector<std::string> server = perigee(strategy);
    server.insert(server.end(), {"iiop://127.0.0.1:0", "GIOP"});
    server.insert(server.end(), orb_options.begin(), orb_options.end());
    return server;
  };
  std::vector<Served> systems{{"raw", raw(1)},
                              {"null", raw(1)},
                              {"raw, N threads", raw(usable_cpus().size())},
                              {raw_threads, {self, "bench", "connections-role", "thread-server"}},
                              {"perigee pool", perigee("thread-pool")},
                              {"perigee per core", perigee("reactor-per-core")},
                              {"perigee reactive", perigee("reactive")},
                              {"perigee tpc", perigee("thread-per-connection")},
                              {automatic, perigee("auto")}};
  for (const auto& [name, strategy] :
       {std::pair{"auto", "auto"}, {"reactive", "reactive"}, {"tpc", "thread-per-connection"}}) {
    const std::string endpoint = "shmiop://" + (folder / name).string();
    std::vector<std::string> server = perigee(strategy);
    server.insert(server.end(), {endpoint, "GIOP"});
    systems.push_back({std::string("perigee SHM ") + name, server});
  }
  const std::string& omniorb = options.omniorb_program;
  const std::string endpoint = "giop:tcp:127.0.0.1:";
  if (!omniorb.empty()) {
    systems.push_back(
        {"omniORB tpc", omniorb_server(omniorb, endpoint, OmniorbThreads::per_connection)});
    systems.push_back({"omniORB pool", omniorb_server(omniorb, endpoint, OmniorbThreads::pool)});
  }
  // These systems are measured only if the options name them.
  if (!options.systems.empty()) {
    systems.push_back(
        {"perigee per core uring", perigee_with("reactor-per-core", {"Poller", "uring"})});
    systems.push_back({"perigee reactive uring", perigee_with("reactive", {"Poller", "uring"})});
    systems.push_back({"perigee pool uring", perigee_with("thread-pool", {"Poller", "uring"})});
    for (const std::string count : {"1", "2", "4"}) {
      const std::string name = "perigee " + count + (count == "1" ? " loop" : " loops");
      systems.push_back({name, perigee_with("reactor-per-core", {"Threads", count})});
      systems.push_back(
          {name + " shards",
           perigee_with("reactor-per-core", {"Threads", count, "AcceptShards", "yes"})});
    }
    std::erase_if(systems, [&](const Served& system) {
      return system.name != "raw" &&
             std::ranges::find(options.systems, system.name) == options.systems.end();
    });
  }
  return systems;
}

struct Cost {
  double server_ns = 0;
  double total_ns = 0;
  double elapsed_ns = 0;
};

/// One system: its server, and the client that loads it.
class Loaded {
 public:
  Loaded(const Served& system, std::size_t connections) : server_({system.server, -1}) {
    client_ = std::make_unique<Process>(
        ProcessOptions{{own_executable(), "bench", "connections-role", "client",
                        server_.read_line(), std::to_string(connections)},
                       -1});
    if (client_->read_line() != "ready") throw std::runtime_error(system.name + ": not ready");
  }

  Cost run(std::size_t calls) {
    const auto server_before = server_.cpu_time();
    const auto client_before = client_->cpu_time();
    const auto begin = Clock::now();
    client_->write_line(std::to_string(calls));
    if (client_->read_line() != "ok") throw std::runtime_error("a client failed");
    const auto per_call = [calls](std::chrono::nanoseconds time) {
      return static_cast<double>(time.count()) / static_cast<double>(calls);
    };
    Cost sample;
    sample.elapsed_ns = per_call(Clock::now() - begin);
    sample.server_ns = per_call(server_.cpu_time() - server_before);
    sample.total_ns = sample.server_ns + per_call(client_->cpu_time() - client_before);
    threads_ = std::max(threads_, usage_of(server_.pid()).threads);
    return sample;
  }

  /// The largest number of threads of the server after any run.
  [[nodiscard]] std::size_t threads() const { return threads_; }

 private:
  std::size_t threads_ = 0;
  Process server_;
  std::unique_ptr<Process> client_;
};

std::string describe_method(const ConnectionsOptions& options) {
  return fmt::format(
      "{} connections in a closed loop of void calls, {} calls a round; ratio of CPU time per "
      "call: "
      "median over {} rounds of (system / raw in the same round), {}; "
      "null is a second raw server; threads: the largest number of "
      "threads of the server after any round",
      options.connections, options.calls, options.rounds, interval_text(options.rounds));
}

}  // namespace

ConnectionsReport run_connections(const ConnectionsOptions& options) {
  const TemporaryFolder folder;  // outlives the servers
  const std::vector<Served> systems = all_systems(options, folder.path());
  std::vector<std::unique_ptr<Loaded>> loaded;
  std::map<std::string, std::vector<Cost>> samples;
  Progress progress("connections", systems.size() * (options.rounds + 1));
  for (const Served& system : systems) {
    progress.step(system.name);
    loaded.push_back(std::make_unique<Loaded>(system, options.connections));
    (void)loaded.back()->run(options.calls);  // warm up
  }
  for (std::size_t round = 0; round < options.rounds; ++round)
    for (std::size_t turn = 0; turn < loaded.size(); ++turn) {
      const std::size_t index = (turn + round) % loaded.size();
      progress.step(systems[index].name);
      samples[systems[index].name].push_back(loaded[index]->run(options.calls));
    }
  ConnectionsReport report{options, {}, {}, usable_cpus().size()};
  const std::vector<Cost>& floor = samples["raw"];
  for (std::size_t index = 0; index < systems.size(); ++index) {
    const std::vector<Cost>& own = samples[systems[index].name];
    report.rows.push_back({systems[index].name, ratio(own, floor, &Cost::server_ns),
                           ratio(own, floor, &Cost::total_ns),
                           median(column(own, &Cost::server_ns)),
                           median(column(own, &Cost::total_ns)),
                           median(column(own, &Cost::elapsed_ns)), loaded[index]->threads()});
  }
  if (samples.contains(automatic) && samples.contains(raw_threads))
    report.compared.emplace_back(Comparison{automatic, raw_threads},
                                 ratio(samples[automatic], samples[raw_threads], &Cost::total_ns));
  return report;
}

std::vector<Claim> claims_of(const ConnectionsReport& report) {
  const std::size_t connections = report.options.connections;
  std::vector<Claim> claims;
  if (connections < goal_connections) return claims;
  for (const auto& [comparison, ratio] : report.compared)
    claims.push_back({fmt::format("{} connections: {}, CPU", connections, to_text(comparison)),
                      Bound::at_most, 1, ratio});
  for (const ConnectionsRow& row : report.rows) {
    if (row.system != automatic) continue;
    const auto threads = static_cast<double>(row.threads);
    const auto threads_max = static_cast<double>(3 * report.cpus + 3);
    claims.push_back({fmt::format("{} connections: {}, threads", connections, automatic),
                      Bound::at_most, threads_max, exactly(threads)});
  }
  return claims;
}

std::string to_table(const ConnectionsReport& report) {
  std::string text = fmt::format("perigee bench connections: {}\n{}\n", machine_description(),
                                 describe_method(report.options));
  if (const std::vector<Claim> claims = claims_of(report); !claims.empty())
    text += describe_claims(report.options.rounds) + '\n' + to_table(claims);
  const std::string interval = interval_name(report.options.rounds);
  text += fmt::format("  {:<21}{:>8}  {:<16}{:>12}  {:<16}{:>11}{:>10}{:>12}{:>9}\n", "", "server",
                      interval, "with client", interval, "server us", "all us", "elapsed us",
                      "threads");
  for (const ConnectionsRow& row : report.rows)
    text += fmt::format(
        "  {:<21}{:>8.3f}  [{:.3f}, {:.3f}]{:>12.3f}  [{:.3f}, "
        "{:.3f}]{:>11.2f}{:>10.2f}{:>12.2f}{:>9}\n",
        row.system, row.server_ratio.value, row.server_ratio.low, row.server_ratio.high,
        row.total_ratio.value, row.total_ratio.low, row.total_ratio.high, row.server_ns / 1000,
        row.total_ns / 1000, row.elapsed_ns / 1000, row.threads);
  for (const auto& [comparison, ratio] : report.compared)
    text += fmt::format("  {}, CPU with client {}\n", to_text(comparison), to_text(ratio));
  return text;
}

std::string to_json(const ConnectionsReport& report) {
  nlohmann::json document = begin_report("connections");
  document["connections"] = report.options.connections;
  document["rounds"] = report.options.rounds;
  document["calls"] = report.options.calls;
  if (const std::vector<Claim> claims = claims_of(report); !claims.empty())
    document["goals"] = to_json(claims);
  for (const ConnectionsRow& row : report.rows)
    document["results"][row.system] = {{"server_ratio", to_json(row.server_ratio)},
                                       {"total_ratio", to_json(row.total_ratio)},
                                       {"server_ns", row.server_ns},
                                       {"total_ns", row.total_ns},
                                       {"elapsed_ns", row.elapsed_ns},
                                       {"threads", row.threads}};
  for (const auto& [comparison, ratio] : report.compared)
    document["compared"].push_back({{"system", comparison.system},
                                    {"base", comparison.base},
                                    {"total_ratio", to_json(ratio)}});
  return document.dump(2) + "\n";
}

std::string to_html(const ConnectionsReport& report) {
  Page page("perigee bench connections");
  page.note(describe_method(report.options));
  if (const std::vector<Claim> claims = claims_of(report); !claims.empty()) {
    page.note(describe_claims(report.options.rounds));
    add_to(page, claims);
  }
  BarChart server{.label = "ratio to the raw server", .values = Values::ratios};
  BarChart all = server;
  for (const ConnectionsRow& row : report.rows) {
    const auto text = [](const Estimate& ratio, double time_ns) {
      return fmt::format("{:.3f} ({:.2f} µs)", ratio.value, time_ns / 1000);
    };
    server.bars.push_back({row.system, row.server_ratio, text(row.server_ratio, row.server_ns)});
    all.bars.push_back({row.system, row.total_ratio, text(row.total_ratio, row.total_ns)});
  }
  page.heading("CPU time per call of the server");
  page.chart(server);
  page.heading("CPU time per call of server and client");
  page.chart(all);
  return page.html();
}

}  // namespace perigee::bench
