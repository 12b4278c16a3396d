// The report on asynchronous calls as text, JSON and a page with figures.
#include "ami.h"
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace perigee::bench {
namespace {

std::string describe_ami_method(const AmiOptions& options) {
  return fmt::format(
      "one thread, one connection, calls without parameters; rates and their ratios to synchronous "
      "calls in the same round: medians over {} rounds of {} calls each; {}",
      options.rounds, options.calls, interval_text(options.rounds));
}

std::string ami_title_of(const AmiPart& part) {
  return part.server + " server, " + (part.cpus == 1 ? "one CPU" : "two CPUs");
}

using Rows = std::vector<std::vector<std::string>>;

const std::vector<std::string>& header() {
  static const std::vector<std::string> names{"calls", "in flight",        "calls/s",
                                              "ratio", "to one in flight", "CPU us"};
  return names;
}

Rows rows_of(const AmiPart& part) {
  Rows rows;
  for (const std::string& kind : ami_kinds())
    for (const auto& [in_flight, cell] : part.cells.at(kind))
      rows.push_back({kind, std::to_string(in_flight), fmt::format("{:.0f}", cell.rate.value),
                      to_text(cell.ratio), cell.gain ? to_text(*cell.gain) : "",
                      fmt::format("{:.2f}", cell.cpu_ns / 1000)});
  return rows;
}

std::vector<std::string> count_header() {
  std::vector<std::string> names{"a call, client + server", "in flight"};
  std::ranges::copy(count_columns(), std::back_inserter(names));
  return names;
}

// The rows of counts; empty if nothing was counted.
Rows rows_of_counts(const AmiPart& part) {
  Rows rows;
  for (const std::string& kind : ami_kinds())
    for (const auto& [in_flight, cell] : part.cells.at(kind)) {
      if (!is_counted(cell.counts)) continue;
      rows.push_back({kind, std::to_string(in_flight)});
      std::ranges::copy(count_texts(cell.counts), std::back_inserter(rows.back()));
    }
  return rows;
}

std::string lines_of(const std::vector<std::string>& head, const Rows& rows) {
  if (rows.empty()) return {};
  std::string text;
  const auto add = [&text](const std::vector<std::string>& fields) {
    text += fmt::format("  {:<24}{:>10}", fields[0], fields[1]);
    for (std::size_t index = 2; index < fields.size(); ++index)
      text += fmt::format("{:>22}", fields[index]);
    text += '\n';
  };
  add(head);
  for (const std::vector<std::string>& row : rows) add(row);
  return text;
}

LineChart curves(const AmiPart& part) {
  LineChart chart;
  chart.x_label = "calls in flight";
  chart.y_label = "calls a second";
  chart.x_kind = AxisKind::logarithmic;
  chart.better = Better::larger;
  for (const std::string& kind : ami_kinds()) {
    ChartSeries series{kind, {}};
    for (const auto& [in_flight, cell] : part.cells.at(kind))
      series.points.push_back({static_cast<double>(in_flight), cell.rate});
    chart.series.push_back(std::move(series));
  }
  return chart;
}

nlohmann::json to_json(const AmiPart& part) {
  nlohmann::json entry{{"server", part.server}, {"cpus", part.cpus}};
  for (const auto& [kind, numbers] : part.cells)
    for (const auto& [in_flight, cell] : numbers) {
      nlohmann::json row{{"calls", kind},
                         {"in_flight", in_flight},
                         {"rate", to_json(cell.rate)},
                         {"ratio", to_json(cell.ratio)},
                         {"cpu_ns", cell.cpu_ns}};
      if (cell.gain) row["gain"] = to_json(*cell.gain);
      if (is_counted(cell.counts)) row.update(to_json(cell.counts));
      entry["results"].push_back(std::move(row));
    }
  return entry;
}

}  // namespace

std::string to_table(const AmiReport& report) {
  std::string text = fmt::format("perigee bench ami: {}\n{}\n", machine_description(),
                                 describe_ami_method(report.options));
  if (const std::vector<Claim> claims = claims_of(report); !claims.empty())
    text += describe_claims(report.options.rounds) + '\n' + to_table(claims);
  for (const AmiPart& part : report.parts) {
    text += ami_title_of(part) + '\n' + lines_of(header(), rows_of(part));
    text += lines_of(count_header(), rows_of_counts(part));
  }
  return text;
}

std::string to_json(const AmiReport& report) {
  nlohmann::json document = begin_report("ami");
  document["rounds"] = report.options.rounds;
  document["calls"] = report.options.calls;
  document["goals"] = to_json(claims_of(report));
  for (const AmiPart& part : report.parts) document["parts"].push_back(to_json(part));
  return document.dump(2) + "\n";
}

std::string to_html(const AmiReport& report) {
  Page page("perigee bench ami");
  page.note(describe_ami_method(report.options));
  if (const std::vector<Claim> claims = claims_of(report); !claims.empty()) {
    page.note(describe_claims(report.options.rounds));
    add_to(page, claims);
  }
  for (const AmiPart& part : report.parts) {
    page.heading(ami_title_of(part));
    page.chart(curves(part));
    page.table(header(), rows_of(part));
    if (const Rows counts = rows_of_counts(part); !counts.empty())
      page.table(count_header(), counts);
  }
  return page.html();
}

}  // namespace perigee::bench
