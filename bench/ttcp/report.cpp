// Writes the ttcp report as text, as JSON and as a page with figures.
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "ttcp.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace perigee::bench {
namespace {

std::string size_text(std::size_t size) { return octets_text(static_cast<double>(size)); }

std::string describe_ttcp_method(const TtcpReport& report) {
  const TtcpOptions& options = report.options;
  std::string text = fmt::format(
      "{} a transfer, {} rounds of all versions in turn; throughput and CPU time per buffer (user "
      "and system, both sides) as medians, and their ratios to the C version of the same kind of "
      "socket in the same round, {}; null is C TCP, measured again; ",
      size_text(options.volume), options.rounds, interval_text(options.rounds));
  if (report.receiver_host.empty())
    text += options.split ? "transmitter and receiver on two CPUs" : "both sides on one CPU";
  else
    text += "receiver on " + report.receiver_host;
  if (const std::string shortfall = shortfall_text(options); !shortfall.empty())
    text += "; " + shortfall;
  return text;
}

std::string lost_text(const TtcpCell& cell) {
  return fmt::format("{:.1f} %", cell.lost_share * 100);
}

double mbit_per_s(double octets_per_s) { return octets_per_s * 8 / 1e6; }

std::string row(const std::string& name, const TtcpCell& cell) {
  return fmt::format(
      "  {:<25}{:>10.1f}{:>9.3f}  {:<16}{:>11.2f}{:>9.3f}  {:<16}{:>9.1f}{}\n", name,
      cell.octets_per_s / 1e6, cell.throughput_ratio.value,
      fmt::format("[{:.3f}, {:.3f}]", cell.throughput_ratio.low, cell.throughput_ratio.high),
      cell.cpu_ns / 1000, cell.cpu_ratio.value,
      fmt::format("[{:.3f}, {:.3f}]", cell.cpu_ratio.low, cell.cpu_ratio.high), cell.page_faults,
      cell.lost_share > 0 ? "  lost: " + lost_text(cell) : "");
}

std::string extremes_table(const TtcpReport& report) {
  std::string text = fmt::format(
      "\nsummary: throughput over all sizes of buffers, Mbit/s\n"
      "  {:<25}{:<14}{:>12}{:>10}{:>12}{:>10}\n",
      "", "socket queues", "highest", "at", "lowest", "at");
  for (const TtcpExtremes& each : extremes_of(report))
    text += fmt::format("  {:<25}{:<14}{:>12.1f}{:>10}{:>12.1f}{:>10}\n", each.version,
                        queue_text(each.queue_size), mbit_per_s(each.high_octets_per_s),
                        size_text(each.high_size), mbit_per_s(each.low_octets_per_s),
                        size_text(each.low_size));
  return text;
}

void add_extremes(Page& page, const TtcpReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const TtcpExtremes& each : extremes_of(report))
    rows.push_back(
        {each.version + ", queues: " + queue_text(each.queue_size),
         fmt::format("{:.1f}", mbit_per_s(each.high_octets_per_s)), size_text(each.high_size),
         fmt::format("{:.1f}", mbit_per_s(each.low_octets_per_s)), size_text(each.low_size)});
  page.heading("Summary: highest and lowest throughput over all sizes of buffers");
  page.table({"", "highest, Mbit/s", "at", "lowest, Mbit/s", "at"}, rows);
}

// The measured versions that `queue_chart` shows. They are at most three, so that all lines fit in
// one chart.
std::vector<std::string> queue_figure_versions(const TtcpReport& report) {
  constexpr std::size_t versions_max = 3;
  std::vector<std::string> names;
  for (const char* name : {"C TCP", "sock", "ORB octets", "omniORB octets", "ORB octets borrowed"})
    if (names.size() < versions_max &&
        std::ranges::find(report.versions, name, &TtcpVersion::name) != report.versions.end())
      names.push_back(name);
  return names;
}

// One line for each version and size of the socket queues. The default size of the operating system
// is not in this chart: `add_figures` shows it.
LineChart queue_chart(const TtcpReport& report) {
  LineChart chart{"size of buffers", "MB/s", AxisKind::logarithmic, AxisKind::logarithmic};
  chart.x_unit = AxisUnit::octets;
  chart.better = Better::larger;
  for (const std::string& name : queue_figure_versions(report))
    for (const TtcpTable& table : report.tables) {
      if (table.queue_size == 0) continue;
      ChartSeries series{name + ", " + queue_text(table.queue_size), {}};
      for (const auto& [size, cells] : table.cells)
        if (const auto found = cells.find(name); found != cells.end())
          series.points.push_back(
              {static_cast<double>(size), exactly(found->second.octets_per_s / 1e6)});
      if (!series.points.empty()) chart.series.push_back(std::move(series));
    }
  return chart;
}

void add_queue_figure(Page& page, const TtcpReport& report) {
  const auto is_set = [](const TtcpTable& table) { return table.queue_size != 0; };
  if (std::ranges::count_if(report.tables, is_set) < 2) return;
  page.heading("TCP with small and large socket queues");
  page.note("Throughput. " + shortfall_text(report.options));
  page.chart(queue_chart(report));
}

// Throughput and CPU time, compared with another version.
std::string comparison_row(const TtcpCompared& compared) {
  const auto& [comparison, throughput, cpu] = compared;
  return fmt::format("  {:<48}{:.3f}  [{:.3f}, {:.3f}]   CPU {:.3f}  [{:.3f}, {:.3f}]\n",
                     to_text(comparison), throughput.value, throughput.low, throughput.high,
                     cpu.value, cpu.low, cpu.high);
}

// Shows `value` over the size of buffers: one line for each version of the group.
template <typename Value>
LineChart ttcp_chart(const TtcpReport& report, const TtcpTable& table, TtcpGroup group,
                     const std::string& label, AxisKind axis, Value value) {
  LineChart chart{"size of buffers", label, AxisKind::logarithmic, axis};
  chart.x_unit = AxisUnit::octets;
  chart.base = group == TtcpGroup::tcp   ? "C TCP"
               : group == TtcpGroup::udp ? "C UDP"
                                         : "C UNIX-domain";
  for (const TtcpVersion& version : report.versions) {
    if (version.group != group) continue;
    ChartSeries series{version.name, {}};
    for (const auto& [size, cells] : table.cells)
      if (const auto found = cells.find(version.name); found != cells.end())
        series.points.push_back({static_cast<double>(size), value(found->second)});
    chart.series.push_back(std::move(series));
  }
  return chart;
}

void add_figures(Page& page, const TtcpReport& report, const TtcpTable& table, TtcpGroup group,
                 const std::string& title) {
  LineChart throughput =
      ttcp_chart(report, table, group, "MB/s", AxisKind::logarithmic,
                 [](const TtcpCell& cell) { return exactly(cell.octets_per_s / 1e6); });
  if (throughput.series.empty()) return;
  throughput.better = Better::larger;
  page.heading(fmt::format("{}, socket queues: {}", title, queue_text(table.queue_size)));
  page.note("Throughput. " + shortfall_text(report.options));
  page.chart(std::move(throughput));
  page.note("CPU time per buffer, both sides: ratio to the C version in the same round.");
  LineChart cpu = ttcp_chart(report, table, group, "ratio of CPU time", AxisKind::linear,
                             [](const TtcpCell& cell) { return cell.cpu_ratio; });
  cpu.values = Values::ratios;
  page.chart(std::move(cpu));
}

void add_numbers(Page& page, const TtcpReport& report, const TtcpTable& table) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [size, cells] : table.cells)
    for (const TtcpVersion& version : report.versions)
      if (const auto found = cells.find(version.name); found != cells.end())
        rows.push_back({size_text(size) + ", " + version.name,
                        fmt::format("{:.1f}", found->second.octets_per_s / 1e6),
                        to_text(found->second.throughput_ratio),
                        fmt::format("{:.2f}", found->second.cpu_ns / 1000),
                        to_text(found->second.cpu_ratio),
                        fmt::format("{:.1f}", found->second.page_faults),
                        version.loses_buffers ? lost_text(found->second) : ""});
  page.heading("Numbers, socket queues: " + queue_text(table.queue_size));
  page.table({"", "MB/s", "ratio", "CPU µs a buffer", "ratio", "page faults a buffer", "lost"},
             rows);
}

void add_comparisons(Page& page, const TtcpTable& table) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [size, compared] : table.compared)
    for (const auto& [comparison, throughput, cpu] : compared)
      rows.push_back(
          {size_text(size) + ", " + to_text(comparison), to_text(throughput), to_text(cpu)});
  if (!rows.empty()) page.table({"comparison", "throughput", "CPU time"}, rows);
}

}  // namespace

std::string to_table(const TtcpReport& report) {
  std::string text = fmt::format("perigee bench ttcp: {}\n{}\n", machine_description(),
                                 describe_ttcp_method(report));
  for (const auto& [version, reason] : report.absent)
    text += fmt::format("{} was not measured: {}\n", version, reason);
  if (!report.claims.empty())
    text += describe_claims(report.options.rounds) + '\n' + to_table(report.claims);
  const std::string interval = interval_name(report.options.rounds);
  for (const TtcpTable& table : report.tables) {
    text +=
        fmt::format("\nsocket queues: {}\n  {:<25}{:>10}{:>9}  {:<16}{:>11}{:>9}  {:<16}{:>9}\n",
                    queue_text(table.queue_size), "", "MB/s", "ratio", interval, "CPU us/buf",
                    "ratio", interval, "faults");
    for (const auto& [size, cells] : table.cells) {
      text += size_text(size) + "\n";
      for (const TtcpVersion& version : report.versions)
        if (const auto found = cells.find(version.name); found != cells.end())
          text += row(version.name, found->second);
      for (const TtcpCompared& compared : table.compared.at(size)) text += comparison_row(compared);
    }
  }
  return text + extremes_table(report);
}

std::string to_json(const TtcpReport& report) {
  const TtcpOptions& options = report.options;
  nlohmann::json document = begin_report("ttcp");
  document["rounds"] = options.rounds;
  document["volume"] = options.volume;
  document["split"] = options.split;
  document["receiver"] = report.receiver_host;
  document["results"] = nlohmann::json::array();
  for (const auto& [version, reason] : report.absent) document["not_measured"][version] = reason;
  if (!report.claims.empty()) document["goals"] = to_json(report.claims);
  for (const TtcpTable& table : report.tables)
    for (const auto& [size, cells] : table.cells)
      for (const auto& [name, cell] : cells)
        document["results"].push_back({{"queue_size", table.queue_size},
                                       {"buffer_size", size},
                                       {"buffers", cell.count},
                                       {"octets", cell.octets},
                                       {"version", name},
                                       {"octets_per_s", cell.octets_per_s},
                                       {"cpu_ns_per_buffer", cell.cpu_ns},
                                       {"page_faults_per_buffer", cell.page_faults},
                                       {"lost_share", cell.lost_share},
                                       {"throughput_ratio", to_json(cell.throughput_ratio)},
                                       {"cpu_ratio", to_json(cell.cpu_ratio)}});
  for (const TtcpExtremes& each : extremes_of(report))
    document["summary"].push_back({{"queue_size", each.queue_size},
                                   {"version", each.version},
                                   {"high_octets_per_s", each.high_octets_per_s},
                                   {"high_buffer_size", each.high_size},
                                   {"low_octets_per_s", each.low_octets_per_s},
                                   {"low_buffer_size", each.low_size}});
  for (const TtcpTable& table : report.tables)
    for (const auto& [size, compared] : table.compared)
      for (const auto& [comparison, throughput, cpu] : compared)
        document["compared"].push_back({{"queue_size", table.queue_size},
                                        {"buffer_size", size},
                                        {"version", comparison.system},
                                        {"base", comparison.base},
                                        {"throughput_ratio", to_json(throughput)},
                                        {"cpu_ratio", to_json(cpu)}});
  return document.dump(2) + "\n";
}

void add_to(Page& page, const TtcpReport& report) {
  page.note(describe_ttcp_method(report));
  for (const auto& [version, reason] : report.absent)
    page.note(version + " was not measured: " + reason);
  if (!report.claims.empty()) {
    page.note(describe_claims(report.options.rounds));
    add_to(page, report.claims);
  }
  add_extremes(page, report);
  add_queue_figure(page, report);
  for (const TtcpTable& table : report.tables) {
    add_figures(page, report, table, TtcpGroup::tcp, "TCP");
    add_figures(page, report, table, TtcpGroup::udp, "UDP");
    add_figures(page, report, table, TtcpGroup::local, "Within one machine");
  }
  for (const TtcpTable& table : report.tables) {
    add_numbers(page, report, table);
    add_comparisons(page, table);
  }
}

std::string to_html(const TtcpReport& report) {
  Page page("perigee bench ttcp");
  add_to(page, report);
  return page.html();
}

std::string to_json(const TtcpServed& served) {
  nlohmann::json document = begin_report("ttcp receiver");
  document["port"] = served.port;
  document["sessions"] = nlohmann::json::array();
  for (const TtcpSession& session : served.sessions) {
    nlohmann::json entry{{"peer", session.peer}, {"receivers", nlohmann::json::array()}};
    if (!session.error.empty()) entry["error"] = session.error;
    for (const auto& [version, queue_size, cpu_time] : session.receivers)
      entry["receivers"].push_back(
          {{"version", version}, {"queue_size", queue_size}, {"cpu_ns", cpu_time.count()}});
    document["sessions"].push_back(std::move(entry));
  }
  return document.dump(2) + "\n";
}

std::string to_html(const TtcpServed& served) {
  Page page("perigee bench ttcp, receiver");
  for (const TtcpSession& session : served.sessions) {
    page.heading("Session with " + session.peer);
    if (!session.error.empty()) page.note("It ended early: " + session.error);
    std::vector<std::vector<std::string>> rows;
    for (const auto& [version, queue_size, cpu_time] : session.receivers)
      rows.push_back({version + ", queues: " + queue_text(queue_size),
                      fmt::format("{:.3f}", static_cast<double>(cpu_time.count()) / 1e6)});
    page.table({"receiver", "CPU ms"}, rows);
  }
  return page.html();
}

}  // namespace perigee::bench
