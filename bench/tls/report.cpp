// The tls report as text, JSON and a page with figures.
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "tls.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace perigee::bench {
namespace {

std::string describe_method(const TlsBenchOptions& options) {
  return fmt::format(
      "ratios to the C program over TLS in the same round, of p50 and of the CPU time per call: "
      "medians over {} rounds; {}; null is a second pair of C programs; server and client on one "
      "CPU; {} calls without parameters, fewer of 1 MiB and fewer handshakes",
      options.rounds, interval_text(options.rounds), options.calls);
}

std::string title_of(const TlsPart& part) {
  return part.workload + ": " + tls_workload_text(part.workload);
}

std::string counts_text(const SideCounts& counts) {
  if (!is_counted(counts)) return {};
  std::string text;
  for (const std::string& column : count_texts(counts)) text += "   " + column;
  return text;
}

std::string ratio_text(const Estimate& ratio) {
  return fmt::format("{:>8.3f}  [{:.3f}, {:.3f}]", ratio.value, ratio.low, ratio.high);
}

std::string table_row(const std::string& system, const TlsCell& cell) {
  return fmt::format("  {:<18}{:>10.2f}{}{:>10.2f}{}", system, cell.p50_ns / 1000,
                     ratio_text(cell.to_floor.time), cell.cpu_ns / 1000,
                     ratio_text(cell.to_floor.cpu)) +
         counts_text(cell.counts) + '\n';
}

BarChart bars(const TlsPart& part) {
  const bool of_time = part.workload == "void";
  BarChart chart{.label = of_time ? "median time of a call; 1: two C programs with OpenSSL"
                                  : "CPU time of a call; 1: two C programs with OpenSSL",
                 .values = Values::ratios};
  for (const System& system : part.systems) {
    const TlsCell& cell = part.cells.at(system.name);
    const Estimate& ratio = tls_measure(cell.to_floor, part.workload);
    const double time_ns = of_time ? cell.p50_ns : cell.cpu_ns;
    chart.bars.push_back({.name = system.name,
                          .value = ratio,
                          .text = fmt::format("{:.3f} ({:.1f} µs)", ratio.value, time_ns / 1000)});
  }
  return chart;
}

void add_counts(Page& page, const TlsPart& part) {
  std::vector<std::vector<std::string>> rows;
  for (const System& system : part.systems) {
    const SideCounts& counts = part.cells.at(system.name).counts;
    if (!is_counted(counts)) return;
    rows.push_back({system.name});
    std::ranges::copy(count_texts(counts), std::back_inserter(rows.back()));
  }
  page.note("What a call costs, client + server:");
  std::vector<std::string> header{"system"};
  std::ranges::copy(count_columns(), std::back_inserter(header));
  page.table(header, rows);
}

nlohmann::json to_json(const TlsCell& cell) {
  nlohmann::json entry{{"ratio", to_json(cell.to_floor.time)},
                       {"cpu_ratio", to_json(cell.to_floor.cpu)},
                       {"p50_ns", cell.p50_ns},
                       {"cpu_ns", cell.cpu_ns}};
  if (is_counted(cell.counts)) entry.update(to_json(cell.counts));
  return entry;
}

}  // namespace

std::string to_table(const TlsReport& report) {
  std::string text =
      fmt::format("perigee bench tls: {}\n{}\n{}\n", machine_description(),
                  describe_method(report.options), describe_claims(report.options.rounds));
  text += to_table(report.claims);
  const std::string interval = interval_name(report.options.rounds);
  text += fmt::format("  {:<18}{:>10}{:>8}  {:<14}{:>10}{:>8}  {}\n", "", "p50 us", "ratio",
                      interval, "CPU us", "ratio", interval);
  for (const TlsPart& part : report.parts) {
    text += title_of(part);
    if (is_counted(part.cells.begin()->second.counts))
      text += "; client + server: instructions, system calls, allocations";
    text += '\n';
    for (const System& system : part.systems)
      text += table_row(system.name, part.cells.at(system.name));
  }
  return text;
}

std::string to_json(const TlsReport& report) {
  nlohmann::json document = begin_report("tls");
  document["rounds"] = report.options.rounds;
  document["calls"] = report.options.calls;
  document["goals"] = to_json(report.claims);
  for (const TlsPart& part : report.parts) {
    for (const auto& [system, cell] : part.cells)
      document["results"][part.workload][system] = to_json(cell);
    if (!part.cells.contains("omniORB")) continue;
    const TlsRatio& ratio = part.cells.at("Perigee").to_omniorb;
    document["compared"][part.workload].push_back({{"system", "Perigee"},
                                                   {"base", "omniORB"},
                                                   {"ratio", to_json(ratio.time)},
                                                   {"cpu_ratio", to_json(ratio.cpu)}});
  }
  return document.dump(2) + "\n";
}

std::string to_html(const TlsReport& report) {
  Page page("perigee bench tls");
  page.note(describe_method(report.options));
  page.note(describe_claims(report.options.rounds));
  add_to(page, report.claims);
  for (const TlsPart& part : report.parts) {
    page.heading(title_of(part));
    page.chart(bars(part));
    add_counts(page, part);
  }
  return page.html();
}

}  // namespace perigee::bench
