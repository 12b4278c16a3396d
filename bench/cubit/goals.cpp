// The goals for two-way calls, compared with the measurements. Only this file has these values.
#include "cubit.h"
#include "harness/chart.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace perigee::bench {
namespace {

/// The largest allowed ratio to the ping-pong over the same transport.
struct FloorGoal {
  const char* workload;
  const char* system;
  const char* floor;
  double ratio;
};

constexpr FloorGoal floor_goals[] = {
    {"void", "GIOP TCP", "raw TCP", 1.04},         {"void", "GIOP UNIX", "raw UNIX", 1.02},
    {"octets4096", "GIOP TCP", "raw TCP", 1.08},   {"longs4096", "GIOP TCP", "raw TCP", 1.08},
    {"octets4096", "GIOP UNIX", "raw UNIX", 1.12}, {"longs4096", "GIOP UNIX", "raw UNIX", 1.12},
    {"void", "AMH TCP", "raw TCP", 1.12},
};

// Calls without parameters.
const std::vector<ComparisonGoal>& system_goals() {
  static const std::vector<ComparisonGoal> goals{
      {{"GIOP TCP reactive", "raw epoll TCP"}, 1.03},
      {{"GIOP UNIX reactive", "raw epoll UNIX"}, 1.03},
      {{"GIOP TCP auto", "GIOP TCP"}, 1.02},
      {{"GIOP UNIX auto", "GIOP UNIX"}, 1.02},
      {{"AMH TCP", "GIOP TCP reactive"}, 1.05},
      {{"coroutine TCP", "AMH TCP"}, 1.05},
  };
  return goals;
}

// Calls without parameters through shared memory. On two CPUs, both sides spin.
constexpr double two_cpus_us = 1.0;
constexpr double two_cpus_to_ring = 4.0;
constexpr double one_cpu_to_ring = 1.15;
constexpr double one_cpu_to_unix = 0.55;
// A sequence of 1 MiB is copied into shared memory, and out of it.
constexpr const char* copied_workload = "borrowed1048576";
constexpr double to_two_copies = 1.10;
// The same sequence in a shared buffer, which no side copies, compared with a call without
// parameters. The buffer is filled before the measured calls.
constexpr const char* linked = "GIOP SHM linked";
constexpr double linked_to_void = 1.20;
// A call has two messages. A side that may sleep wakes the peer once, and waits once.
constexpr double system_calls_max = 2;

constexpr const char* shared = "GIOP SHM";

void add_compared(std::vector<Claim>& claims, const CubitReport& report,
                  const std::string& workload, const ComparisonGoal& goal) {
  if (const auto ratio = find_compared(report, workload, goal.comparison))
    claims.push_back(
        {workload + ": " + to_text(goal.comparison), Bound::at_most, goal.ratio, *ratio});
}

// The table of a report shows two digits after the point, too.
double rounded(double value) { return std::max(0.0, std::round(value * 100) / 100); }

void add_counted(std::vector<Claim>& claims, const SideCounts& counts, bool both_spin) {
  if (!is_counted(counts)) return;
  const auto add = [&](const std::string& what, double goal, double Counts::* member) {
    const std::string name = std::string("void: ") + shared + ", " + what;
    for (const auto& [side, cost] : {std::pair{" of the client", counts.client.*member},
                                     {" of the server", counts.server.*member}})
      claims.push_back({name + side, Bound::at_most, goal, exactly(rounded(cost))});
  };
  add("system calls", both_spin ? 0 : system_calls_max, &Counts::system_calls);
  add("allocations", 0, &Counts::allocations);
}

// The calls of the two workloads are not made in pairs, so the interval is the widest possible one.
void add_linked(std::vector<Claim>& claims, const CubitReport& report) {
  const Cell* const large = find_cell(report, copied_workload, linked);
  const Cell* const empty = find_cell(report, "void", linked);
  if (large == nullptr || empty == nullptr) return;
  const Estimate& time = large->median_ns;
  const Estimate& of_void = empty->median_ns;
  claims.push_back(
      {std::string(copied_workload) + " / void: " + linked,
       Bound::at_most,
       linked_to_void,
       {time.value / of_void.value, time.low / of_void.high, time.high / of_void.low}});
}

void add_shared_memory(std::vector<Claim>& claims, const CubitReport& report) {
  const bool split = report.options.split;
  if (const Cell* cell = find_cell(report, "void", shared)) {
    const auto& [value, low, high, samples] = cell->median_ns;
    if (split)
      claims.push_back({std::string("void: ") + shared + ", p50 in us",
                        Bound::at_most,
                        two_cpus_us,
                        {value / 1000, low / 1000, high / 1000}});
    claims.push_back({"void: " + to_text(Comparison{shared, "raw SHM"}), Bound::at_most,
                      split ? two_cpus_to_ring : one_cpu_to_ring, cell->ratio});
    add_counted(claims, cell->counts, split);
  }
  if (!split) add_compared(claims, report, "void", {{shared, "GIOP UNIX"}, one_cpu_to_unix});
  add_compared(claims, report, copied_workload, {{shared, "copies SHM"}, to_two_copies});
  add_linked(claims, report);
}

}  // namespace

const Cell* find_cell(const CubitReport& report, const std::string& workload,
                      const std::string& system) {
  const auto systems = report.cells.find(workload);
  if (systems == report.cells.end()) return nullptr;
  const auto cell = systems->second.find(system);
  return cell == systems->second.end() ? nullptr : &cell->second;
}

std::optional<Estimate> find_compared(const CubitReport& report, const std::string& workload,
                                      const Comparison& wanted) {
  const auto ratios = report.compared.find(workload);
  if (ratios == report.compared.end()) return {};
  for (std::size_t index = 0; index < report.comparisons.size(); ++index)
    if (to_text(report.comparisons[index]) == to_text(wanted)) return ratios->second.at(index);
  return {};
}

std::vector<std::string> goal_systems() {
  return {"null TCP",       "raw epoll TCP", "GIOP TCP",           "GIOP TCP reactive",
          "GIOP TCP auto",  "AMH TCP",       "coroutine TCP",      "null UNIX",
          "raw epoll UNIX", "GIOP UNIX",     "GIOP UNIX reactive", "GIOP UNIX auto",
          "null SHM",       "copies SHM",    "GIOP SHM",           "GIOP SHM linked"};
}

std::vector<std::string> goal_workloads() {
  return {"void", "octets4096", "longs4096", copied_workload};
}

std::vector<Claim> claims_of(const CubitReport& report) {
  std::vector<Claim> claims;
  for (const auto& [workload, system, floor, ratio] : floor_goals)
    if (const Cell* cell = find_cell(report, workload, system))
      claims.push_back({std::string(workload) + ": " + to_text(Comparison{system, floor}),
                        Bound::at_most, ratio, cell->ratio});
  for (const ComparisonGoal& goal : system_goals()) add_compared(claims, report, "void", goal);
  add_shared_memory(claims, report);
  return claims;
}

}  // namespace perigee::bench
