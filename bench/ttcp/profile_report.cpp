// The profile of transfers as text, JSON and a page.
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "profile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace perigee::bench {
namespace {

constexpr const char* method =
    "functions above 1 % of the CPU time of each side, by samples of perf; system calls per buffer "
    "and their milliseconds per MiB, by strace -c -w, which slows a transfer down by the stated "
    "factor: so the milliseconds are larger than without strace; calls and user instructions per "
    "buffer of single functions, without the functions that they call, by callgrind; one CPU";

std::string calls_text(const SideProfile& side) {
  std::string text;
  for (const SystemCallCount& call : side.calls)
    text += fmt::format("{}{} {:.2f} ({:.2f} ms/MiB)", text.empty() ? "" : ", ", call.name,
                        call.per_buffer, call.ms_per_mib);
  return text;
}

std::string function_text(const SideProfile& side, std::size_t index) {
  if (index >= side.functions.size()) return {};
  const CostlyFunction& function = side.functions[index];
  return fmt::format("{:5.1f} %  {} {}", function.percent, function.object, function.name);
}

std::string title(const VersionProfile& profile) {
  std::string text =
      fmt::format("{}, buffers of {}, socket queues: {}", profile.version,
                  octets_text(static_cast<double>(profile.size)), queue_text(profile.queue_size));
  if (profile.strace_slowdown > 0)
    text += fmt::format("; {:.1f} times as slow under strace", profile.strace_slowdown);
  return text;
}

// The name of a C++ function without its parameters, which are often longer than the line.
std::string short_name(const std::string& name) {
  constexpr std::string_view anonymous = "(anonymous namespace)";
  int depth = 0;  // of template arguments
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name[at] == '<') ++depth;
    if (name[at] == '>') --depth;
    if (name[at] != '(' || depth > 0) continue;
    if (name.compare(at, anonymous.size(), anonymous) == 0)
      at += anonymous.size() - 1;
    else if (!name.substr(0, at).ends_with("operator"))
      return name.substr(0, at);
  }
  return name;
}

std::string cost_line(const FunctionCost& cost) {
  return fmt::format("    {:>10.2f} calls {:>12.1f} instructions  {} {}\n", cost.calls,
                     cost.instructions, cost.object, short_name(cost.name));
}

void add_costs(Page& page, const SideProfile& side) {
  std::vector<std::vector<std::string>> rows;
  for (const FunctionCost& cost : side.costs)
    rows.push_back({short_name(cost.name), cost.object, fmt::format("{:.2f}", cost.calls),
                    fmt::format("{:.1f}", cost.instructions)});
  if (!rows.empty())
    page.table({"function", "in", "calls a buffer", "instructions a buffer"}, rows);
}

void add_side(Page& page, const char* name, const SideProfile& side) {
  page.note(fmt::format("{}: {}", name, side.calls.empty() ? "" : calls_text(side)));
  std::vector<std::vector<std::string>> rows;
  for (const CostlyFunction& function : side.functions)
    rows.push_back({function.name, function.object, fmt::format("{:.1f}", function.percent)});
  if (!rows.empty()) page.table({"function", "in", "%"}, rows);
  add_costs(page, side);
}

nlohmann::json to_json(const SideProfile& side) {
  nlohmann::json result{{"functions", nlohmann::json::array()},
                        {"system_calls_per_buffer", nlohmann::json::object()},
                        {"system_call_ms_per_mib", nlohmann::json::object()},
                        {"function_costs", nlohmann::json::array()}};
  for (const CostlyFunction& function : side.functions)
    result["functions"].push_back(
        {{"percent", function.percent}, {"object", function.object}, {"name", function.name}});
  for (const SystemCallCount& call : side.calls) {
    result["system_calls_per_buffer"][call.name] = call.per_buffer;
    result["system_call_ms_per_mib"][call.name] = call.ms_per_mib;
  }
  for (const FunctionCost& cost : side.costs)
    result["function_costs"].push_back({{"name", cost.name},
                                        {"object", cost.object},
                                        {"calls_per_buffer", cost.calls},
                                        {"instructions_per_buffer", cost.instructions}});
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
      for (const FunctionCost& cost : side->costs) text += cost_line(cost);
    }
  }
  return text;
}

std::string to_json(const ProfileReport& report) {
  nlohmann::json document = begin_report("ttcp --profile");
  document["results"] = nlohmann::json::array();
  for (const auto& [tool, reason] : report.not_used) document["not_used"][tool] = reason;
  for (const VersionProfile& profile : report.profiles)
    document["results"].push_back({{"version", profile.version},
                                   {"queue_size", profile.queue_size},
                                   {"buffer_size", profile.size},
                                   {"strace_slowdown", profile.strace_slowdown},
                                   {"transmitter", to_json(profile.transmitter)},
                                   {"receiver", to_json(profile.receiver)}});
  return document.dump(2) + "\n";
}

std::string to_html(const ProfileReport& report) {
  Page page("perigee bench ttcp --profile");
  page.note(method);
  for (const auto& [tool, reason] : report.not_used) page.note(tool + " was not used: " + reason);
  for (const VersionProfile& profile : report.profiles) {
    page.heading(title(profile));
    add_side(page, "transmitter", profile.transmitter);
    add_side(page, "receiver", profile.receiver);
  }
  return page.html();
}

}  // namespace perigee::bench
