// Writes findings as lines for people, and as JSON.
#include "doctor/finding.h"

#include <algorithm>
#include <string_view>

namespace perigee::tool {

namespace {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::advice:
      return "advice";
    case Verdict::problem:
      return "problem";
  }
  return {};
}

}  // namespace

std::string to_text(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    std::string verdict(name_of(finding.verdict));
    verdict.resize(std::string_view("problem").size(), ' ');
    text += verdict + "  " + finding.subject + ": " + finding.text + '\n';
    if (!finding.remedy.empty()) text += "         " + finding.remedy + '\n';
  }
  return text;
}

nlohmann::json to_json(const Findings& findings) {
  nlohmann::json list = nlohmann::json::array();
  for (const Finding& finding : findings) {
    nlohmann::json entry{{"subject", finding.subject},
                         {"verdict", name_of(finding.verdict)},
                         {"text", finding.text}};
    if (!finding.remedy.empty()) entry["remedy"] = finding.remedy;
    list.push_back(std::move(entry));
  }
  return list;
}

bool has_problem(const Findings& findings) {
  return std::ranges::any_of(findings,
                             [](const Finding& each) { return each.verdict == Verdict::problem; });
}

}  // namespace perigee::tool
