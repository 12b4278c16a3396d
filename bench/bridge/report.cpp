// The goals, and the report as a table, as JSON and as a page.
#include "bridge.h"
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "messages.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace perigee::bench {
namespace {

constexpr double cpu_goal = 1.15;
constexpr double allocations_goal = 0.01;  // of a call: the start and the end allocate a little
constexpr std::size_t own_threads = 3;     // for new connections, for memory, for signals

std::string size_text(std::size_t octets) {
  return octets == 0 ? "void" : octets_text(static_cast<double>(octets));
}

std::string row_text(std::size_t octets, std::size_t connections) {
  return fmt::format("{}, {} connection{}", size_text(octets), connections,
                     connections == 1 ? "" : "s");
}

std::string describe_method(const BridgeOptions& options) {
  return fmt::format(
      "a closed loop of calls, whose argument and result have the same size, through a middle "
      "process; at most {} calls of more than 64 KiB are in flight; {} threads each; with one "
      "connection all "
      "processes run on one CPU; CPU is the "
      "CPU time of the middle process; ratios: median over {} rounds of (system / raw in the same "
      "round), {}; raw: a C program that reads whole messages and copies them; null is a second "
      "raw program",
      large_in_flight_max, options.threads, options.rounds, interval_text(options.rounds));
}

const BridgeCell* null_of(const BridgeReport& report, const BridgeCell& cell) {
  const auto found = std::ranges::find_if(report.cells, [&cell](const BridgeCell& each) {
    return each.system == "null" && each.octets == cell.octets &&
           each.connections == cell.connections;
  });
  return found != report.cells.end() ? &*found : nullptr;
}

}  // namespace

std::vector<Claim> claims_of(const BridgeReport& report) {
  std::vector<Claim> claims;
  std::size_t threads = 0;
  for (const BridgeCell& cell : report.cells) {
    if (cell.system != "perigee") continue;
    Claim claim{row_text(cell.octets, cell.connections) + ": perigee / raw, CPU", Bound::at_most,
                cpu_goal, cell.cpu_ratio};
    if (const BridgeCell* const null = null_of(report, cell))
      claim.note = "null " + to_text(null->cpu_ratio);
    claims.push_back(std::move(claim));
    threads = std::max(threads, cell.threads);
  }
  for (const auto& [octets, counts] : report.counts)
    claims.push_back({size_text(octets) + ": allocations of a call", Bound::at_most,
                      allocations_goal, exactly(counts.allocations)});
  if (threads != 0)
    claims.push_back({"threads of the bridge", Bound::at_most,
                      static_cast<double>(report.options.threads + own_threads),
                      exactly(static_cast<double>(threads))});
  return claims;
}

std::string to_table(const BridgeReport& report) {
  std::string text = fmt::format("perigee bench bridge: {}\n{}\n", machine_description(),
                                 describe_method(report.options));
  if (report.options.goals)
    text += describe_claims(report.options.rounds) + '\n' + to_table(claims_of(report));
  text += fmt::format("  {:<26}{:<10}{:<22}{:<22}{:>9}{:>12}{:>9}\n", "", "", "CPU to raw",
                      "elapsed to raw", "CPU us", "elapsed us", "threads");
  for (const BridgeCell& cell : report.cells)
    text += fmt::format("  {:<26}{:<10}{:<22}{:<22}{:>9.2f}{:>12.2f}{:>9}\n",
                        row_text(cell.octets, cell.connections), cell.system,
                        to_text(cell.cpu_ratio), to_text(cell.elapsed_ratio), cell.cpu_ns / 1000,
                        cell.elapsed_ns / 1000, cell.threads);
  for (const auto& [octets, counts] : report.counts)
    text += fmt::format(
        "  {}: a call takes {:.0f} instructions, {:.2f} system calls and {:.2f} allocations of the "
        "bridge\n",
        size_text(octets), counts.instructions, counts.system_calls, counts.allocations);
  return text;
}

std::string to_json(const BridgeReport& report) {
  nlohmann::json document = begin_report("bridge");
  document["rounds"] = report.options.rounds;
  document["threads"] = report.options.threads;
  document["goals"] = to_json(claims_of(report));
  document["results"] = nlohmann::json::array();
  for (const BridgeCell& cell : report.cells)
    document["results"].push_back({{"system", cell.system},
                                   {"octets", cell.octets},
                                   {"connections", cell.connections},
                                   {"cpu_ratio", to_json(cell.cpu_ratio)},
                                   {"elapsed_ratio", to_json(cell.elapsed_ratio)},
                                   {"cpu_ns", cell.cpu_ns},
                                   {"elapsed_ns", cell.elapsed_ns},
                                   {"threads", cell.threads}});
  for (const auto& [octets, counts] : report.counts)
    document["counts"].push_back({{"octets", octets},
                                  {"instructions", counts.instructions},
                                  {"system_calls", counts.system_calls},
                                  {"allocations", counts.allocations}});
  return document.dump(2) + "\n";
}

std::string to_html(const BridgeReport& report) {
  Page page("perigee bench bridge");
  page.note(describe_method(report.options));
  page.note(describe_claims(report.options.rounds));
  add_to(page, claims_of(report));
  BarChart cpu{.label = "ratio to the C forwarder", .values = Values::ratios};
  BarChart elapsed = cpu;
  for (const BridgeCell& cell : report.cells) {
    if (cell.system == "raw") continue;
    const std::string group = row_text(cell.octets, cell.connections);
    const auto bar = [&](const Estimate& ratio, double time_ns) {
      return Bar{.name = cell.system,
                 .value = ratio,
                 .text = fmt::format("{:.3f} ({:.2f} µs)", ratio.value, time_ns / 1000),
                 .group = group};
    };
    cpu.bars.push_back(bar(cell.cpu_ratio, cell.cpu_ns));
    elapsed.bars.push_back(bar(cell.elapsed_ratio, cell.elapsed_ns));
  }
  page.heading("CPU time of the middle process");
  page.chart(cpu);
  page.heading("Time of a call");
  page.chart(elapsed);
  return page.html();
}

}  // namespace perigee::bench
