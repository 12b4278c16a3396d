// The cubit report as text, JSON and a page with figures.
#include "cubit.h"
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace perigee::bench {
namespace {

constexpr const char* method =
    "ratio: median over {} rounds of (p50 of {} calls / p50 of raw calls over the same transport "
    "in "
    "the same round); {}; null is a second raw pair; server and client on {}";

std::string describe_cubit_method(const CubitOptions& options) {
  return fmt::format(fmt::runtime(method), options.rounds, options.calls,
                     interval_text(options.rounds), options.split ? "two CPUs" : "one CPU");
}

std::string table_row(const std::string& system, const Cell& cell) {
  std::string row = fmt::format(
      "  {:<24}{:>8.3f}  [{:.3f}, {:.3f}]{:>10.3f}{:>10.2f}  [{:.2f}, {:.2f}]{:>10.2f}", system,
      cell.ratio.value, cell.ratio.low, cell.ratio.high, cell.mean_ratio.value, cell.p50_ns / 1000,
      cell.p50_low_ns / 1000, cell.p50_high_ns / 1000, cell.cpu_ns / 1000);
  if (const auto& [client, server] = cell.counts; is_counted(cell.counts))
    row += fmt::format("{:>8.0f} + {:<6.0f}{:>6.2f} + {:<6.2f}{:>5.2f} + {:.2f}",
                       client.instructions, server.instructions, client.system_calls,
                       server.system_calls, client.allocations, server.allocations);
  return row + "\n";
}

std::string comparison_row(const Comparison& comparison, const Estimate& ratio) {
  return fmt::format("  {:<40}{:>6.3f}  [{:.3f}, {:.3f}]\n", to_text(comparison), ratio.value,
                     ratio.low, ratio.high);
}

// "octets4096: a sequence of 4096 octets is sent and returned".
std::string cubit_title_of(const std::string& workload) {
  return workload + ": " + workload_text(workload);
}

BarChart bars(const std::string& workload, const CubitReport& report) {
  BarChart chart{.label = "median time of a call; 1: two C programs on bare sockets",
                 .values = Values::ratios};
  for (const System& system : report.systems) {
    const Cell& cell = report.cells.at(workload).at(system.name);
    chart.bars.push_back(
        {.name = system.name,
         .value = cell.ratio,
         .text = fmt::format("{:.3f} ({:.1f} µs)", cell.ratio.value, cell.p50_ns / 1000)});
  }
  return chart;
}

// Perigee's protocols, for each type of data: figure 16 of the paper that the page names.
BarChart figure_16(const CubitReport& report) {
  BarChart chart{.label = "two-way calls per second", .better = Better::larger};
  for (const std::string& workload : report.options.workloads)
    for (const System& system : report.systems) {
      if (!system.name.starts_with("GIOP") || system.name.ends_with("reactive") ||
          system.name.ends_with("auto"))
        continue;
      const double rate = 1e9 / report.cells.at(workload).at(system.name).p50_ns;
      chart.bars.push_back({.name = system.name,
                            .value = exactly(rate),
                            .text = fmt::format("{:.0f}", rate),
                            .group = cubit_title_of(workload)});
    }
  return chart;
}

void add_comparisons(Page& page, const CubitReport& report) {
  if (report.comparisons.empty()) return;
  page.heading("Comparisons of systems");
  page.note("Ratio of the p50 of the same round.");
  std::vector<std::string> header{"call"};
  for (const Comparison& comparison : report.comparisons) header.push_back(to_text(comparison));
  std::vector<std::vector<std::string>> rows;
  for (const std::string& workload : report.options.workloads) {
    std::vector<std::string>& row = rows.emplace_back(1, workload);
    for (const Estimate& ratio : report.compared.at(workload)) row.push_back(to_text(ratio));
  }
  page.table(header, rows);
}

void add_counts(Page& page, const CubitReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& workload : report.options.workloads)
    for (const System& system : report.systems) {
      const Cell& cell = report.cells.at(workload).at(system.name);
      if (!is_counted(cell.counts)) continue;
      rows.push_back({workload, system.name});
      std::ranges::copy(count_texts(cell.counts), std::back_inserter(rows.back()));
    }
  if (rows.empty()) return;
  page.heading("What a call costs, client + server");
  std::vector<std::string> header{"call", "system"};
  std::ranges::copy(count_columns(), std::back_inserter(header));
  page.table(header, rows);
}

nlohmann::json to_json(const Counts& counts) {
  return {{"instructions", counts.instructions},
          {"system_calls", counts.system_calls},
          {"allocations", counts.allocations}};
}

nlohmann::json to_json(const Cell& cell) {
  nlohmann::json entry{{"ratio", to_json(cell.ratio)},    {"mean_ratio", to_json(cell.mean_ratio)},
                       {"p50_ns", cell.p50_ns},           {"p50_low_ns", cell.p50_low_ns},
                       {"p50_high_ns", cell.p50_high_ns}, {"cpu_ns", cell.cpu_ns}};
  if (is_counted(cell.counts)) entry.update(to_json(cell.counts));
  return entry;
}

}  // namespace

bool is_counted(const SideCounts& counts) { return counts.client.instructions > 0; }

const std::vector<std::string>& count_columns() {
  static const std::vector<std::string> names{"instructions", "system calls", "allocations"};
  return names;
}

std::vector<std::string> count_texts(const SideCounts& counts) {
  const auto both = [&counts](double Counts::* member, int digits) {
    return fmt::format("{:.{}f} + {:.{}f}", counts.client.*member, digits, counts.server.*member,
                       digits);
  };
  return {both(&Counts::instructions, 0), both(&Counts::system_calls, 2),
          both(&Counts::allocations, 2)};
}

nlohmann::json to_json(const SideCounts& counts) {
  return {{"client", to_json(counts.client)}, {"server", to_json(counts.server)}};
}

std::string to_table(const CubitReport& report) {
  std::string text = fmt::format("perigee bench cubit: {}\n{}\n", machine_description(),
                                 describe_cubit_method(report.options));
  if (!report.claims.empty())
    text += describe_claims(report.options.rounds) + '\n' + to_table(report.claims);
  const bool counted = is_counted(report.cells.begin()->second.begin()->second.counts);
  text += fmt::format(
      "  {:<24}{:>8}  {:<16}{:>10}{:>10}  {:<16}{:>8}{}\n", "", "ratio",
      interval_name(report.options.rounds), "of means", "p50 us", "10-90 % rounds", "CPU us",
      counted ? "    client + server: instructions, system calls, allocations" : "");
  for (const std::string& workload : report.options.workloads) {
    text += workload + "\n";
    for (const System& system : report.systems)
      text += table_row(system.name, report.cells.at(workload).at(system.name));
    for (const auto& [system, reason] : report.absent)
      text += fmt::format("  {:<24}not measured: {}\n", system, reason);
    for (std::size_t index = 0; index < report.comparisons.size(); ++index)
      text += comparison_row(report.comparisons[index], report.compared.at(workload)[index]);
  }
  return text;
}

std::string to_json(const CubitReport& report) {
  nlohmann::json document = begin_report("cubit");
  document["rounds"] = report.options.rounds;
  document["calls"] = report.options.calls;
  document["placement"] = report.options.split ? "two CPUs" : "one CPU";
  if (!report.claims.empty()) document["goals"] = to_json(report.claims);
  for (const auto& [workload, systems] : report.cells)
    for (const auto& [system, cell] : systems)
      document["results"][workload][system] = to_json(cell);
  for (const auto& [system, reason] : report.absent) document["not_measured"][system] = reason;
  for (const auto& [workload, ratios] : report.compared)
    for (std::size_t index = 0; index < ratios.size(); ++index)
      document["compared"][workload].push_back({{"system", report.comparisons[index].system},
                                                {"base", report.comparisons[index].base},
                                                {"ratio", to_json(ratios[index])}});
  return document.dump(2) + "\n";
}

void add_to(Page& page, const CubitReport& report) {
  page.note(describe_cubit_method(report.options));
  for (const auto& [system, reason] : report.absent)
    page.note(system + " was not measured: " + reason);
  if (!report.claims.empty()) {
    page.note(describe_claims(report.options.rounds));
    add_to(page, report.claims);
  }
  if (BarChart protocols = figure_16(report); !protocols.bars.empty()) {
    page.heading("Perigee's protocols");
    page.note(
        "This is figure 16 of the paper \"Applying Patterns to Develop a Pluggable Protocols "
        "Framework for ORB Middleware\" (Schmidt, O'Ryan, Othman; 2001), measured with Perigee: "
        "the calls per second of one client that makes one call after the other.");
    page.chart(std::move(protocols));
  }
  add_comparisons(page, report);
  for (const std::string& workload : report.options.workloads) {
    page.heading(cubit_title_of(workload));
    page.chart(bars(workload, report));
  }
  add_counts(page, report);
}

std::string to_picture(const CubitReport& report) {
  const std::string& workload = report.options.workloads.front();
  return picture(bars(workload, report),
                 cubit_title_of(workload) + "; " + describe_cubit_method(report.options));
}

std::string to_html(const CubitReport& report) {
  Page page("perigee bench cubit");
  add_to(page, report);
  return page.html();
}

}  // namespace perigee::bench
