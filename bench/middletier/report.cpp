// The report of the experiment as text, JSON and a page.
#include "goals.h"
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "middletier.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace perigee::bench {
namespace {

std::string describe_middletier_method(const MiddletierOptions& options) {
  return fmt::format(
      "each client sends its next request when it has its answer; windows of {} s in which all "
      "clients are connected; medians of {} rounds; unless a heading names the CPUs, the middle "
      "tier has one CPU, and source and sink have another",
      options.seconds, options.rounds);
}

double middle_of(const MiddletierCell& cell, double MiddletierSample::* member) {
  std::vector<double> values;
  for (const MiddletierSample& sample : cell.samples) values.push_back(sample.*member);
  return median(values);
}

template <typename T>
double middle_of(const MiddletierCell& cell, T SourceResult::* member) {
  std::vector<double> values;
  for (const MiddletierSample& sample : cell.samples)
    values.push_back(static_cast<double>(sample.source.*member));
  return median(values);
}

std::size_t sum_of(const MiddletierCell& cell, std::size_t SourceResult::* member) {
  std::size_t sum = 0;
  for (const MiddletierSample& sample : cell.samples) sum += sample.source.*member;
  return sum;
}

Estimate rate_of(const MiddletierCell& cell) {
  std::vector<double> rates;
  for (const MiddletierSample& sample : cell.samples) rates.push_back(sample.rate);
  return median_with_interval(rates);
}

/// Replies a second if only the sink took time. 0: without a delay there is no limit.
double ideal_rate(const Point& point) {
  if (point.delay_ms == 0) return 0;
  return static_cast<double>(point.clients) * 1000 / static_cast<double>(point.delay_ms);
}

/// Whether the point was measured for the figures over clients, or for the figures over delays.
bool has_part(const MiddletierOptions& options, const Point& point, bool over_clients) {
  if (point.bursts || point.work != options.work) return false;
  if (over_clients)
    return point.delay_ms == scalability_delay_ms && point.shared_cpus == 0 &&
           std::ranges::find(options.clients, point.clients) != options.clients.end();
  return point.clients == scalability_clients && point.shared_cpus == 0 &&
         std::ranges::find(options.delays, point.delay_ms) != options.delays.end();
}

std::string point_text(const Point& point) {
  std::string text = to_text(point);
  if (const double ideal = ideal_rate(point); ideal > 0)
    text += fmt::format(": ideally {:.0f}/s", ideal);
  return text;
}

const std::vector<std::string>& columns() {
  static const std::vector<std::string> names{
      "rate/s",    "p50 ms",  "p99 ms",   "max ms",     "CPU us", "user us", "busy %", "others %",
      "foreign %", "threads", "switches", "KiB/client", "failed", "idle",    "lost",   "stalled"};
  return names;
}

std::vector<std::string> row_of(const MiddletierCell& cell) {
  if (cell.samples.empty()) return {cell.error};
  const auto number = [](double value) { return fmt::format("{:.0f}", value); };
  const auto fraction = [](double value) { return fmt::format("{:.1f}", value); };
  return {number(rate_of(cell).value),
          fraction(middle_of(cell, &SourceResult::p50_ms)),
          fraction(middle_of(cell, &SourceResult::p99_ms)),
          fraction(middle_of(cell, &SourceResult::max_ms)),
          fraction(middle_of(cell, &MiddletierSample::cpu_us)),
          fraction(middle_of(cell, &MiddletierSample::user_us)),
          number(100 * middle_of(cell, &MiddletierSample::busy)),
          number(100 * middle_of(cell, &MiddletierSample::others_busy)),
          number(100 * middle_of(cell, &MiddletierSample::foreign_busy)),
          number(middle_of(cell, &MiddletierSample::threads)),
          fraction(middle_of(cell, &MiddletierSample::switches)),
          fraction(middle_of(cell, &MiddletierSample::client_octets) / 1024),
          fmt::to_string(sum_of(cell, &SourceResult::failures)),
          fmt::to_string(sum_of(cell, &SourceResult::idle)),
          fmt::to_string(sum_of(cell, &SourceResult::lost)),
          fmt::to_string(sum_of(cell, &SourceResult::stalled))};
}

// The measured models, in the order of the options.
std::vector<std::string> models_at(const MiddletierReport& report, const Point& point) {
  std::vector<std::string> models;
  for (const std::string& model : report.options.models)
    if (report.cells.at(point).contains(model)) models.push_back(model);
  return models;
}

std::string table_of(const MiddletierReport& report, const Point& point) {
  std::string text = fmt::format("{}\n  {:<16}", point_text(point), "");
  for (const std::string& column : columns()) text += fmt::format("{:>11}", column);
  text += '\n';
  for (const std::string& model : models_at(report, point)) {
    text += fmt::format("  {:<16}", model);
    for (const std::string& field : row_of(report.cells.at(point).at(model)))
      text += fmt::format("{:>11}", field);
    text += '\n';
  }
  return text;
}

using Value = Estimate (*)(const MiddletierCell& cell);

/// The subject of a figure.
struct Figure {
  std::string heading;
  bool over_clients = true;  ///< otherwise over the sink's delay
  std::vector<std::string> models;
  std::string y_label;
  Value value = rate_of;
  Better better = Better::larger;
};

ChartSeries series_of(const MiddletierReport& report, const Figure& figure,
                      const std::string& model) {
  ChartSeries series{model, {}};
  for (const auto& [point, models] : report.cells) {
    if (!has_part(report.options, point, figure.over_clients)) continue;
    const auto cell = models.find(model);
    if (cell == models.end() || cell->second.samples.empty()) continue;
    const std::size_t x = figure.over_clients ? point.clients : point.delay_ms;
    series.points.push_back({static_cast<double>(x), figure.value(cell->second)});
  }
  return series;
}

void add_figure(Page& page, const MiddletierReport& report, const Figure& figure) {
  LineChart chart;
  chart.x_label = figure.over_clients
                      ? fmt::format("clients, {} ms delay of the sink", scalability_delay_ms)
                      : fmt::format("delay of the sink in ms, {} clients", scalability_clients);
  chart.y_label = figure.y_label;
  chart.better = figure.better;
  chart.base = "raw";
  chart.x_kind = figure.over_clients ? AxisKind::logarithmic : AxisKind::linear;
  for (const std::string& model : figure.models) {
    ChartSeries series = series_of(report, figure, model);
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  if (chart.series.empty()) return;
  page.heading(figure.heading);
  page.chart(std::move(chart));
}

void add_figures(Page& page, const MiddletierReport& report) {
  const std::vector<std::string>& all = report.options.models;
  const std::string rate = "replies a second";
  const auto threads = [](const MiddletierCell& cell) {
    return exactly(middle_of(cell, &MiddletierSample::threads));
  };
  const auto memory = [](const MiddletierCell& cell) {
    return exactly(middle_of(cell, &MiddletierSample::client_octets));
  };
  const auto switches = [](const MiddletierCell& cell) {
    return exactly(middle_of(cell, &MiddletierSample::switches));
  };
  const auto p99 = [](const MiddletierCell& cell) {
    return exactly(middle_of(cell, &SourceResult::p99_ms));
  };
  const auto cpu = [](const MiddletierCell& cell) {
    return exactly(middle_of(cell, &MiddletierSample::cpu_us));
  };
  const Figure figures[] = {
      {"Figure 8: throughput with increasing clients", true, all, rate},
      {"Figure 9: thread-per-connection and AMH, increasing clients", true, {"TPC", "AMH-2"}, rate},
      {"Figure 10: throughput with increasing delay of the sink", false, all, rate},
      {"Figure 11: TPC, TPR and AMH, increasing delay of the sink",
       false,
       {"TPR-ST", "TPC", "AMH-2"},
       rate},
      {"Time within which 99 of 100 answers came", true, all, "ms", p99, Better::smaller},
      {"CPU time of the middle tier for each reply", true, all, "microseconds", cpu,
       Better::smaller},
      {"Threads of the middle tier", true, all, "threads", threads, Better::smaller},
      {"Context switches of the middle tier for each reply", true, all, "context switches",
       switches, Better::smaller},
      {"Memory of the middle tier for each client", true, all, "octets", memory, Better::smaller},
  };
  for (const Figure& figure : figures) add_figure(page, report, figure);
}

void add_point(Page& page, const MiddletierReport& report, const Point& point) {
  page.heading(point_text(point));
  std::vector<std::string> header{"model"};
  header.insert(header.end(), columns().begin(), columns().end());
  std::vector<std::vector<std::string>> rows;
  for (const std::string& model : models_at(report, point)) {
    rows.push_back({model});
    for (std::string& field : row_of(report.cells.at(point).at(model)))
      rows.back().push_back(std::move(field));
  }
  page.table(header, rows);
}

}  // namespace

std::string to_text(const Point& point) {
  std::string text = fmt::format("{} clients, {} ms", point.clients, point.delay_ms);
  if (point.shared_cpus == 1) text += ", all on one CPU";
  if (point.shared_cpus > 1) text += fmt::format(", all on {} CPUs", point.shared_cpus);
  if (point.bursts) text += ", in bursts";
  if (point.work != 0) text += fmt::format(", {} steps of work", point.work);
  return text;
}

std::string to_table(const MiddletierReport& report) {
  std::string text = fmt::format("perigee bench middletier: {}\n{}\n", machine_description(),
                                 describe_middletier_method(report.options));
  if (const std::vector<Claim> claims = claims_of(report); !claims.empty())
    text += describe_claims(report.options.rounds) + '\n' + to_table(claims);
  for (const Crossover& crossover : crossovers_of(report)) text += to_text(crossover) + '\n';
  for (const auto& [point, models] : report.cells) text += table_of(report, point);
  return text;
}

std::string to_json(const MiddletierReport& report) {
  nlohmann::json document = begin_report("middletier");
  document["rounds"] = report.options.rounds;
  document["seconds"] = report.options.seconds;
  document["goals"] = to_json(claims_of(report));
  for (const Crossover& crossover : crossovers_of(report))
    document["crossovers"].push_back(
        {{"model", crossover.model},
         {"base", crossover.base},
         {"over", crossover.load == Load::delay    ? "delay_ms"
                  : crossover.load == Load::bursts ? "bursts"
                                                   : "clients"},
         {"paper", crossover.paper},
         {"at", crossover.at == 0 ? nlohmann::json() : nlohmann::json(crossover.at)},
         {"highest", crossover.highest},
         {"ratio", crossover.ratio},
         {"base_of_ideal", crossover.base_of_ideal},
         {"base_busy", crossover.base_busy},
         {"text", to_text(crossover)}});
  document["results"] = nlohmann::json::array();
  for (const auto& [point, models] : report.cells)
    for (const auto& [model, cell] : models) {
      nlohmann::json row{
          {"clients", point.clients}, {"delay_ms", point.delay_ms}, {"model", model}};
      if (point.shared_cpus != 0) row["shared_cpus"] = point.shared_cpus;
      row["bursts"] = point.bursts;
      if (point.work != 0) row["work"] = point.work;
      if (!cell.error.empty()) row["error"] = cell.error;
      if (!cell.samples.empty()) {
        row.update({{"rate", to_json(rate_of(cell))},
                    {"ideal_rate", ideal_rate(point)},
                    {"p50_ms", middle_of(cell, &SourceResult::p50_ms)},
                    {"p99_ms", middle_of(cell, &SourceResult::p99_ms)},
                    {"max_ms", middle_of(cell, &SourceResult::max_ms)},
                    {"cpu_us", middle_of(cell, &MiddletierSample::cpu_us)},
                    {"user_us", middle_of(cell, &MiddletierSample::user_us)},
                    {"busy", middle_of(cell, &MiddletierSample::busy)},
                    {"others_busy", middle_of(cell, &MiddletierSample::others_busy)},
                    {"foreign_busy", middle_of(cell, &MiddletierSample::foreign_busy)},
                    {"threads", middle_of(cell, &MiddletierSample::threads)},
                    {"switches_per_reply", middle_of(cell, &MiddletierSample::switches)},
                    {"octets_per_client", middle_of(cell, &MiddletierSample::client_octets)},
                    {"failures", sum_of(cell, &SourceResult::failures)},
                    {"idle_clients", sum_of(cell, &SourceResult::idle)},
                    {"lost", sum_of(cell, &SourceResult::lost)},
                    {"stalled", sum_of(cell, &SourceResult::stalled)}});
      }
      document["results"].push_back(row);
    }
  return document.dump(2) + "\n";
}

std::string to_html(const MiddletierReport& report) {
  Page page("perigee bench middletier");
  page.note(describe_middletier_method(report.options));
  page.note(
      "Figures 8 to 11 are those of the paper \"Design and Performance of Asynchronous Method "
      "Handling for CORBA\" (Deshpande, Schmidt, O'Ryan, Brunsch; 2002), measured with Perigee.");
  if (const std::vector<Claim> claims = claims_of(report); !claims.empty()) add_to(page, claims);
  if (const std::vector<Crossover> crossovers = crossovers_of(report); !crossovers.empty()) {
    page.heading("The crossovers of the paper");
    for (const Crossover& crossover : crossovers) page.note(to_text(crossover));
  }
  add_figures(page, report);
  for (const auto& [point, models] : report.cells) add_point(page, report, point);
  return page.html();
}

}  // namespace perigee::bench
