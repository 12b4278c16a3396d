// Writes the demux report as text, as JSON and as a page with figures.
#include "demux.h"
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace perigee::bench {
namespace {

std::string describe_demux_method(const DemuxOptions& options) {
  return fmt::format(
      "nanoseconds of a dispatch by the skeleton, from the operation's name to the reply, without "
      "a network: medians of {} rounds of {} calls. direct: no name is searched. In parentheses: "
      "the ratio to the perfect hash, the median of the ratios of all rounds. perigee-idl uses the "
      "perfect hash for up to 128 operations, and the sorted table for more.",
      options.rounds, options.calls);
}

std::string describe(Order order) {
  switch (order) {
    case Order::random:
      return "all operations equally often, in random order";
    case Order::first:
      return "only the first operation of the interface";
    case Order::last:
      return "only the last operation of the interface";
  }
  return {};
}

LineChart chart_of(const DemuxReport& report, Order order) {
  LineChart chart{.x_label = "operations of the interface",
                  .y_label = "nanoseconds of a dispatch",
                  .x_kind = AxisKind::logarithmic,
                  .y_kind = AxisKind::logarithmic};
  for (const std::string& way : demux_ways()) {
    ChartSeries series{way, {}};
    for (const auto& [operations, cells] : report.cells)
      series.points.push_back({static_cast<double>(operations),
                               median_with_interval(cells.at(order).at(way).samples_ns)});
    chart.series.push_back(std::move(series));
  }
  return chart;
}

std::vector<std::string> header() {
  std::vector<std::string> words{"operations"};
  words.insert(words.end(), demux_ways().begin(), demux_ways().end());
  return words;
}

std::vector<std::vector<std::string>> rows_of(const DemuxReport& report, Order order) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [operations, cells] : report.cells) {
    auto& row = rows.emplace_back(1, std::to_string(operations));
    for (const std::string& way : demux_ways()) {
      const DemuxCell& cell = cells.at(order).at(way);
      row.push_back(fmt::format("{:.1f} ({:.2f})", median(cell.samples_ns), cell.ratio.value));
    }
  }
  return rows;
}

}  // namespace

std::string to_table(const DemuxReport& report) {
  std::string text = fmt::format("perigee bench demux: {}\n{}\n", machine_description(),
                                 describe_demux_method(report.options));
  const auto add_row = [&text](const std::vector<std::string>& row) {
    text += fmt::format("  {:<12}", row.front());
    for (std::size_t index = 1; index < row.size(); ++index)
      text += fmt::format("{:>18}", row[index]);
    text += '\n';
  };
  for (const Order order : all_orders) {
    text += describe(order) + "\n";
    add_row(header());
    for (const auto& row : rows_of(report, order)) add_row(row);
  }
  return text;
}

std::string to_json(const DemuxReport& report) {
  nlohmann::json document = begin_report("demux");
  document["rounds"] = report.options.rounds;
  document["calls"] = report.options.calls;
  for (const auto& [operations, cells] : report.cells)
    for (const auto& [order, of_order] : cells)
      for (const auto& [way, cell] : of_order)
        document["results"].push_back({{"operations", operations},
                                       {"order", to_string(order)},
                                       {"way", way},
                                       {"ns", median(cell.samples_ns)},
                                       {"samples_ns", cell.samples_ns},
                                       {"ratio", to_json(cell.ratio)}});
  return document.dump(2) + "\n";
}

std::string to_html(const DemuxReport& report) {
  Page page("perigee bench demux");
  page.note(describe_demux_method(report.options));
  for (const Order order : all_orders) {
    page.heading(describe(order));
    page.chart(chart_of(report, order));
    page.table(header(), rows_of(report, order));
  }
  return page.html();
}

}  // namespace perigee::bench
