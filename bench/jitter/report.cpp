// The jitter report as text, JSON and a page with figures.
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "jitter.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace perigee::bench {
namespace {

std::string describe_jitter_method(const JitterOptions& options) {
  return fmt::format(
      "medians over {} rounds of {} calls each; {}; null is a second raw pair; server and client "
      "on {}",
      options.rounds, options.calls, interval_text(options.rounds),
      options.split ? "two CPUs" : "one CPU");
}

std::string jitter_title_of(const JitterPart& part, const JitterOptions& options) {
  return part.crowded ? fmt::format("{}, beside {} other clients", part.workload, options.crowd)
                      : part.workload;
}

// The time in microseconds.
std::string time_text(const Estimate& time) {
  return fmt::format("{:.1f} [{:.1f}, {:.1f}]", time.value / 1000, time.low / 1000,
                     time.high / 1000);
}

std::string ratio_text(const Estimate& ratio) {
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", ratio.value, ratio.low, ratio.high);
}

using Text = std::string (*)(const Estimate& estimate);
using Rows = std::vector<std::vector<std::string>>;

std::vector<std::string> row_of(const std::string& name, const PercentileEstimates& estimates,
                                Text text) {
  std::vector<std::string> row{name};
  for (const Estimate& estimate : estimates) row.push_back(text(estimate));
  return row;
}

Rows rows_of_times(const JitterPart& part) {
  Rows rows;
  for (const std::string& system : part.systems)
    rows.push_back(row_of(system, part.cells.at(system).rounds, time_text));
  return rows;
}

Rows rows_of_ratios(const JitterPart& part) {
  Rows rows;
  for (std::size_t index = 0; index < part.comparisons.size(); ++index)
    rows.push_back(row_of(to_text(part.comparisons[index]), part.ratios[index], ratio_text));
  return rows;
}

// The rows of counts; empty if nothing was counted.
Rows rows_of_counts(const JitterPart& part) {
  Rows rows;
  for (const std::string& system : part.systems) {
    const SideCounts& counts = part.cells.at(system).counts;
    if (!is_counted(counts)) return {};
    rows.push_back({system});
    std::ranges::copy(count_texts(counts), std::back_inserter(rows.back()));
  }
  return rows;
}

std::vector<std::string> count_header() {
  std::vector<std::string> names{"a call, client + server"};
  std::ranges::copy(count_columns(), std::back_inserter(names));
  return names;
}

std::vector<std::string> header(const std::string& first) {
  std::vector<std::string> names{first};
  for (const Percentile& percentile : jitter_percentiles) names.emplace_back(percentile.name);
  return names;
}

std::string lines_of(const std::vector<std::string>& head, const Rows& rows) {
  std::string text;
  const auto add = [&text](const std::vector<std::string>& fields) {
    text += fmt::format("  {:<32}", fields.front());
    for (std::size_t index = 1; index < fields.size(); ++index)
      text += fmt::format(" {:>23}", fields[index]);
    text += '\n';
  };
  add(head);
  for (const std::vector<std::string>& row : rows) add(row);
  return text;
}

// The curves begin at N = 2, the median, and end at the slowest calls with enough samples.
LineChart curves(const JitterPart& part) {
  LineChart chart;
  chart.x_label = "N: one call in N took at least this time";
  chart.y_label = "microseconds";
  chart.x_kind = AxisKind::logarithmic;
  chart.y_kind = AxisKind::logarithmic;
  chart.base = "raw";
  for (const std::string& system : part.systems) {
    ChartSeries series{system, {}};
    for (const auto& [of, time] : slowest_of(part.cells.at(system).calls))
      series.points.push_back({of, exactly(time / 1000)});
    chart.series.push_back(std::move(series));
  }
  return chart;
}

nlohmann::json to_json(const PercentileEstimates& estimates) {
  nlohmann::json entry;
  for (std::size_t index = 0; index < jitter_percentiles.size(); ++index)
    entry[jitter_percentiles[index].name] = to_json(estimates.at(index));
  return entry;
}

nlohmann::json to_json(const JitterCell& cell) {
  nlohmann::json slowest = nlohmann::json::array();
  for (const auto& [of, time] : slowest_of(cell.calls))
    slowest.push_back({{"of", of}, {"ns", time}});
  nlohmann::json entry{
      {"ns", to_json(cell.rounds)}, {"calls", cell.calls.size()}, {"slowest", slowest}};
  if (is_counted(cell.counts)) entry.update(to_json(cell.counts));
  return entry;
}

nlohmann::json to_json(const JitterPart& part) {
  nlohmann::json entry{{"workload", part.workload}, {"crowded", part.crowded}};
  for (const std::string& system : part.systems)
    entry["results"][system] = to_json(part.cells.at(system));
  for (std::size_t index = 0; index < part.comparisons.size(); ++index)
    entry["compared"].push_back({{"system", part.comparisons[index].system},
                                 {"base", part.comparisons[index].base},
                                 {"ratio", to_json(part.ratios[index])}});
  return entry;
}

}  // namespace

std::string to_table(const JitterReport& report) {
  std::string text = fmt::format("perigee bench jitter: {}\n{}\n", machine_description(),
                                 describe_jitter_method(report.options));
  for (const JitterPart& part : report.parts) {
    text += jitter_title_of(part, report.options) + '\n' +
            lines_of(header("microseconds"), rows_of_times(part)) +
            lines_of(header("ratio in the same round"), rows_of_ratios(part));
    if (const Rows counts = rows_of_counts(part); !counts.empty())
      text += lines_of(count_header(), counts);
  }
  return text;
}

std::string to_json(const JitterReport& report) {
  nlohmann::json document = begin_report("jitter");
  document["rounds"] = report.options.rounds;
  document["calls"] = report.options.calls;
  document["crowd"] = report.options.crowd;
  document["placement"] = report.options.split ? "two CPUs" : "one CPU";
  for (const JitterPart& part : report.parts) document["parts"].push_back(to_json(part));
  return document.dump(2) + "\n";
}

std::string to_html(const JitterReport& report) {
  Page page("perigee bench jitter");
  page.note(describe_jitter_method(report.options));
  for (const JitterPart& part : report.parts) {
    page.heading(jitter_title_of(part, report.options));
    page.chart(curves(part));
    page.table(header("microseconds"), rows_of_times(part));
    page.table(header("ratio in the same round"), rows_of_ratios(part));
    if (const Rows counts = rows_of_counts(part); !counts.empty())
      page.table(count_header(), counts);
  }
  return page.html();
}

}  // namespace perigee::bench
