// What asynchronous servants are meant to cost, beside what was measured.
#include "cubit.h"

#include <optional>

namespace perigee::bench {

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
  return {"null TCP", "GIOP TCP reactive", "AMH TCP", "coroutine TCP"};
}

std::vector<Claim> claims_of(const CubitReport& report) {
  std::vector<Claim> claims;
  for (const Comparison& comparison :
       {Comparison{"AMH TCP", "GIOP TCP reactive"}, Comparison{"coroutine TCP", "AMH TCP"}})
    if (const auto ratio = find_compared(report, "void", comparison))
      claims.push_back({"void: " + to_text(comparison), Bound::at_most, 1.05, *ratio});
  if (const Cell* cell = find_cell(report, "void", "AMH TCP"))
    claims.push_back({"void: AMH TCP / raw TCP", Bound::at_most, 1.2, cell->ratio});
  return claims;
}

}  // namespace perigee::bench
