// The goals for two-way calls, compared with the measurements. Only this file has these values.
#include "cubit.h"

#include <optional>

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
          "raw epoll UNIX", "GIOP UNIX",     "GIOP UNIX reactive", "GIOP UNIX auto"};
}

std::vector<std::string> goal_workloads() { return {"void", "octets4096", "longs4096"}; }

std::vector<Claim> claims_of(const CubitReport& report) {
  std::vector<Claim> claims;
  for (const auto& [workload, system, floor, ratio] : floor_goals)
    if (const Cell* cell = find_cell(report, workload, system))
      claims.push_back({std::string(workload) + ": " + to_text(Comparison{system, floor}),
                        Bound::at_most, ratio, cell->ratio});
  for (const auto& [comparison, goal] : system_goals())
    if (const auto ratio = find_compared(report, "void", comparison))
      claims.push_back({"void: " + to_text(comparison), Bound::at_most, goal, *ratio});
  return claims;
}

}  // namespace perigee::bench
