// The cubit report as text, JSON and a page with figures.
#include "cubit.h"
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace perigee::bench {
namespace {

constexpr const char* method =
    "ratio: median over {} rounds of (p50 of {} calls / raw p50 of the same round); {}; "
    "null is a second raw pair; server and client on {}";

std::string describe_method(const CubitOptions& options) {
  return fmt::format(fmt::runtime(method), options.rounds, options.calls,
                     interval_text(options.rounds), options.split ? "two CPUs" : "one CPU");
}

std::string table_row(const std::string& system, const Cell& cell) {
  std::string row = fmt::format(
      "  {:<18}{:>8.3f}  [{:.3f}, {:.3f}]{:>10.3f}{:>10.2f}  [{:.2f}, {:.2f}]{:>10.2f}", system,
      cell.ratio.value, cell.ratio.low, cell.ratio.high, cell.mean_ratio.value, cell.p50_ns / 1000,
      cell.p50_low_ns / 1000, cell.p50_high_ns / 1000, cell.cpu_ns / 1000);
  if (cell.instructions > 0)
    row += fmt::format("{:>10.0f} + {:.0f}", cell.client_instructions, cell.server_instructions);
  return row + "\n";
}

BarChart bars(const std::string& workload, const CubitReport& report) {
  BarChart chart{"p50, ratio to the raw floor of the same round", 1, {}};
  for (const std::string& system : report.systems) {
    const Cell& cell = report.cells.at(workload).at(system);
    chart.bars.push_back({system, cell.ratio,
                          fmt::format("{:.3f} ({:.1f} µs)", cell.ratio.value, cell.p50_ns / 1000)});
  }
  return chart;
}

}  // namespace

std::string to_table(const CubitReport& report) {
  std::string text = fmt::format("perigee bench cubit: {}\n{}\n", machine_description(),
                                 describe_method(report.options));
  text += fmt::format("  {:<18}{:>8}  {:<16}{:>10}{:>10}  {:<16}{:>8}{}\n", "", "ratio",
                      interval_name(report.options.rounds), "of means", "p50 us", "10-90 % rounds",
                      "CPU us", "   instructions client + server");
  for (const std::string& workload : report.options.workloads) {
    text += workload + "\n";
    for (const std::string& system : report.systems)
      text += table_row(system, report.cells.at(workload).at(system));
  }
  return text;
}

std::string to_json(const CubitReport& report) {
  nlohmann::json document{{"experiment", "cubit"},
                          {"machine", machine_description()},
                          {"rounds", report.options.rounds},
                          {"calls", report.options.calls},
                          {"placement", report.options.split ? "two CPUs" : "one CPU"}};
  for (const auto& [workload, systems] : report.cells)
    for (const auto& [system, cell] : systems)
      document["results"][workload][system] = {{"ratio", to_json(cell.ratio)},
                                               {"mean_ratio", to_json(cell.mean_ratio)},
                                               {"p50_ns", cell.p50_ns},
                                               {"p50_low_ns", cell.p50_low_ns},
                                               {"p50_high_ns", cell.p50_high_ns},
                                               {"cpu_ns", cell.cpu_ns},
                                               {"client_instructions", cell.client_instructions},
                                               {"server_instructions", cell.server_instructions}};
  return document.dump(2) + "\n";
}

std::string to_html(const CubitReport& report) {
  Page page("perigee bench cubit");
  page.note(describe_method(report.options));
  for (const std::string& workload : report.options.workloads) {
    page.heading(workload);
    page.chart(bars(workload, report));
  }
  return page.html();
}

}  // namespace perigee::bench
