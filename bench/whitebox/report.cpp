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
      "calls in each of {} rounds); the cost of the time probes on both sides is subtracted. < "
      "marks "
      "a time below the resolution, which is the cost of a probe. Server and client run on one "
      "CPU. "
      "The tables and figures of the paper use the strategy {}",
      options.calls, options.rounds, options.strategies.front());
}

double shown_us(double ns) { return std::max(ns, 0.0) / 1000; }

std::string microseconds(double ns) { return fmt::format("{:.3f}", shown_us(ns)); }

// A step that is shorter than a probe may be some nanoseconds below 0, because the probe's own time
// is subtracted. Only its upper bound is known.
std::string microseconds(const Activity& activity, const Steps& steps,
                         const WhiteboxResult& result) {
  const double ns = time_of(activity, steps);
  return is_below_resolution(ns, result) ? "< " + microseconds(result.stamp_ns) : microseconds(ns);
}

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
      row.push_back(microseconds(activity, result->steps.*side, *result));
    row.push_back(activity.tao_us ? fmt::format("{:.2f}", *activity.tao_us) : "");
  }
  return table;
}

// The instructions of each step. The columns have no values of TAO.
Table instructions_table(const WhiteboxReport& report, const std::string& title,
                         const std::vector<Activity>& activities, Steps CallSteps::* side) {
  Table table{title, {"activity"}, {}};
  const auto results = results_of(report, 0);
  for (const WhiteboxResult* result : results) table.header.push_back(result->protocol);
  for (const Activity& activity : activities) {
    auto& row = table.rows.emplace_back(1, activity.name);
    for (const WhiteboxResult* result : results)
      row.push_back(fmt::format("{:.0f}", time_of(activity, result->instructions.*side)));
  }
  return table;
}

std::vector<std::string> layers_row(const std::string& name, const WhiteboxResult& result) {
  std::vector<std::string> row{name};
  for (const Layer layer : layers) row.push_back(microseconds(time_of(layer, result)));
  row.push_back(microseconds(round_trip(result.steps.client)));
  row.push_back(
      fmt::format("{:.1f}", 100 * time_of(Layer::io, result) / round_trip(result.steps.client)));
  return row;
}

Table layers_header(const std::string& title, const std::string& first) {
  Table table{title, {first}, {}};
  for (const Layer layer : layers) table.header.emplace_back(to_string(layer));
  table.header.insert(table.header.end(), {"round trip", "I/O and system, %"});
  return table;
}

Table layers_table(const WhiteboxReport& report) {
  Table table = layers_header(
      "Figure 18: layers of client and server together, " + report.options.workloads.front(),
      "protocol");
  for (const WhiteboxResult* result : results_of(report, 0))
    table.rows.push_back(layers_row(result->protocol, *result));
  return table;
}

// The other strategies and workloads: a table for each of them.
std::vector<Table> further_tables(const WhiteboxReport& report) {
  std::vector<Table> tables;
  for (const WhiteboxResult& result : report.further_results) {
    const std::string title = "Layers, " + result.strategy + ", " + result.workload;
    if (tables.empty() || tables.back().title != title)
      tables.push_back(layers_header(title, "protocol"));
    tables.back().rows.push_back(layers_row(result.protocol, result));
  }
  return tables;
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

// The tables of figures 18 and 19 have the indices 2 and 3.
std::vector<Table> all_tables(const WhiteboxReport& report) {
  const std::string& workload = report.options.workloads.front();
  std::vector<Table> tables{activities_table(report, "Table 1: the client, " + workload,
                                             client_activities(), &CallSteps::client),
                            activities_table(report, "Table 2: the server, " + workload,
                                             server_activities(), &CallSteps::server),
                            layers_table(report), sizes_table(report)};
  if (report.options.counts) {
    tables.push_back(instructions_table(report, "Instructions of the client, " + workload,
                                        client_activities(), &CallSteps::client));
    tables.push_back(instructions_table(report, "Instructions of the server, " + workload,
                                        server_activities(), &CallSteps::server));
  }
  for (Table& table : further_tables(report)) tables.push_back(std::move(table));
  return tables;
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

nlohmann::json to_json(const std::vector<Activity>& activities, const WhiteboxResult& result,
                       Steps CallSteps::* side) {
  nlohmann::json entries = nlohmann::json::array();
  for (const Activity& activity : activities) {
    const double ns = time_of(activity, result.steps.*side);
    nlohmann::json entry{
        {"activity", activity.name},
        {"layer", to_string(side == &CallSteps::server ? layer_on_server(activity, result.strategy)
                                                       : activity.layer)},
        {"ns", std::max(ns, 0.0)},
        {"below_resolution", is_below_resolution(ns, result)}};
    if (const Steps& counted = result.instructions.*side; !counted.empty())
      entry["instructions"] = time_of(activity, counted);
    entries.push_back(std::move(entry));
  }
  return entries;
}

nlohmann::json to_json(const std::vector<WhiteboxResult>& results) {
  nlohmann::json entries = nlohmann::json::array();
  for (const WhiteboxResult& result : results) {
    nlohmann::json entry{{"strategy", result.strategy},
                         {"protocol", result.protocol},
                         {"workload", result.workload},
                         {"size", result.size},
                         {"resolution_ns", result.stamp_ns},
                         {"round_trip_ns", round_trip(result.steps.client)},
                         {"client", to_json(client_activities(), result, &CallSteps::client)},
                         {"server", to_json(server_activities(), result, &CallSteps::server)}};
    for (const Layer layer : layers) entry["layers_ns"][to_string(layer)] = time_of(layer, result);
    entries.push_back(std::move(entry));
  }
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
  document["results"] = to_json(report.results);
  document["further_results"] = to_json(report.further_results);
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
