// The profile of transfers as text, JSON and a page.
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "profile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace perigee::bench {
namespace {

constexpr const char* method =
    "functions above 1 % of the CPU time of each side, by samples of perf; system calls per "
    "buffer, "
    "by strace; system's socket queues; one CPU";

std::string calls_text(const SideProfile& side) {
  std::string text;
  for (const SystemCallCount& call : side.calls)
    text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", call.name, call.per_buffer);
  return text;
}

std::string function_text(const SideProfile& side, std::size_t index) {
  if (index >= side.functions.size()) return {};
  const CostlyFunction& function = side.functions[index];
  return fmt::format("{:5.1f} %  {} {}", function.percent, function.object, function.name);
}

std::string title(const VersionProfile& profile) {
  return fmt::format("{}, buffers of {}", profile.version,
                     octets_text(static_cast<double>(profile.size)));
}

void add_side(Page& page, const char* name, const SideProfile& side) {
  page.note(fmt::format("{}: {}", name, side.calls.empty() ? "" : calls_text(side)));
  std::vector<std::vector<std::string>> rows;
  for (const CostlyFunction& function : side.functions)
    rows.push_back({function.name, function.object, fmt::format("{:.1f}", function.percent)});
  if (!rows.empty()) page.table({"function", "in", "%"}, rows);
}

nlohmann::json to_json(const SideProfile& side) {
  nlohmann::json result{{"functions", nlohmann::json::array()},
                        {"system_calls_per_buffer", nlohmann::json::object()}};
  for (const CostlyFunction& function : side.functions)
    result["functions"].push_back(
        {{"percent", function.percent}, {"object", function.object}, {"name", function.name}});
  for (const SystemCallCount& call : side.calls)
    result["system_calls_per_buffer"][call.name] = call.per_buffer;
  return result;
}

}  // namespace

std::string to_table(const ProfileReport& report) {
  std::string text =
      fmt::format("perigee bench ttcp --profile: {}\n{}\n", machine_description(), method);
  for (const VersionProfile& profile : report.profiles) {
    text += fmt::format("\n{}\n", title(profile));
    for (const auto& [name, side] : {std::pair{"transmitter", &profile.transmitter},
                                     std::pair{"receiver", &profile.receiver}}) {
      text += fmt::format("  {}: {}\n", name, calls_text(*side));
      for (std::size_t index = 0; index < side->functions.size(); ++index)
        text += fmt::format("    {}\n", function_text(*side, index));
    }
  }
  return text;
}

std::string to_json(const ProfileReport& report) {
  nlohmann::json document = begin_report("ttcp --profile");
  document["results"] = nlohmann::json::array();
  for (const VersionProfile& profile : report.profiles)
    document["results"].push_back({{"version", profile.version},
                                   {"buffer_size", profile.size},
                                   {"transmitter", to_json(profile.transmitter)},
                                   {"receiver", to_json(profile.receiver)}});
  return document.dump(2) + "\n";
}

std::string to_html(const ProfileReport& report) {
  Page page("perigee bench ttcp --profile");
  page.note(method);
  for (const VersionProfile& profile : report.profiles) {
    page.heading(title(profile));
    add_side(page, "transmitter", profile.transmitter);
    add_side(page, "receiver", profile.receiver);
  }
  return page.html();
}

}  // namespace perigee::bench
