// Writes the report of the naming experiment as text, as JSON and as a page. Compares it with its
// goals.
#include "harness/chart.h"
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "harness/statistics.h"
#include "naming.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace perigee::bench {
namespace {

struct Row {
  const char* name;
  double NamingSample::* rate;
  double NamingSample::* base;  ///< null: this row is a base
  double goal;
};

constexpr Row table_rows[] = {
    {"void call", &NamingSample::void_calls, nullptr, 0},
    {"resolve (cached)", &NamingSample::resolves, &NamingSample::void_calls, 0.8},
    {"C: 1 row a commit", &NamingSample::rows_alone, nullptr, 0},
    {"bind, 1 client", &NamingSample::binds_alone, &NamingSample::rows_alone, 0.7},
    {"C: 64 rows a commit", &NamingSample::rows_together, nullptr, 0},
    {"bind, 64 clients", &NamingSample::binds_together, &NamingSample::rows_together, 0.7},
};

Estimate rate_of(const NamingReport& report, const Row& row) {
  std::vector<double> rates;
  for (const NamingSample& sample : report.samples) rates.push_back(sample.*row.rate);
  return median_with_interval(rates);
}

Estimate ratio_of(const NamingReport& report, const Row& row) {
  std::vector<double> ratios;
  for (const NamingSample& sample : report.samples)
    ratios.push_back(sample.*row.rate / sample.*row.base);
  return median_with_interval(ratios);
}

std::string method(const NamingReport& report) {
  const NamingOptions& options = report.options;
  return fmt::format(
      "rates per second, medians of {} rounds; the server has one thread for clients and a file of "
      "names; ratios are of the same round; {} calls, {} binds of one client and {} binds of 64 "
      "clients in a round",
      options.rounds, options.calls, options.binds_alone, options.binds_together);
}

std::vector<std::string> cells_of(const NamingReport& report, const Row& row) {
  std::vector<std::string> cells{row.name, fmt::format("{:.0f}", rate_of(report, row).value)};
  if (row.base != nullptr) cells.push_back(to_text(ratio_of(report, row)));
  return cells;
}

std::vector<std::pair<std::string, std::string>> scale_rows(const NamingReport& report) {
  const NamingScale& scale = report.scale;
  return {{"names in memory: MiB", fmt::format("{:.0f}", scale.memory_mib)},
          {"names in a file: MiB of the server", fmt::format("{:.0f}", scale.file_mib)},
          {"names in a file: start-up, s", fmt::format("{:.3f}", scale.start_s)},
          {"first pages of 1,000 names, us", fmt::format("{:.0f}", median(scale.first_page_us))},
          {"last pages of 1,000 names, us", fmt::format("{:.0f}", median(scale.last_page_us))}};
}

Estimate page_ratio(const NamingScale& scale) {
  std::vector<double> ratios;
  for (std::size_t pass = 0; pass < scale.first_page_us.size(); ++pass)
    ratios.push_back(scale.last_page_us[pass] / scale.first_page_us[pass]);
  return median_with_interval(ratios);
}

constexpr const char* clients_heading =
    "many clients on one thread of the server: each has a connection, and 64 at a time wait for "
    "the "
    "reply of resolve";

std::vector<std::string> clients_cells(const NamingClients& row) {
  if (!row.fits)
    return {fmt::format("{}", row.clients),
            "left out: a process may not open so many files (ulimit -n)"};
  return {fmt::format("{}", row.clients),
          fmt::format("{:.0f}", row.octets),
          fmt::format("{:.0f}", median(row.p50_us)),
          fmt::format("{:.0f}", median(row.p99_us)),
          fmt::format("{:.0f}", median(row.rate)),
          fmt::format("{:.1f}", median(row.burst_ms))};
}

std::vector<std::string> clients_columns() {
  return {"clients", "octets a client", "p50 us", "p99 us", "per second", "all at once, ms"};
}

std::string clients_table(const NamingReport& report) {
  std::string text = fmt::format("{}\n", clients_heading);
  const auto add = [&text](const std::vector<std::string>& cells) {
    text += "  ";
    for (const std::string& cell : cells) text += fmt::format("{:>16}", cell);
    text += '\n';
  };
  add(clients_columns());
  for (const NamingClients& row : report.clients) add(clients_cells(row));
  return text;
}

nlohmann::json to_json(const NamingClients& row) {
  if (!row.fits) return {{"clients", row.clients}, {"fits", false}};
  return {{"clients", row.clients},  {"fits", true},         {"octets", row.octets},
          {"p50_us", row.p50_us},    {"p99_us", row.p99_us}, {"rate", row.rate},
          {"burst_ms", row.burst_ms}};
}

BarChart chart_of(const NamingReport& report) {
  BarChart chart{.label = "rate, divided by that of the row above in the table",
                 .better = Better::larger,
                 .values = Values::ratios};
  for (const Row& row : table_rows)
    if (row.base != nullptr)
      chart.bars.push_back({.name = row.name, .value = ratio_of(report, row)});
  return chart;
}

std::string scale_heading(const NamingReport& report) {
  return fmt::format("{} names with references of 84 octets", report.options.names);
}

}  // namespace

std::vector<Claim> claims_of(const NamingReport& report) {
  std::vector<Claim> claims;
  for (const Row& row : table_rows)
    if (row.base != nullptr)
      claims.push_back({fmt::format("{}: rate / rate of the row above", row.name), Bound::at_least,
                        row.goal, ratio_of(report, row)});
  if (report.options.names == 0) return claims;
  const NamingScale& scale = report.scale;
  const std::string names = scale_heading(report);
  claims.push_back({names + " in memory: MiB", Bound::at_most, 500, exactly(scale.memory_mib)});
  claims.push_back({names + " in a file: MiB", Bound::at_most, 500, exactly(scale.file_mib)});
  claims.push_back({names + " in a file: start-up, s", Bound::at_most, 3, exactly(scale.start_s)});
  claims.push_back(
      {names + ": last pages of a list / first pages", Bound::at_most, 1.5, page_ratio(scale)});
  return claims;
}

std::string to_table(const NamingReport& report) {
  std::string text =
      fmt::format("perigee bench naming: {}\n{}\n", machine_description(), method(report));
  text += fmt::format("  {:<24}{:>12}  {}\n", "", "per second", "to the row above");
  for (const Row& row : table_rows) {
    const auto cells = cells_of(report, row);
    text +=
        fmt::format("  {:<24}{:>12}  {}\n", cells[0], cells[1], cells.size() > 2 ? cells[2] : "");
  }
  if (report.options.names > 0) {
    text += scale_heading(report) + '\n';
    for (const auto& [what, value] : scale_rows(report))
      text += fmt::format("  {:<40}{:>10}\n", what, value);
  }
  if (!report.clients.empty()) text += clients_table(report);
  return text + to_table(claims_of(report));
}

std::string to_json(const NamingReport& report) {
  nlohmann::json json = begin_report("naming");
  for (const Row& row : table_rows) {
    nlohmann::json entry{{"name", row.name}, {"rate", to_json(rate_of(report, row))}};
    if (row.base != nullptr) entry["ratio"] = to_json(ratio_of(report, row));
    json["rows"].push_back(std::move(entry));
  }
  const NamingScale& scale = report.scale;
  json["scale"] = {{"names", report.options.names},        {"memory_mib", scale.memory_mib},
                   {"file_mib", scale.file_mib},           {"start_s", scale.start_s},
                   {"first_page_us", scale.first_page_us}, {"last_page_us", scale.last_page_us}};
  for (const NamingClients& row : report.clients) json["clients"].push_back(to_json(row));
  json["claims"] = to_json(claims_of(report));
  return json.dump(2) + '\n';
}

std::string to_html(const NamingReport& report) {
  Page page("perigee bench naming");
  page.note(method(report));
  std::vector<std::vector<std::string>> cells;
  for (const Row& row : table_rows) cells.push_back(cells_of(report, row));
  page.table({"", "per second", "to the row above"}, cells);
  page.chart(chart_of(report));
  if (report.options.names > 0) {
    page.heading(scale_heading(report));
    cells.clear();
    for (const auto& [what, value] : scale_rows(report)) cells.push_back({what, value});
    page.table({"", ""}, cells);
  }
  if (!report.clients.empty()) {
    page.heading(clients_heading);
    cells.clear();
    for (const NamingClients& row : report.clients) {
      cells.push_back(clients_cells(row));
      cells.back().resize(clients_columns().size());
    }
    page.table(clients_columns(), cells);
  }
  add_to(page, claims_of(report));
  return page.html();
}

}  // namespace perigee::bench
