// Writes the report on the protocols' goals as text, as JSON and as a page.
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "protocols.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace perigee::bench {

std::string to_table(const ProtocolsReport& report) {
  std::string text = fmt::format("perigee bench protocols: {}\n{}\n", machine_description(),
                                 describe_claims(report.cubit.options.rounds));
  text += to_table(report.claims);
  return text + '\n' + to_table(report.cubit) + '\n' + to_table(report.ttcp);
}

std::string to_json(const ProtocolsReport& report) {
  nlohmann::json document = begin_report("protocols");
  document["goals"] = to_json(report.claims);
  document["cubit"] = nlohmann::json::parse(to_json(report.cubit));
  document["ttcp"] = nlohmann::json::parse(to_json(report.ttcp));
  return document.dump(2) + "\n";
}

std::string to_html(const ProtocolsReport& report) {
  Page page("perigee bench protocols");
  page.note(describe_claims(report.cubit.options.rounds));
  add_to(page, report.claims);
  add_to(page, report.cubit);
  add_to(page, report.ttcp);
  return page.html();
}

}  // namespace perigee::bench
