// Writes the sockspeed report as text, as JSON and as a page with figures.
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
      "a parent sends blocks for {:.1f} ms to a child, which checks that no block is lost; "
      "processes on {}; "
      "all channels and versions take turns, {} rounds; speeds and CPU times (both processes) are "
      "medians; a ratio is the median of the ratios of all rounds, {}; null compares two C pairs; "
      "touched memory is written before each send and read after each receive",
      static_cast<double>(options.time.count()) / 1000, options.split ? "two CPUs" : "one CPU",
      options.rounds, interval_text(options.rounds));
}

std::string pairs_title(const SockspeedOptions& options) {
  if (options.pairs < 2) return {};
  return fmt::format("{0} pairs at once: MiB/s, {0} pairs / one", options.pairs);
}

std::string table_row(std::size_t size, const SockspeedCell& cell) {
  std::string row = fmt::format("  {:>9}{:>12.1f}{:>12.3f}", octets_text(static_cast<double>(size)),
                                cell.c_speed / mib, cell.c_cpu_ns / 1000);
  if (cell.wrapper_speed > 0)
    row += fmt::format("{:>12.1f}{:>12.3f}   {:<22}{:<22}", cell.wrapper_speed / mib,
                       cell.wrapper_cpu_ns / 1000, to_text(cell.ratio), to_text(cell.cpu_ratio));
  else
    row += std::string(71, ' ');
  row += fmt::format("{:<22}{:<22}", to_text(cell.null), to_text(cell.null_cpu));
  if (cell.pairs_speed > 0)
    row += fmt::format("{:>10.1f}   {}", cell.pairs_speed / mib, to_text(cell.pairs_ratio));
  row.erase(row.find_last_not_of(' ') + 1);
  return row + "\n";
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

// The throughput of all pairs at once, divided by that of one pair: one line for each channel.
LineChart pairs_chart(const Channels& channels, const std::string& base) {
  LineChart chart{.x_label = "octets of a block",
                  .y_label = "throughput, all pairs at once to one pair",
                  .x_kind = AxisKind::logarithmic,
                  .x_unit = AxisUnit::octets,
                  .better = Better::larger,
                  .values = Values::ratios,
                  .base = base};
  for (const auto& [channel, sizes] : channels) {
    ChartSeries series{channel, {}};
    for (const auto& [size, cell] : sizes)
      if (cell.pairs_speed > 0)
        series.points.push_back({static_cast<double>(size), cell.pairs_ratio});
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  return chart;
}

// The comparisons of the article over the size of blocks: one line for each comparison.
LineChart comparison_chart(const SockspeedReport& report, Memory memory) {
  LineChart chart{.x_label = "octets of a block",
                  .y_label = "throughput, first channel to second channel",
                  .x_kind = AxisKind::logarithmic,
                  .x_unit = AxisUnit::octets,
                  .better = Better::larger,
                  .values = Values::ratios};
  for (const Comparison& comparison : sockspeed_comparisons()) {
    ChartSeries series{to_text(comparison), {}};
    for (const SockspeedCompared& each : report.compared)
      if (each.memory == memory && to_text(each.comparison) == series.name)
        series.points.push_back({static_cast<double>(each.size), each.throughput});
    if (!series.points.empty()) chart.series.push_back(std::move(series));
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
    if (LineChart pairs = pairs_chart(figure, base); !pairs.series.empty())
      page.chart(std::move(pairs));
  }
}

void add_comparisons(Page& page, const SockspeedReport& report) {
  for (const Memory memory : report.options.memory) {
    LineChart chart = comparison_chart(report, memory);
    if (chart.series.empty()) continue;
    page.heading("Channels compared, " + to_text(memory) + " memory");
    page.note("Bare calls; ratios of the same round.");
    page.chart(std::move(chart));
  }
}

std::string comparison_line(const SockspeedCompared& compared) {
  return fmt::format("  {:<24}{:>9}, {:<10}{}\n", to_text(compared.comparison),
                     octets_text(static_cast<double>(compared.size)), to_text(compared.memory),
                     to_text(compared.throughput));
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
                    to_text(cell.null), to_text(cell.null_cpu)});
    if (cell.pairs_speed == 0) continue;
    rows.back().push_back(fmt::format("{:.1f}", cell.pairs_speed / mib));
    rows.back().push_back(to_text(cell.pairs_ratio));
  }
  page.table({"block", "C MiB/s", "C µs CPU", "wrapper MiB/s", "wrapper µs CPU", "wrapper / C",
              "CPU, wrapper / C", "null", "CPU, null", "pairs MiB/s", "pairs / one"},
             rows);
}

}  // namespace

std::string to_table(const SockspeedReport& report) {
  std::string text = fmt::format("perigee bench sockspeed: {}\n{}\n", machine_description(),
                                 method(report.options));
  for (const auto& [memory, channels] : report.cells) {
    for (const std::string& channel : report.options.channels) {
      text += fmt::format(
          "{}, {} memory\n  {:>9}{:>12}{:>12}{:>12}{:>12}   {:<22}{:<22}{:<22}{:<22}{}\n", channel,
          memory, "block", "C MiB/s", "C us CPU", "wr. MiB/s", "wr. us CPU", "wrapper / C",
          "CPU, wrapper / C", "null", "CPU, null", pairs_title(report.options));
      for (const auto& [size, cell] : channels.at(channel)) text += table_row(size, cell);
    }
  }
  if (!report.compared.empty()) text += "channels compared, bare calls, throughput\n";
  for (const SockspeedCompared& compared : report.compared) text += comparison_line(compared);
  return text;
}

std::string to_json(const SockspeedReport& report) {
  nlohmann::json document = begin_report("sockspeed");
  document["rounds"] = report.options.rounds;
  document["time_us"] = report.options.time.count();
  document["pairs"] = report.options.pairs;
  document["placement"] = report.options.split ? "two CPUs" : "one CPU";
  for (const auto& [memory, channels] : report.cells) {
    for (const auto& [channel, sizes] : channels) {
      for (const auto& [size, cell] : sizes) {
        auto& entry = document["results"][memory][channel][std::to_string(size)];
        entry = {{"c_octets_per_second", cell.c_speed},
                 {"c_cpu_ns", cell.c_cpu_ns},
                 {"null_ratio", to_json(cell.null)},
                 {"null_cpu_ratio", to_json(cell.null_cpu)}};
        if (cell.pairs_speed > 0) {
          entry["pairs_octets_per_second"] = cell.pairs_speed;
          entry["pairs_ratio"] = to_json(cell.pairs_ratio);
        }
        if (cell.wrapper_speed == 0) continue;
        entry["wrapper_octets_per_second"] = cell.wrapper_speed;
        entry["wrapper_cpu_ns"] = cell.wrapper_cpu_ns;
        entry["ratio"] = to_json(cell.ratio);
        entry["cpu_ratio"] = to_json(cell.cpu_ratio);
      }
    }
  }
  for (const SockspeedCompared& compared : report.compared)
    document["compared"].push_back({{"system", compared.comparison.system},
                                    {"base", compared.comparison.base},
                                    {"memory", to_text(compared.memory)},
                                    {"block_size", compared.size},
                                    {"throughput_ratio", to_json(compared.throughput)}});
  return document.dump(2) + "\n";
}

std::string to_html(const SockspeedReport& report) {
  Page page("perigee bench sockspeed");
  page.note(method(report.options));
  for (const auto& [memory, channels] : report.cells) add_figures(page, memory, channels);
  add_comparisons(page, report);
  for (const auto& [memory, channels] : report.cells) {
    for (const std::string& channel : report.options.channels) {
      page.heading("Numbers: " + channel + ", " + memory + " memory");
      add_table(page, channels.at(channel));
    }
  }
  return page.html();
}

}  // namespace perigee::bench
