// Compares the goals of an experiment with the measurements, and writes the verdicts.
#include "claims.h"

#include "json.h"
#include "page.h"

#include <fmt/format.h>

#include <algorithm>

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
  if (!claim.failure.empty()) return claim.failure + ' ';
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", claim.measured.value, claim.measured.low,
                     claim.measured.high);
}

std::string verdict_text(const Claim& claim) {
  const std::string text = to_string(verdict(claim));
  return claim.note.empty() ? text : text + "; " + claim.note;
}

}  // namespace

Verdict verdict(const Claim& claim) {
  if (!claim.failure.empty()) return Verdict::missed;
  const bool at_most = claim.bound == Bound::at_most;
  const auto keeps = [&](double value) {
    return at_most ? value <= claim.goal : value >= claim.goal;
  };
  if (keeps(claim.measured.value)) return Verdict::met;
  return keeps(at_most ? claim.measured.low : claim.measured.high) ? Verdict::within_chance
                                                                   : Verdict::missed;
}

std::string describe_claims(std::size_t rounds) {
  return fmt::format(
      "goals: ratios as medians of {} rounds; {}; within chance: the interval reaches the goal",
      rounds, interval_text(rounds));
}

std::string to_table(const std::vector<Claim>& claims) {
  std::size_t width = 60;
  for (const Claim& claim : claims) width = std::max(width, claim.what.size());
  std::string text;
  for (const Claim& claim : claims)
    text += fmt::format("  {:<{}}  {:<9} {:<23} {}\n", claim.what, width, goal_text(claim),
                        measured_text(claim), verdict_text(claim));
  return text;
}

nlohmann::json to_json(const std::vector<Claim>& claims) {
  nlohmann::json goals = nlohmann::json::array();
  for (const Claim& claim : claims) {
    goals.push_back({{"what", claim.what},
                     {"bound", claim.bound == Bound::at_most ? "at most" : "at least"},
                     {"goal", claim.goal},
                     {"measured", to_json(claim.measured)},
                     {"verdict", to_string(verdict(claim))}});
    if (!claim.failure.empty()) goals.back()["failure"] = claim.failure;
    if (!claim.note.empty()) goals.back()["note"] = claim.note;
  }
  return goals;
}

void add_to(Page& page, const std::vector<Claim>& claims) {
  std::vector<std::vector<std::string>> rows;
  for (const Claim& claim : claims)
    rows.push_back({claim.what, goal_text(claim), measured_text(claim), verdict_text(claim)});
  page.table({"goal", "", "measured", ""}, rows);
}

}  // namespace perigee::bench
