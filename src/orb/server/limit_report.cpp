// Reads the counters that enforce the limits.
#include "orb/server/limit_report.h"

#include "engine/memory/budget.h"
#include "orb/core/orb_core.h"

namespace perigee::orb {

std::vector<LimitUse> report_limits(const OrbCore& core) {
  using engine::Use;
  struct Row {
    Use use;
    std::string_view name;
    std::string_view option;
  };
  constexpr Row rows[] = {
      {Use::unfinished, "messages of which a part has arrived", "-ORBUnfinishedSizeMax"},
      {Use::unsent, "messages that wait for their peers to read", "-ORBUnsentSizeMax"},
      {Use::parked, "requests that wait for a POA manager", "-ORBHeldSizeMax"},
      {Use::decoded, "decoded values", "-ORBDecodedTotalSizeMax"},
      {Use::opening, "handshakes", "-ORBOpeningSizeMax"},
  };
  std::vector<LimitUse> limits;
  limits.push_back({"requests in progress", "-ORBRequestsMax", false, core.requests_in_progress(),
                    core.settings().requests_max});
  const engine::MemoryBudget& budget = core.memory_budget();
  for (const Row& row : rows)
    limits.push_back({row.name, row.option, true, budget.charged(row.use), budget.limit(row.use)});
  return limits;
}

}  // namespace perigee::orb
