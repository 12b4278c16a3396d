// Writes the imaging report as text, as JSON and as a page with figures.
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "imaging.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace perigee::bench {
namespace {

constexpr double mega = 1e6;

std::string describe_imaging_method(const ImagingReport& report) {
  const ImagingOptions& options = report.options;
  return fmt::format(
      "megabytes a second, medians of {} rounds; ratio and CPU ratio: time and CPU time of both "
      "sides, divided by those of raw TCP in the same round; faults: page faults of both sides for "
      "an image; {}; {}",
      options.rounds, interval_text(options.rounds),
      options.split ? "each side has a CPU of its own" : "both sides on one CPU");
}

std::string describe_locating(const ImagingReport& report) {
  const Locating& locating = report.locating;
  std::string text = fmt::format("finding the store takes {:.0f} us: the locator was found by a {}",
                                 median(locating.samples_us), locating.by);
  if (!locating.reason.empty()) text += " (" + locating.reason + ")";
  return text;
}

double megabytes_per_second(std::size_t size, double ns) {
  return static_cast<double>(size) / mega / (ns / 1e9);
}

using Cells = std::map<std::string, ImagingCell>;

std::vector<std::string> row_of(const std::string& system, std::size_t size,
                                const ImagingCell& cell) {
  return {system, fmt::format("{:.0f}", megabytes_per_second(size, median(cell.samples_ns))),
          to_text(cell.ratio), to_text(cell.cpu_ratio),
          fmt::format("{:.0f}", median(cell.samples_faults))};
}

std::vector<std::string> header() { return {"system", "MB/s", "ratio", "CPU ratio", "faults"}; }

std::vector<std::vector<std::string>> rows_of(std::size_t size, const Cells& cells) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& system : imaging_systems())
    rows.push_back(row_of(system, size, cells.at(system)));
  return rows;
}

std::string heading(Direction direction, std::size_t size) {
  return fmt::format("{} of {}", to_string(direction), octets_text(static_cast<double>(size)));
}

// A line for each system except "null TCP", which is a second measurement of the floor.
template <typename Value>
std::vector<ChartSeries> series_of(const ImagingReport& report, Direction direction,
                                   const Value& value) {
  std::vector<ChartSeries> all;
  for (const std::string& system : imaging_systems()) {
    if (system == "null TCP") continue;
    ChartSeries series{system, {}};
    for (const auto& [size, cells] : report.cells.at(direction))
      series.points.push_back({static_cast<double>(size), value(size, cells.at(system))});
    all.push_back(std::move(series));
  }
  return all;
}

LineChart rates_chart(const ImagingReport& report, Direction direction) {
  return {.x_label = "image",
          .y_label = "megabytes a second",
          .x_kind = AxisKind::logarithmic,
          .x_unit = AxisUnit::octets,
          .series = series_of(report, direction,
                              [](std::size_t size, const ImagingCell& cell) {
                                return exactly(megabytes_per_second(size, median(cell.samples_ns)));
                              }),
          .better = Better::larger};
}

LineChart cpu_chart(const ImagingReport& report, Direction direction) {
  return {.x_label = "image",
          .y_label = "CPU time of both sides / raw TCP",
          .x_kind = AxisKind::logarithmic,
          .x_unit = AxisUnit::octets,
          .series = series_of(report, direction,
                              [](std::size_t, const ImagingCell& cell) { return cell.cpu_ratio; }),
          .values = Values::ratios};
}

}  // namespace

std::string to_table(const ImagingReport& report) {
  std::string text = fmt::format("perigee bench imaging: {}\n{}\n{}\n", machine_description(),
                                 describe_imaging_method(report), describe_locating(report));
  const auto add_row = [&text](const std::vector<std::string>& row) {
    text +=
        fmt::format("  {:<14}{:>8}   {:<22} {:<22}{:>8}\n", row[0], row[1], row[2], row[3], row[4]);
  };
  for (const auto& [direction, sizes] : report.cells)
    for (const auto& [size, cells] : sizes) {
      text += heading(direction, size) + "\n";
      add_row(header());
      for (const auto& row : rows_of(size, cells)) add_row(row);
    }
  return text;
}

std::string to_json(const ImagingReport& report) {
  nlohmann::json document = begin_report("imaging");
  document["rounds"] = report.options.rounds;
  document["volume"] = report.options.volume;
  document["split"] = report.options.split;
  document["locating"] = {{"by", report.locating.by},
                          {"us", median(report.locating.samples_us)},
                          {"samples_us", report.locating.samples_us}};
  if (!report.locating.reason.empty()) document["locating"]["reason"] = report.locating.reason;
  for (const auto& [direction, sizes] : report.cells)
    for (const auto& [size, cells] : sizes)
      for (const auto& [system, cell] : cells)
        document["results"].push_back(
            {{"direction", to_string(direction)},
             {"size", size},
             {"system", system},
             {"ns", median(cell.samples_ns)},
             {"samples_ns", cell.samples_ns},
             {"octets_per_s", static_cast<double>(size) * 1e9 / median(cell.samples_ns)},
             {"cpu_ns", median(cell.samples_cpu_ns)},
             {"samples_cpu_ns", cell.samples_cpu_ns},
             {"page_faults", median(cell.samples_faults)},
             {"samples_page_faults", cell.samples_faults},
             {"ratio", to_json(cell.ratio)},
             {"cpu_ratio", to_json(cell.cpu_ratio)}});
  return document.dump(2) + "\n";
}

std::string to_html(const ImagingReport& report) {
  Page page("perigee bench imaging");
  page.note(describe_imaging_method(report));
  page.note(describe_locating(report));
  for (const Direction direction : all_directions) {
    page.heading(to_string(direction));
    page.chart(rates_chart(report, direction));
    page.chart(cpu_chart(report, direction));
    for (const auto& [size, cells] : report.cells.at(direction)) {
      page.heading(heading(direction, size));
      page.table(header(), rows_of(size, cells));
    }
  }
  return page.html();
}

}  // namespace perigee::bench
