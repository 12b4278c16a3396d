// Writes the report of the sizes experiment as text, as JSON, as a page and as a picture.
#include "cubit/workloads.h"
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "sizes.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace perigee::bench {
namespace {

std::string describe_sizes_method(const SizesReport& report) {
  const CubitOptions& options = report.calls.options;
  return fmt::format(
      "a call sends a sequence of octets from the caller's memory, and returns a number; time: "
      "median of {} rounds of the p50 of at most {} calls; ratio: to a C program over the same "
      "transport in the same round, {}; server and client on {}",
      options.rounds, options.calls, interval_text(options.rounds),
      options.split ? "two CPUs" : "one CPU");
}

std::string size_name(std::size_t size) { return octets_text(static_cast<double>(size)); }

const Cell& cell_of(const SizesReport& report, std::size_t size, const std::string& system) {
  return report.calls.cells.at(cubit::borrowed_name(size)).at(system);
}

LineChart empty_chart() {
  LineChart chart;
  chart.x_label = "octets of the sequence";
  chart.x_kind = AxisKind::logarithmic;
  chart.x_unit = AxisUnit::octets;
  return chart;
}

void add_times(LineChart& chart, const SizesReport& report, const std::string& name,
               const std::string& system) {
  ChartSeries& series = chart.series.emplace_back(ChartSeries{name, {}});
  for (const std::size_t size : report.options.sizes) {
    const auto& [value, low, high, samples] = cell_of(report, size, system).median_ns;
    series.points.push_back({static_cast<double>(size), {value / 1000, low / 1000, high / 1000}});
  }
}

LineChart time_chart(const SizesReport& report) {
  LineChart chart = empty_chart();
  chart.y_label = "µs of a call";
  chart.y_kind = AxisKind::logarithmic;
  for (const SizesWay& way : sizes_ways()) add_times(chart, report, way.name, way.system);
  for (const SizesWay& way : sizes_ways())
    add_times(chart, report, way.name + ", C program", way.floor);
  return chart;
}

LineChart ratio_chart_of_sizes(const SizesReport& report) {
  LineChart chart = empty_chart();
  chart.y_label = "time of a call, to the C program over the same transport";
  chart.values = Values::ratios;
  for (const SizesWay& way : sizes_ways()) {
    ChartSeries& series = chart.series.emplace_back(ChartSeries{way.name, {}});
    for (const std::size_t size : report.options.sizes)
      series.points.push_back({static_cast<double>(size), cell_of(report, size, way.system).ratio});
  }
  return chart;
}

std::vector<std::vector<std::string>> table_rows(const SizesReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const std::size_t size : report.options.sizes) {
    std::vector<std::string>& row = rows.emplace_back(1, size_name(size));
    for (const SizesWay& way : sizes_ways()) {
      const Cell& cell = cell_of(report, size, way.system);
      row.push_back(fmt::format("{:.2f}", cell.p50_ns / 1000));
      row.push_back(to_text(cell.ratio));
    }
  }
  return rows;
}

}  // namespace

std::string to_table(const SizesReport& report) {
  std::string text = fmt::format("perigee bench sizes: {}\n{}\n", machine_description(),
                                 describe_sizes_method(report));
  text += fmt::format("  {:>8}", "");
  for (const SizesWay& way : sizes_ways())
    text += fmt::format("{:>14} {:<22}", way.name + " us", "ratio");
  text += '\n';
  for (const std::vector<std::string>& row : table_rows(report)) {
    text += fmt::format("  {:>8}", row.front());
    for (std::size_t index = 1; index < row.size(); index += 2)
      text += fmt::format("{:>14} {:<22}", row[index], row[index + 1]);
    text += '\n';
  }
  return text;
}

std::string to_json(const SizesReport& report) {
  nlohmann::json document = begin_report("sizes");
  document["rounds"] = report.calls.options.rounds;
  document["placement"] = report.calls.options.split ? "two CPUs" : "one CPU";
  for (const std::size_t size : report.options.sizes)
    for (const SizesWay& way : sizes_ways()) {
      const Cell& cell = cell_of(report, size, way.system);
      document["results"][std::to_string(size)][way.name] = {
          {"p50_ns", to_json(cell.median_ns)},
          {"floor_p50_ns", to_json(cell_of(report, size, way.floor).median_ns)},
          {"ratio", to_json(cell.ratio)},
          {"cpu_ns", cell.cpu_ns}};
    }
  return document.dump(2) + "\n";
}

std::string to_html(const SizesReport& report) {
  Page page("perigee bench sizes");
  page.note(describe_sizes_method(report));
  page.heading("Time of a call");
  page.chart(time_chart(report));
  page.heading("Compared with C programs");
  page.chart(ratio_chart_of_sizes(report));
  page.heading("Numbers");
  std::vector<std::string> header{"sequence"};
  for (const SizesWay& way : sizes_ways()) {
    header.push_back(way.name + ", µs");
    header.push_back(way.name + ", ratio");
  }
  page.table(header, table_rows(report));
  return page.html();
}

std::string to_picture(const SizesReport& report) {
  return picture(time_chart(report), describe_sizes_method(report));
}

}  // namespace perigee::bench
