// Writes the report of the events experiment as text, as JSON and as a page. Compares it with its
// goals.
#include "events.h"
#include "harness/chart.h"
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "harness/statistics.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace perigee::bench {
namespace {

using Rate = double EventsSample::*;

struct Row {
  const char* name;
  Rate rate;
};

static_assert(several_at_once == 8, "the name below says so");
/// The ratios of all rows refer to the first row.
constexpr Row table_rows[] = {
    {"oneway calls", &EventsSample::oneways},
    {"null", &EventsSample::null},
    {"calls with replies", &EventsSample::calls},
    {"events", &EventsSample::events},
    {"events, 8 calls at once", &EventsSample::several},
};

Estimate rate_of(const EventsPoint& point, Rate rate) {
  std::vector<double> rates;
  for (const EventsSample& sample : point.samples) rates.push_back(sample.*rate);
  return median_with_interval(rates);
}

Estimate ratio_of(const EventsPoint& point, Rate rate, Rate base) {
  std::vector<double> ratios;
  for (const EventsSample& sample : point.samples) ratios.push_back(sample.*rate / sample.*base);
  return median_with_interval(ratios);
}

template <typename Value>
Estimate stopped_value(const EventsReport& report, Value value) {
  std::vector<double> values;
  for (const StoppedSample& sample : report.stopped) values.push_back(value(sample));
  return median_with_interval(values);
}

Estimate p99_ratio(const EventsReport& report) {
  return stopped_value(report, [](const StoppedSample& sample) {
    return sample.stopped_p99_ms / sample.running_p99_ms;
  });
}

static_assert(pushed_octets == 64 << 20, "names of rows say so");

Estimate growth(const EventsReport& report) {
  return stopped_value(report, [](const StoppedSample& sample) { return sample.growth_mib; });
}

Estimate control_growth(const EventsReport& report) {
  return stopped_value(report, [](const StoppedSample& sample) { return sample.control_mib; });
}

std::string method(const EventsReport& report) {
  return fmt::format(
      "deliveries per second, medians of {} rounds; a ratio divides by the rate of oneway calls in "
      "the same round; one process has the channel and makes the calls, with one thread for all; "
      "another "
      "process has the consumers and the supplier; at most {} deliveries in a round",
      report.options.rounds, report.options.deliveries);
}

std::string name_of(const EventsPoint& point) {
  return fmt::format("{} consumer{}, {} octets", point.consumers, point.consumers == 1 ? "" : "s",
                     point.size);
}

std::string stopped_name(const EventsReport& report) {
  return fmt::format("one of {} consumers is stopped", report.options.stopped_consumers);
}

std::vector<std::string> cells_of(const EventsPoint& point, const Row& row) {
  std::vector<std::string> cells{row.name, fmt::format("{:.0f}", rate_of(point, row.rate).value)};
  if (row.rate != table_rows[0].rate)
    cells.push_back(to_text(ratio_of(point, row.rate, table_rows[0].rate)));
  return cells;
}

std::vector<std::pair<std::string, Estimate>> stopped_rows(const EventsReport& report) {
  return {
      {"p99 of deliveries, all consumers run: ms",
       stopped_value(report, [](const StoppedSample& sample) { return sample.running_p99_ms; })},
      {"p99 of the other consumers: ms",
       stopped_value(report, [](const StoppedSample& sample) { return sample.stopped_p99_ms; })},
      {"their ratio", p99_ratio(report)},
      {"memory that 64 MiB of events take, limited queue: MiB", growth(report)},
      {"the same without limits: MiB", control_growth(report)}};
}

BarChart chart_of(const EventsReport& report) {
  BarChart chart{.label = "deliveries per second, divided by those of oneway calls",
                 .better = Better::larger,
                 .values = Values::ratios};
  for (const EventsPoint& point : report.points)
    for (const Row& row : table_rows)
      if (row.rate != table_rows[0].rate)
        chart.bars.push_back({.name = row.name,
                              .value = ratio_of(point, row.rate, table_rows[0].rate),
                              .group = name_of(point)});
  return chart;
}

}  // namespace

std::vector<Claim> claims_of(const EventsReport& report) {
  std::vector<Claim> claims;
  for (const EventsPoint& point : report.points)
    if (point.consumers == main_consumers)
      for (const Row& row : {table_rows[3], table_rows[4]})
        claims.push_back({name_of(point) + ": rate of " + row.name + " / of oneway calls",
                          Bound::at_least, 0.8, ratio_of(point, row.rate, &EventsSample::oneways)});
  if (report.stopped.empty()) return claims;
  claims.push_back({stopped_name(report) + ": p99 of the others / with all running", Bound::at_most,
                    1.1, p99_ratio(report)});
  claims.push_back({"64 MiB of events, a stopped consumer: growth of the service, MiB",
                    Bound::at_most, growth_max_mib, growth(report)});
  claims.push_back({"the same with a queue without limits, MiB", Bound::at_least,
                    4 * growth_max_mib, control_growth(report)});
  return claims;
}

std::string to_table(const EventsReport& report) {
  std::string text =
      fmt::format("perigee bench events: {}\n{}\n", machine_description(), method(report));
  for (const EventsPoint& point : report.points) {
    text += fmt::format("{:<26}{:>12}  {}\n", name_of(point), "per second", "to oneway calls");
    for (const Row& row : table_rows) {
      const auto cells = cells_of(point, row);
      text +=
          fmt::format("  {:<24}{:>12}  {}\n", cells[0], cells[1], cells.size() > 2 ? cells[2] : "");
    }
  }
  if (!report.stopped.empty()) {
    text += stopped_name(report) + '\n';
    for (const auto& [what, value] : stopped_rows(report))
      text += fmt::format("  {:<56}{}\n", what, to_text(value));
  }
  return text + durable_table(report.durable) + to_table(claims_of(report));
}

std::string to_json(const EventsReport& report) {
  nlohmann::json json = begin_report("events");
  for (const EventsPoint& point : report.points) {
    nlohmann::json entry{{"consumers", point.consumers}, {"octets", point.size}};
    for (const Row& row : table_rows) {
      nlohmann::json system{{"name", row.name}, {"rate", to_json(rate_of(point, row.rate))}};
      if (row.rate != table_rows[0].rate)
        system["ratio"] = to_json(ratio_of(point, row.rate, table_rows[0].rate));
      entry["systems"].push_back(std::move(system));
    }
    json["points"].push_back(std::move(entry));
  }
  if (!report.stopped.empty()) {
    json["stopped"] = {{"consumers", report.options.stopped_consumers}};
    for (const auto& [what, value] : stopped_rows(report))
      json["stopped"]["values"].push_back({{"name", what}, {"value", to_json(value)}});
  }
  if (!report.durable.empty()) json["durable"] = durable_json(report.durable);
  json["claims"] = to_json(claims_of(report));
  return json.dump(2) + '\n';
}

std::string to_html(const EventsReport& report) {
  Page page("perigee bench events");
  page.note(method(report));
  for (const EventsPoint& point : report.points) {
    page.heading(name_of(point));
    std::vector<std::vector<std::string>> cells;
    for (const Row& row : table_rows) cells.push_back(cells_of(point, row));
    page.table({"", "per second", "to oneway calls"}, cells);
  }
  page.chart(chart_of(report));
  if (!report.stopped.empty()) {
    page.heading(stopped_name(report));
    std::vector<std::vector<std::string>> cells;
    for (const auto& [what, value] : stopped_rows(report)) cells.push_back({what, to_text(value)});
    page.table({"", ""}, cells);
  }
  add_durable(page, report.durable);
  add_to(page, claims_of(report));
  return page.html();
}

}  // namespace perigee::bench
