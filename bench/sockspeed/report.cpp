// The report as text, JSON and a page with figures.
#include "harness/chart.h"
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "sockspeed.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace perigee::bench {
namespace {

constexpr double mib = 1024 * 1024;

using Channels = std::map<std::string, std::map<std::size_t, SockspeedCell>>;

std::string method(const SockspeedOptions& options) {
  return fmt::format(
      "a parent sends blocks for {:.1f} ms to a child, which checks that none is lost; processes "
      "on {}; "
      "all channels and versions take turns, {} rounds; speeds and CPU times (both processes) are "
      "medians; ratios are of a round: the median, {}; null compares two C pairs; "
      "touched memory is written before each send and read after each receive",
      static_cast<double>(options.time.count()) / 1000, options.split ? "two CPUs" : "one CPU",
      options.rounds, interval_text(options.rounds));
}

std::string table_row(std::size_t size, const SockspeedCell& cell) {
  std::string row = fmt::format("  {:>9}{:>12.1f}{:>12.3f}", octets_text(static_cast<double>(size)),
                                cell.c_speed / mib, cell.c_cpu_ns / 1000);
  if (cell.wrapper_speed > 0)
    row += fmt::format("{:>12.1f}{:>12.3f}   {:<22}{:<22}", cell.wrapper_speed / mib,
                       cell.wrapper_cpu_ns / 1000, to_text(cell.ratio), to_text(cell.cpu_ratio));
  else
    row += std::string(71, ' ');
  return row + to_text(cell.null) + "\n";
}

// `base`: the channel that is in each chart of a figure.
LineChart speed_chart(const Channels& channels, const std::string& base) {
  LineChart chart{.x_label = "octets of a block",
                  .y_label = "MiB/s, bare calls",
                  .x_kind = AxisKind::logarithmic,
                  .y_kind = AxisKind::logarithmic,
                  .x_unit = AxisUnit::octets,
                  .better = Better::larger,
                  .base = base};
  for (const auto& [channel, sizes] : channels) {
    ChartSeries series{channel, {}};
    for (const auto& [size, cell] : sizes)
      series.points.push_back({static_cast<double>(size), exactly(cell.c_speed / mib)});
    chart.series.push_back(std::move(series));
  }
  return chart;
}

LineChart ratio_chart(const Channels& channels, const std::string& base) {
  LineChart chart{.x_label = "octets of a block",
                  .y_label = "throughput, wrapper to bare calls",
                  .x_kind = AxisKind::logarithmic,
                  .x_unit = AxisUnit::octets,
                  .better = Better::larger,
                  .values = Values::ratios,
                  .base = base};
  for (const auto& [channel, sizes] : channels) {
    ChartSeries series{channel, {}};
    for (const auto& [size, cell] : sizes)
      if (cell.wrapper_speed > 0) series.points.push_back({static_cast<double>(size), cell.ratio});
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  return chart;
}

// Selects lines for figures with few lines each: one figure of all plain media, and one of each
// medium with its variants.
std::map<std::string, Channels> figures_of(const Channels& channels) {
  std::map<std::string, Channels> figures;
  for (const auto& [channel, sizes] : channels) {
    const std::string medium = channel.substr(0, channel.find('+'));
    if (medium == channel) {
      figures[""][channel] = sizes;
      continue;
    }
    Channels& figure = figures[medium + ", with its options"];
    figure[channel] = sizes;
    if (const auto plain = channels.find(medium); plain != channels.end()) figure.insert(*plain);
  }
  return figures;
}

void add_figures(Page& page, const std::string& memory, const Channels& channels) {
  for (const auto& [title, figure] : figures_of(channels)) {
    const std::string base = title.empty() ? "shm" : title.substr(0, title.find(','));
    page.heading(title.empty() ? memory + " memory" : title + ", " + memory + " memory");
    page.chart(speed_chart(figure, base));
    page.chart(ratio_chart(figure, base));
  }
}

void add_table(Page& page, const std::map<std::size_t, SockspeedCell>& sizes) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [size, cell] : sizes) {
    const bool wrapped = cell.wrapper_speed > 0;
    rows.push_back({octets_text(static_cast<double>(size)),
                    fmt::format("{:.1f}", cell.c_speed / mib),
                    fmt::format("{:.3f}", cell.c_cpu_ns / 1000),
                    wrapped ? fmt::format("{:.1f}", cell.wrapper_speed / mib) : "",
                    wrapped ? fmt::format("{:.3f}", cell.wrapper_cpu_ns / 1000) : "",
                    wrapped ? to_text(cell.ratio) : "", wrapped ? to_text(cell.cpu_ratio) : "",
                    to_text(cell.null)});
  }
  page.table({"block", "C MiB/s", "C µs CPU", "wrapper MiB/s", "wrapper µs CPU", "wrapper / C",
              "CPU, wrapper / C", "null"},
             rows);
}

}  // namespace

std::string to_table(const SockspeedReport& report) {
  std::string text = fmt::format("perigee bench sockspeed: {}\n{}\n", machine_description(),
                                 method(report.options));
  for (const auto& [memory, channels] : report.cells) {
    for (const std::string& channel : report.options.channels) {
      text += fmt::format("{}, {} memory\n  {:>9}{:>12}{:>12}{:>12}{:>12}   {:<22}{:<22}{}\n",
                          channel, memory, "block", "C MiB/s", "C us CPU", "wr. MiB/s",
                          "wr. us CPU", "wrapper / C", "CPU, wrapper / C", "null");
      for (const auto& [size, cell] : channels.at(channel)) text += table_row(size, cell);
    }
  }
  return text;
}

std::string to_json(const SockspeedReport& report) {
  nlohmann::json document = begin_report("sockspeed");
  document["rounds"] = report.options.rounds;
  document["time_us"] = report.options.time.count();
  document["placement"] = report.options.split ? "two CPUs" : "one CPU";
  for (const auto& [memory, channels] : report.cells) {
    for (const auto& [channel, sizes] : channels) {
      for (const auto& [size, cell] : sizes) {
        auto& entry = document["results"][memory][channel][std::to_string(size)];
        entry = {{"c_octets_per_second", cell.c_speed},
                 {"c_cpu_ns", cell.c_cpu_ns},
                 {"null_ratio", to_json(cell.null)}};
        if (cell.wrapper_speed == 0) continue;
        entry["wrapper_octets_per_second"] = cell.wrapper_speed;
        entry["wrapper_cpu_ns"] = cell.wrapper_cpu_ns;
        entry["ratio"] = to_json(cell.ratio);
        entry["cpu_ratio"] = to_json(cell.cpu_ratio);
      }
    }
  }
  return document.dump(2) + "\n";
}

std::string to_html(const SockspeedReport& report) {
  Page page("perigee bench sockspeed");
  page.note(method(report.options));
  for (const auto& [memory, channels] : report.cells) add_figures(page, memory, channels);
  for (const auto& [memory, channels] : report.cells) {
    for (const std::string& channel : report.options.channels) {
      page.heading("Numbers: " + channel + ", " + memory + " memory");
      add_table(page, channels.at(channel));
    }
  }
  return page.html();
}

}  // namespace perigee::bench
