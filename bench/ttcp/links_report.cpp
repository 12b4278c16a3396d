// Writes the report of transfers over links as text, as JSON and as a page.
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "links.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace perigee::bench {
namespace {

std::string method(const TtcpOptions& options) {
  return fmt::format(
      "transfers between two network namespaces of this host; tc tbf limits each direction of the "
      "link; a transfer has the octets that the link carries in a second, at most {}, and at least "
      "20 bursts of tbf; {} rounds of "
      "all versions in turn, both sides on one CPU; throughput and CPU time per buffer as medians, "
      "and their ratios to the C version in the same round, {}",
      octets_text(static_cast<double>(options.volume)), options.rounds,
      interval_text(options.rounds));
}

std::string name_of(const TtcpLink& link) {
  return link.mbit_per_s == 0 ? "link without a limit"
                              : fmt::format("link of {} Mbit/s", link.mbit_per_s);
}

double mbit_per_s(const TtcpCell& cell) { return cell.octets_per_s * 8 / 1e6; }

/// The part of the link's rate that the octets of the buffers use; 0 without a limit.
double share_of(const TtcpLink& link, const TtcpCell& cell) {
  return link.mbit_per_s == 0 ? 0 : mbit_per_s(cell) / static_cast<double>(link.mbit_per_s);
}

std::string share_text(const TtcpLink& link, const TtcpCell& cell) {
  return link.mbit_per_s == 0 ? "" : fmt::format("{:.1f} %", share_of(link, cell) * 100);
}

/// Calls `use(link, table, size, version, cell)` for each measured cell.
template <typename Use>
void for_each_cell(const TtcpLinksReport& report, Use use) {
  for (const TtcpLink& link : report.links)
    for (const TtcpTable& table : link.report.tables)
      for (const auto& [size, cells] : table.cells)
        for (const TtcpVersion& version : link.report.versions)
          if (const auto found = cells.find(version.name); found != cells.end())
            use(link, table, size, version.name, found->second);
}

std::string cell_title(const TtcpTable& table, std::size_t size) {
  return fmt::format("{} buffers, queues: {}", octets_text(static_cast<double>(size)),
                     queue_text(table.queue_size));
}

std::string row(const TtcpLink& link, const std::string& version, const TtcpCell& cell) {
  return fmt::format("  {:<25}{:>12.1f}{:>10}  {:<24}{:>12.2f}  {}\n", version, mbit_per_s(cell),
                     share_text(link, cell), to_text(cell.throughput_ratio), cell.cpu_ns / 1000,
                     to_text(cell.cpu_ratio));
}

// Short, because the rows of the page have many columns.
std::string row_title(const TtcpLinksReport& report, const TtcpLink& link, const TtcpTable& table,
                      std::size_t size) {
  std::string title = link.mbit_per_s == 0 ? "no limit" : fmt::format("{} Mbit/s", link.mbit_per_s);
  if (report.options.sizes.size() > 1) title += ", " + octets_text(static_cast<double>(size));
  if (report.options.queue_sizes.size() > 1) title += ", queues: " + queue_text(table.queue_size);
  return title;
}

void add_bars(BarChart& chart, const TtcpLinksReport& report, std::size_t size) {
  for_each_cell(report, [&](const TtcpLink& link, const TtcpTable& table, std::size_t cell_size,
                            const std::string& version, const TtcpCell& cell) {
    const bool is_first_queue = table.queue_size == report.options.queue_sizes.front();
    if (cell_size != size || !is_first_queue || version == "C TCP") return;
    chart.bars.push_back({version, cell.throughput_ratio, {}, name_of(link)});
  });
}

void add_figures(Page& page, const TtcpLinksReport& report) {
  for (const std::size_t size : report.options.sizes) {
    BarChart chart{
        .label = "throughput, ratio to C TCP", .better = Better::larger, .values = Values::ratios};
    add_bars(chart, report, size);
    if (chart.bars.empty()) continue;
    page.heading(fmt::format("Buffers of {}", octets_text(static_cast<double>(size))));
    page.chart(std::move(chart));
  }
}

}  // namespace

std::string to_table(const TtcpLinksReport& report) {
  std::string text = fmt::format("perigee bench ttcp --link: {}\n{}\n", machine_description(),
                                 method(report.options));
  for (const TtcpLink& link : report.links)
    if (!link.not_run.empty())
      text += fmt::format("\n{}: not run: {}\n", name_of(link), link.not_run);
  std::string title;
  for_each_cell(report, [&](const TtcpLink& link, const TtcpTable& table, std::size_t size,
                            const std::string& version, const TtcpCell& cell) {
    const std::string next = name_of(link) + ", " + cell_title(table, size);
    if (next != title)
      text += fmt::format("\n{}\n  {:<25}{:>12}{:>10}  {:<24}{:>12}  {}\n", next, "", "Mbit/s",
                          "of link", "throughput ratio", "CPU us/buf", "CPU ratio");
    title = next;
    text += row(link, version, cell);
  });
  return text;
}

std::string to_json(const TtcpLinksReport& report) {
  nlohmann::json document = begin_report("ttcp --link");
  document["rounds"] = report.options.rounds;
  document["links"] = nlohmann::json::array();
  for (const TtcpLink& link : report.links) {
    nlohmann::json entry{{"mbit_per_s", link.mbit_per_s},
                         {"volume", link.report.options.volume},
                         {"results", nlohmann::json::array()}};
    if (link.mbit_per_s != 0) entry["burst"] = burst_of(link.mbit_per_s);
    if (!link.not_run.empty()) entry["not_run"] = link.not_run;
    document["links"].push_back(std::move(entry));
  }
  for_each_cell(report, [&](const TtcpLink& link, const TtcpTable& table, std::size_t size,
                            const std::string& version, const TtcpCell& cell) {
    const auto index = static_cast<std::size_t>(&link - report.links.data());
    document["links"][index]["results"].push_back(
        {{"queue_size", table.queue_size},
         {"buffer_size", size},
         {"version", version},
         {"octets_per_s", cell.octets_per_s},
         {"link_share", share_of(link, cell)},
         {"cpu_ns_per_buffer", cell.cpu_ns},
         {"throughput_ratio", to_json(cell.throughput_ratio)},
         {"cpu_ratio", to_json(cell.cpu_ratio)}});
  });
  return document.dump(2) + "\n";
}

std::string to_html(const TtcpLinksReport& report) {
  Page page("perigee bench ttcp --link");
  page.note(method(report.options));
  for (const TtcpLink& link : report.links)
    if (!link.not_run.empty()) page.note(name_of(link) + ": not run: " + link.not_run);
  add_figures(page, report);
  std::vector<std::vector<std::string>> rows;
  for_each_cell(report, [&](const TtcpLink& link, const TtcpTable& table, std::size_t size,
                            const std::string& version, const TtcpCell& cell) {
    rows.push_back({row_title(report, link, table, size) + ", " + version,
                    fmt::format("{:.1f}", mbit_per_s(cell)), share_text(link, cell),
                    to_text(cell.throughput_ratio), fmt::format("{:.2f}", cell.cpu_ns / 1000),
                    to_text(cell.cpu_ratio)});
  });
  if (!rows.empty()) {
    page.heading("Numbers");
    page.table({"", "Mbit/s", "of the link", "throughput ratio", "CPU µs a buffer", "CPU ratio"},
               rows);
  }
  return page.html();
}

}  // namespace perigee::bench
