// Runs the jitter experiment: rounds over all systems in turn. Keeps the times of all calls.
#include "jitter.h"

#include "harness/companions.h"
#include "harness/progress.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <utility>

namespace perigee::bench {
namespace {

// All of Perigee's servers have the same code. Only the program of the `unpooled` servers has no
// pools of memory.
std::vector<System> jitter_systems() {
  std::vector<System> systems{cubit_system("raw TCP"), cubit_system("null TCP")};
  systems[0].name = "raw";
  systems[1].name = "null";
  const std::vector<std::string> client = cubit_system("GIOP TCP").client;
  const std::string program = companion_program("jitter_server");
  const std::string unpooled = companion_program("jitter_server_unpooled");
  for (const char* const kind : {"synchronous", "AMH", "coroutine"})
    systems.push_back({kind, {program, kind}, client});
  for (const std::string kind : {"AMH", "coroutine"})
    systems.push_back({kind + " unpooled", {unpooled, kind}, client});
  return systems;
}

// The clients of the crowd use GIOP, so parts with a crowd leave out the systems without an ORB.
bool takes_part(const JitterPart& part, const System& system) {
  return !part.crowded || (system.name != "raw" && system.name != "null");
}

/// Runs other clients during its lifetime, on another CPU if there is one.
class Crowd {
 public:
  Crowd(const std::string& reference, std::size_t connections)
      : process_({{own_executable(), "bench", "jitter-role", "crowd", reference,
                   std::to_string(connections)},
                  usable_cpus().front()}) {
    process_.read_line();
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;
  ~Crowd() {
    process_.close_input();
    process_.wait();
  }

 private:
  Process process_;
};

std::vector<double> measure(Pair& pair, const JitterPart& part, const JitterOptions& options) {
  std::unique_ptr<Crowd> crowd;
  if (part.crowded) crowd = std::make_unique<Crowd>(pair.reference(), options.crowd);
  return pair.times(part.workload, options.calls);
}

std::vector<JitterPart> parts_of(const JitterOptions& options) {
  std::vector<JitterPart> parts;
  for (const std::string& workload : options.workloads) {
    parts.push_back({.workload = workload});
    if (options.crowd > 0) parts.push_back({.workload = workload, .crowded = true});
  }
  return parts;
}

/// A part that is being measured, with its rounds so far.
struct Measured {
  JitterPart part;
  JitterRounds rounds;
};

// Measures all parts with the same processes. The warm-up has as many calls as a measured round,
// so that the client has already used the memory in which it stores the times.
void run_processes(std::vector<Measured>& parts, const JitterOptions& options, std::size_t first,
                   Progress& progress) {
  const std::vector<System> systems = jitter_systems();
  std::vector<Pair> pairs;
  for (const System& system : systems) pairs.emplace_back(system, placement_of(options.split));
  for (Pair& pair : pairs) pair.times(options.workloads.front(), options.calls);
  const std::size_t end = std::min(first + rounds_a_process, options.rounds);
  for (std::size_t round = first; round < end; ++round)
    for (Measured& measured : parts) {
      progress.step(measured.part.workload + (measured.part.crowded ? ", crowd" : ""));
      for (std::size_t turn = 0; turn < systems.size(); ++turn) {
        const std::size_t index = (turn + round) % systems.size();
        if (takes_part(measured.part, systems[index]))
          measured.rounds[systems[index].name].push_back(
              measure(pairs[index], measured.part, options));
      }
    }
}

std::vector<double> fractions() {
  std::vector<double> values;
  for (const Percentile& percentile : jitter_percentiles) values.push_back(percentile.fraction);
  return values;
}

/// The values of one system: by percentile, then round.
using Columns = std::vector<std::vector<double>>;

Columns columns_of(const std::vector<std::vector<double>>& rounds) {
  Columns columns(jitter_percentiles.size());
  for (const std::vector<double>& calls : rounds) {
    const std::vector<double> values = percentiles(calls, fractions());
    for (std::size_t index = 0; index < values.size(); ++index)
      columns[index].push_back(values[index]);
  }
  return columns;
}

PercentileEstimates estimates_of(const Columns& columns) {
  PercentileEstimates estimates;
  for (const std::vector<double>& column : columns)
    estimates.push_back(median_with_interval(column));
  return estimates;
}

Columns ratios(Columns columns, const Columns& base) {
  for (std::size_t index = 0; index < columns.size(); ++index)
    std::ranges::transform(columns[index], base[index], columns[index].begin(), std::divides<>());
  return columns;
}

}  // namespace

std::vector<Comparison> jitter_comparisons(const std::vector<std::string>& systems) {
  std::vector<Comparison> comparisons{{"null", "raw"},
                                      {"synchronous", "raw"},
                                      {"AMH", "raw"},
                                      {"AMH", "synchronous"},
                                      {"coroutine", "synchronous"},
                                      {"coroutine", "AMH"},
                                      {"AMH unpooled", "AMH"},
                                      {"coroutine unpooled", "coroutine"}};
  const auto is_measured = [&systems](const std::string& name) {
    return std::ranges::find(systems, name) != systems.end();
  };
  std::erase_if(comparisons, [&](const Comparison& comparison) {
    return !is_measured(comparison.system) || !is_measured(comparison.base);
  });
  return comparisons;
}

std::vector<std::pair<double, double>> slowest_of(std::vector<double> calls) {
  std::ranges::sort(calls, std::greater<>());
  std::vector<std::pair<double, double>> points;
  constexpr std::size_t as_slow = 10;
  for (std::size_t power = 1; power * as_slow <= calls.size(); power *= 10)
    for (const std::size_t factor : {2UL, 5UL, 10UL})
      if (const std::size_t of = power * factor; of * as_slow <= calls.size())
        points.emplace_back(of, calls[calls.size() / of]);
  return points;
}

void summarise(JitterPart& part, const JitterRounds& rounds) {
  std::map<std::string, Columns> columns;
  for (const auto& [system, calls] : rounds) {
    columns[system] = columns_of(calls);
    JitterCell& cell = part.cells[system];
    cell.rounds = estimates_of(columns[system]);
    for (const std::vector<double>& round : calls)
      std::ranges::copy(round, std::back_inserter(cell.calls));
  }
  part.comparisons = jitter_comparisons(part.systems);
  for (const auto& [system, base] : part.comparisons)
    part.ratios.push_back(estimates_of(ratios(columns[system], columns[base])));
}

JitterReport run_jitter(const JitterOptions& options) {
  std::vector<Measured> parts;
  for (JitterPart& part : parts_of(options)) {
    for (const System& system : jitter_systems())
      if (takes_part(part, system)) part.systems.push_back(system.name);
    parts.push_back({std::move(part), {}});
  }
  Progress progress("jitter", parts.size() * options.rounds);
  for (std::size_t first = 0; first < options.rounds; first += rounds_a_process)
    run_processes(parts, options, first, progress);
  JitterReport report{.options = options};
  for (Measured& measured : parts) {
    summarise(measured.part, measured.rounds);
    report.parts.push_back(std::move(measured.part));
  }
  return report;
}

void count_costs(JitterReport& report) {
  const std::vector<System> systems = jitter_systems();
  Progress progress("counting", systems.size() * report.options.workloads.size());
  for (JitterPart& part : report.parts)
    for (const System& system : systems) {
      if (part.crowded) continue;
      progress.step(system.name + ", " + part.workload);
      part.cells[system.name].counts =
          count_calls([&system](const std::filesystem::path&) { return system; }, part.workload);
    }
}

}  // namespace perigee::bench
