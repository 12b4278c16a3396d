// The report on the protocols' goals as text, JSON and a page.
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "protocols.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace perigee::bench {
namespace {

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::met:
      return "met";
    case Verdict::within_chance:
      return "within chance";
    case Verdict::missed:
      return "missed";
  }
  return "";
}

std::string goal_text(const Claim& claim) {
  return fmt::format("{} {:.3f}", claim.bound == Bound::at_most ? "<=" : ">=", claim.goal);
}

std::string measured_text(const Claim& claim) {
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", claim.measured.value, claim.measured.low,
                     claim.measured.high);
}

std::string describe_method(const ProtocolsReport& report) {
  const std::size_t rounds = report.cubit.options.rounds;
  return fmt::format(
      "goals: ratios as medians of {} rounds; {}; within chance: the interval reaches the goal",
      rounds, interval_text(rounds));
}

}  // namespace

std::string to_table(const ProtocolsReport& report) {
  std::string text = fmt::format("perigee bench protocols: {}\n{}\n", machine_description(),
                                 describe_method(report));
  for (const Claim& claim : report.claims)
    text += fmt::format("  {:<62}{:<10}{:<24}{}\n", claim.what, goal_text(claim),
                        measured_text(claim), to_string(verdict(claim)));
  return text + '\n' + to_table(report.cubit) + '\n' + to_table(report.ttcp);
}

std::string to_json(const ProtocolsReport& report) {
  nlohmann::json document{{"experiment", "protocols"},
                          {"machine", machine_description()},
                          {"goals", nlohmann::json::array()},
                          {"cubit", nlohmann::json::parse(to_json(report.cubit))},
                          {"ttcp", nlohmann::json::parse(to_json(report.ttcp))}};
  for (const Claim& claim : report.claims)
    document["goals"].push_back({{"what", claim.what},
                                 {"bound", claim.bound == Bound::at_most ? "at most" : "at least"},
                                 {"goal", claim.goal},
                                 {"measured", to_json(claim.measured)},
                                 {"verdict", to_string(verdict(claim))}});
  return document.dump(2) + "\n";
}

std::string to_html(const ProtocolsReport& report) {
  Page page("perigee bench protocols");
  page.note(describe_method(report));
  std::vector<std::vector<std::string>> rows;
  for (const Claim& claim : report.claims)
    rows.push_back({claim.what, goal_text(claim), measured_text(claim), to_string(verdict(claim))});
  page.table({"goal", "", "measured", ""}, rows);
  add_to(page, report.cubit);
  add_to(page, report.ttcp);
  return page.html();
}

}  // namespace perigee::bench
