// The whitebox report as text, JSON and a page with figures.
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "whitebox.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace perigee::bench {
namespace {

constexpr Layer layers[] = {Layer::orb, Layer::marshalling, Layer::messaging, Layer::transport,
                            Layer::io};

std::string describe_whitebox_method(const WhiteboxOptions& options) {
  return fmt::format(
      "microseconds: means over the middle half of all calls, sorted by their round trips ({} "
      "calls in each of {} rounds); the cost of the time probes on both sides is subtracted; "
      "server and client on one CPU, a thread per connection",
      options.calls, options.rounds);
}

// A step that is shorter than a probe may be some nanoseconds below 0, because the probe's own time
// is subtracted. It is shown as 0.
double shown_us(double ns) { return std::max(ns, 0.0) / 1000; }

std::string microseconds(double ns) { return fmt::format("{:.3f}", shown_us(ns)); }

using Rows = std::vector<std::vector<std::string>>;

struct Table {
  std::string title;
  std::vector<std::string> header;
  Rows rows;
};

std::vector<const WhiteboxResult*> results_of(const WhiteboxReport& report, std::size_t size) {
  std::vector<const WhiteboxResult*> results;
  for (const WhiteboxResult& result : report.results)
    if (result.size == size) results.push_back(&result);
  return results;
}

Table activities_table(const WhiteboxReport& report, const std::string& title,
                       const std::vector<Activity>& activities, Steps CallSteps::* side) {
  Table table{title, {"activity"}, {}};
  const auto results = results_of(report, 0);
  for (const WhiteboxResult* result : results) table.header.push_back(result->protocol);
  table.header.emplace_back("TAO 2001");
  for (const Activity& activity : activities) {
    auto& row = table.rows.emplace_back(1, activity.name);
    for (const WhiteboxResult* result : results)
      row.push_back(microseconds(time_of(activity, result->steps.*side)));
    row.push_back(activity.tao_us ? fmt::format("{:.2f}", *activity.tao_us) : "");
  }
  return table;
}

Table layers_table(const WhiteboxReport& report) {
  Table table{"Figure 18: layers of client and server together, void", {"protocol"}, {}};
  for (const Layer layer : layers) table.header.emplace_back(to_string(layer));
  table.header.insert(table.header.end(), {"round trip", "I/O and system, %"});
  for (const WhiteboxResult* result : results_of(report, 0)) {
    auto& row = table.rows.emplace_back(1, result->protocol);
    for (const Layer layer : layers) row.push_back(microseconds(time_of(layer, *result)));
    row.push_back(microseconds(round_trip(result->steps.client)));
    row.push_back(fmt::format(
        "{:.1f}", 100 * time_of(Layer::io, *result) / round_trip(result->steps.client)));
  }
  return table;
}

// The time of all layers except I/O and system: the "overhead of the ORB" in the paper.
double orb_time(const WhiteboxResult& result) {
  return round_trip(result.steps.client) - time_of(Layer::io, result);
}

Table sizes_table(const WhiteboxReport& report) {
  Table table{
      "Figure 19: ORB / I/O and system, over the size of an octet sequence", {"octets"}, {}};
  for (const WhiteboxResult* result : results_of(report, 0))
    table.header.push_back(result->protocol);
  for (const std::size_t size : report.options.sizes) {
    auto& row = table.rows.emplace_back(1, std::to_string(size));
    for (const WhiteboxResult* result : results_of(report, size))
      row.push_back(microseconds(orb_time(*result)) + " / " +
                    microseconds(time_of(Layer::io, *result)));
  }
  return table;
}

std::vector<Table> all_tables(const WhiteboxReport& report) {
  return {activities_table(report, "Table 1: the client, void", client_activities(),
                           &CallSteps::client),
          activities_table(report, "Table 2: the server, void", server_activities(),
                           &CallSteps::server),
          layers_table(report), sizes_table(report)};
}

std::string to_text(const Table& table) {
  std::string text = table.title + "\n";
  const auto add_row = [&](const std::vector<std::string>& row) {
    text += fmt::format("  {:<28}", row.front());
    for (std::size_t index = 1; index < row.size(); ++index)
      text += fmt::format("{:>18}", row[index]);
    text += '\n';
  };
  add_row(table.header);
  for (const auto& row : table.rows) add_row(row);
  return text;
}

BarChart figure_18(const WhiteboxReport& report) {
  BarChart chart{.label = "microseconds of a two-way call without parameters"};
  for (const WhiteboxResult* result : results_of(report, 0))
    for (const Layer layer : layers) {
      const double time = time_of(layer, *result);
      chart.bars.push_back({.name = to_string(layer),
                            .value = exactly(shown_us(time)),
                            .text = microseconds(time),
                            .group = result->protocol});
    }
  return chart;
}

double io_time(const WhiteboxResult& result) { return time_of(Layer::io, result); }

// One part of the time over the size of the parameter, with a line for each protocol.
LineChart figure_19(const WhiteboxReport& report, const std::string& part,
                    double (*time)(const WhiteboxResult& result)) {
  LineChart chart{.x_label = "parameter",
                  .y_label = part + ", microseconds",
                  .x_kind = AxisKind::logarithmic,
                  .y_kind = AxisKind::logarithmic,
                  .x_unit = AxisUnit::octets};
  for (const WhiteboxResult* protocol : results_of(report, 0)) {
    ChartSeries series{protocol->protocol, {}};
    for (const WhiteboxResult& result : report.results)
      if (result.size != 0 && result.protocol == protocol->protocol)
        series.points.push_back(
            {static_cast<double>(result.size), exactly(shown_us(time(result)))});
    chart.series.push_back(std::move(series));
  }
  return chart;
}

nlohmann::json to_json(const std::vector<Activity>& activities, const Steps& steps) {
  nlohmann::json entries = nlohmann::json::array();
  for (const Activity& activity : activities)
    entries.push_back({{"activity", activity.name},
                       {"layer", to_string(activity.layer)},
                       {"ns", time_of(activity, steps)}});
  return entries;
}

}  // namespace

std::string to_table(const WhiteboxReport& report) {
  std::string text = fmt::format("perigee bench whitebox: {}\n{}\n", machine_description(),
                                 describe_whitebox_method(report.options));
  for (const Table& table : all_tables(report)) text += to_text(table);
  return text;
}

std::string to_json(const WhiteboxReport& report) {
  nlohmann::json document = begin_report("whitebox");
  document["rounds"] = report.options.rounds;
  document["calls"] = report.options.calls;
  for (const WhiteboxResult& result : report.results) {
    nlohmann::json entry{{"protocol", result.protocol},
                         {"size", result.size},
                         {"round_trip_ns", round_trip(result.steps.client)},
                         {"client", to_json(client_activities(), result.steps.client)},
                         {"server", to_json(server_activities(), result.steps.server)}};
    for (const Layer layer : layers) entry["layers_ns"][to_string(layer)] = time_of(layer, result);
    document["results"].push_back(std::move(entry));
  }
  return document.dump(2) + "\n";
}

std::string to_html(const WhiteboxReport& report) {
  Page page("perigee bench whitebox");
  page.note(describe_whitebox_method(report.options));
  page.note(
      "The tables and figures have the numbers of the paper \"Applying Patterns to Develop a "
      "Pluggable Protocols Framework for ORB Middleware\" (Schmidt, O'Ryan, Othman; 2001). The "
      "column TAO 2001 has the paper's own values.");
  const std::vector<Table> tables = all_tables(report);
  for (const Table& table : tables) {
    page.heading(table.title);
    if (&table == &tables[2]) page.chart(figure_18(report));
    if (&table == &tables[3]) {
      page.chart(figure_19(report, "ORB", orb_time));
      page.chart(figure_19(report, "I/O and system", io_time));
    }
    page.table(table.header, table.rows);
  }
  return page.html();
}

}  // namespace perigee::bench
