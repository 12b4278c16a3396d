// Draws line and bar charts as SVG.
#include "chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

namespace perigee::bench {
namespace {

// In units of the drawing; the page scales it.
constexpr double chart_width = 720;
constexpr double narrow_chart_width = 360;
constexpr double plot_height = 304;
constexpr double bar_height = 26;
constexpr double caption_height = 18;
constexpr double character_width = 7.2;

double width_of(Width width) { return width == Width::wide ? chart_width : narrow_chart_width; }

const char* class_of(Width width) { return width == Width::wide ? "chart" : "chart small"; }

// Breaks a text at blanks, so that each line fits into `width`.
std::vector<std::string> lines_of(const std::string& text, double width) {
  const auto columns = static_cast<std::size_t>(width / character_width);
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.back().empty() && lines.back().size() + word.size() >= columns) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

/// Maps values to positions. A value outside of the range gets the position of the nearer end.
class Scale {
 public:
  Scale(AxisKind kind, const Estimate& values, double from, double to)
      : kind_(kind), low_(place(values.low)), high_(place(values.high)), from_(from), to_(to) {
    if (!(high_ > low_)) high_ = low_ + 1;
  }
  double operator()(double value) const {
    if (kind_ == AxisKind::logarithmic && !(value > 0)) return from_;
    const double inside = std::clamp(place(value), low_, high_);
    return from_ + (inside - low_) / (high_ - low_) * (to_ - from_);
  }

 private:
  double place(double value) const {
    return kind_ == AxisKind::logarithmic ? std::log2(value) : value;
  }

  AxisKind kind_;
  double low_, high_, from_, to_;
};

// 1, 2 or 5 times a power of ten, so that about `count` steps make up `range`.
double tick_step(double range, int count) {
  const double power = std::pow(10, std::floor(std::log10(range / count)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (range / (power * factor) <= count) return power * factor;
  return power * 10;
}

std::vector<double> linear_ticks(double high) {
  std::vector<double> ticks;
  const double step = tick_step(high, 6);
  for (int index = 0; index * step <= high * 1.0001; ++index) ticks.push_back(index * step);
  return ticks;
}

// Powers of ten. For a short range also two and five times these powers. If these give fewer than
// three ticks: round numbers with equal distances.
std::vector<double> logarithmic_ticks(double low, double high) {
  std::vector<double> ticks;
  const bool is_long = high / low >= 1000;
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10)
    for (const double factor : {1.0, 2.0, 5.0})
      if (const double tick = power * factor;
          tick >= low * 0.9999 && tick <= high * 1.0001 && (factor == 1 || !is_long))
        ticks.push_back(tick);
  if (ticks.size() >= 3 || !(high > low)) return ticks;
  ticks.clear();
  const double step = tick_step(high - low, 5);
  for (double tick = std::ceil(low / step) * step; tick <= high * 1.0001; tick += step)
    ticks.push_back(tick);
  return ticks;
}

std::string number_text(double value) {
  return fmt::format(fmt::runtime(value >= 1e4 && value < 1e6 ? "{:.0f}" : "{:.4g}"), value);
}

AxisKind y_kind_of(const LineChart& chart) {
  return chart.values == Values::ratios ? AxisKind::logarithmic : chart.y_kind;
}

bool is_drawn(const LineChart& chart, const ChartPoint& point) {
  return (chart.x_kind == AxisKind::linear || point.x > 0) &&
         (y_kind_of(chart) == AxisKind::linear || point.y.value > 0);
}

// All points that the axes must have room for.
std::vector<ChartPoint> points_of(const LineChart& chart) {
  std::vector<ChartPoint> points = chart.hidden_points;
  for (const ChartSeries& series : chart.series)
    points.insert(points.end(), series.points.begin(), series.points.end());
  std::erase_if(points, [&chart](const ChartPoint& point) { return !is_drawn(chart, point); });
  return points;
}

std::string with_direction(const std::string& label, Better better) {
  if (better == Better::neither) return label;
  return label + (better == Better::smaller ? " (smaller is better)" : " (larger is better)");
}

// Some space beside the outermost values. The scale shows 5 % in both directions at least, so that
// it does not enlarge the effect of chance.
Estimate axis_of(const RatioRange& range) {
  return {1, std::min(range.low, 0.95) / 1.02, std::max(range.high, 1.05) * 1.02};
}

void add_ratio(RatioRange& range, const Estimate& ratio) {
  for (const double value : {ratio.value, ratio.low, ratio.high}) {
    if (!(value > 0) || !std::isfinite(value)) continue;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
}

struct Ranges {
  Estimate x{0, std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()};
  Estimate y{0, std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()};
};

Ranges ranges_of(const LineChart& chart, const RatioRange& ratios) {
  const std::vector<ChartPoint> points = points_of(chart);
  if (points.empty()) return {{0, 1, 10}, {0, 1, 10}};
  Ranges ranges;
  for (const ChartPoint& point : points) {
    ranges.x.low = std::min(ranges.x.low, point.x);
    ranges.x.high = std::max(ranges.x.high, point.x);
    ranges.y.low = std::min(ranges.y.low, point.y.value);
    ranges.y.high = std::max({ranges.y.high, point.y.value, point.y.high});
  }
  if (chart.values == Values::ratios) return {ranges.x, axis_of(ratios)};
  if (chart.y_kind == AxisKind::linear) ranges.y.low = 0;
  ranges.y.high += (ranges.y.high - ranges.y.low) * 0.04;
  return ranges;
}

// The positions of the points, if there are few. Otherwise round numbers.
std::vector<double> x_ticks(const LineChart& chart, const Estimate& range) {
  std::vector<double> places;
  for (const ChartPoint& point : points_of(chart)) places.push_back(point.x);
  std::ranges::sort(places);
  places.erase(std::ranges::unique(places).begin(), places.end());
  if (places.size() <= 14) return places;
  return chart.x_kind == AxisKind::linear ? linear_ticks(range.high)
                                          : logarithmic_ticks(range.low, range.high);
}

std::string line(double x1, double y1, double x2, double y2, const char* kind) {
  return fmt::format("<line class='{}' x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}'/>\n", kind,
                     x1, y1, x2, y2);
}

std::string label(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}'>{}</text>\n", x, y, anchor,
                     escape(text));
}

/// The area of a line chart inside its axes. The lines of the labels lie above and below it.
struct Plot {
  double width;
  std::vector<std::string> y_label;
  std::vector<std::string> x_label;
  double top;
  double bottom;
  Scale x;
  Scale y;

  [[nodiscard]] double right() const { return width - 16; }
  [[nodiscard]] double height() const {
    return bottom + 30 + caption_height * static_cast<double>(x_label.size());
  }
};

constexpr double plot_left = 64;

Plot plot_of(const LineChart& chart, const Ranges& ranges, Width size) {
  const double width = width_of(size);
  std::vector<std::string> y_label = lines_of(with_direction(chart.y_label, chart.better), width);
  const double top = 10 + caption_height * static_cast<double>(y_label.size());
  const double bottom = top + plot_height;
  return {width,
          std::move(y_label),
          lines_of(chart.x_label, width - plot_left),
          top,
          bottom,
          Scale(chart.x_kind, ranges.x, plot_left + 12, width - 28),
          Scale(y_kind_of(chart), ranges.y, bottom, top)};
}

std::string x_axis(const LineChart& chart, const Ranges& ranges, const Plot& plot) {
  std::string svg;
  double last_label = -chart_width;
  for (const double tick : x_ticks(chart, ranges.x)) {
    const double x = plot.x(tick);
    svg += line(x, plot.bottom, x, plot.bottom + 5, "axis");
    if (x - last_label < 46) continue;  // its text would overlap the previous text
    svg += label(x, plot.bottom + 20, "middle",
                 chart.x_unit == AxisUnit::octets ? octets_text(tick) : number_text(tick));
    last_label = x;
  }
  return svg + line(plot_left, plot.bottom, plot.right(), plot.bottom, "axis");
}

std::string axes(const LineChart& chart, const Ranges& ranges, const Plot& plot) {
  std::string svg;
  const auto y_ticks = y_kind_of(chart) == AxisKind::linear
                           ? linear_ticks(ranges.y.high)
                           : logarithmic_ticks(ranges.y.low, ranges.y.high);
  for (const double tick : y_ticks) {
    svg += line(plot_left, plot.y(tick), plot.right(), plot.y(tick), "grid");
    svg += label(plot_left - 8, plot.y(tick) + 4, "end", number_text(tick));
  }
  svg += x_axis(chart, ranges, plot);
  if (chart.values == Values::ratios)
    svg += line(plot_left, plot.y(1), plot.right(), plot.y(1), "reference");
  double y = plot.bottom + 22;
  for (const std::string& text : plot.x_label)
    svg += label((plot_left + plot.right()) / 2, y += caption_height, "middle", text);
  y = -2;
  for (const std::string& text : plot.y_label) svg += label(4, y += caption_height, "start", text);
  return svg;
}

std::string curve(const LineChart& chart, const ChartSeries& series, const Plot& plot) {
  std::string path;
  std::string marks;
  for (const ChartPoint& point : series.points) {
    if (!is_drawn(chart, point)) continue;
    const double x = plot.x(point.x);
    const double y = plot.y(point.y.value);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
    if (point.y.high > point.y.low)
      marks += line(x, plot.y(point.y.low), x, plot.y(point.y.high), "interval");
    marks +=
        fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='3'><title>{}: {}, {}</title></circle>\n", x,
                    y, escape(series.name),
                    chart.x_unit == AxisUnit::octets ? octets_text(point.x) : number_text(point.x),
                    number_text(point.y.value));
  }
  return fmt::format("<g class='s{}'><path d='{}'/>\n{}</g>\n", series.look % look_count, path,
                     marks);
}

std::string legend(const LineChart& chart) {
  std::string html = "<ul class='legend'>";
  for (const ChartSeries& series : chart.series)
    html += fmt::format(
        "<li><svg viewBox='0 0 28 10' width='28' height='10' aria-hidden='true'><g class='s{}'>"
        "<path d='M0 5L28 5'/><circle cx='14' cy='5' r='3'/></g></svg>{}</li>",
        series.look % look_count, escape(series.name));
  return html + "</ul>\n";
}

std::string bar_text(const Bar& bar) {
  return bar.text.empty() ? number_text(bar.value.value) : bar.text;
}

/// The area of a bar chart inside its axes.
struct Bars {
  Width size;
  double left;
  Scale scale;
  double start;       ///< the value at which bars begin
  double row_height;  ///< of a bar, with its text
};

// Name and value are in front of the bar, or above it in a narrow drawing.
std::string bar_texts(const Bar& bar, const Bars& bars, double y) {
  const bool wide = bars.size == Width::wide;
  const double text_y = wide ? y + bars.row_height - bar_height / 2 + 4 : y + 14;
  return label(0, text_y, "start", bar.name) +
         label(wide ? bars.left - 8 : narrow_chart_width - 4, text_y, "end", bar_text(bar));
}

std::string bar_shapes(const Bar& bar, const Bars& bars, double y) {
  const double middle = y + bars.row_height - bar_height / 2;
  const double start = bars.scale(bars.start);
  const double end = bars.scale(bar.value.value);
  const std::string look =
      bar.group.empty() ? std::string("bar") : fmt::format("bar s{}", bar.look % look_count);
  std::string svg = fmt::format(
      "<rect class='{}' x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}'/>\n", look,
      std::min(start, end), middle - bar_height / 2 + 4, std::abs(end - start), bar_height - 8);
  if (bar.value.high > bar.value.low)
    svg += line(bars.scale(bar.value.low), middle, bars.scale(bar.value.high), middle, "interval");
  return svg;
}

bool begins_group(const BarChart& chart, std::size_t index) {
  const std::string& group = chart.bars[index].group;
  return !group.empty() && (index == 0 || chart.bars[index - 1].group != group);
}

std::string heading_row(const std::string& text, double y) {
  return fmt::format("<g class='group'>{}</g>\n", label(0, y + bar_height / 2 + 6, "start", text));
}

/// The drawing of all bars. Lines that cross the rows are drawn between both parts.
struct Rows {
  std::string shapes;
  std::string texts;
};

// Moves `y` to the end of the rows.
Rows bar_rows(const BarChart& chart, const Bars& bars, double& y) {
  Rows rows;
  for (std::size_t index = 0; index < chart.bars.size(); ++index) {
    if (begins_group(chart, index)) {
      rows.texts += heading_row(chart.bars[index].group, y);
      y += bar_height;
    }
    rows.shapes += bar_shapes(chart.bars[index], bars, y);
    rows.texts += bar_texts(chart.bars[index], bars, y);
    y += bars.row_height;
  }
  return rows;
}

std::string ratio_axis(const Estimate& range, const Scale& scale, double bottom) {
  std::string svg;
  double last_label = -chart_width;
  for (const double tick : logarithmic_ticks(range.low, range.high)) {
    svg += line(scale(tick), 2, scale(tick), bottom, "grid");
    if (scale(tick) - last_label < 36) continue;  // its text would overlap the previous text
    last_label = scale(tick);
    svg += label(scale(tick), bottom + 18, "middle", number_text(tick));
  }
  return svg;
}

double largest_of(const BarChart& chart) {
  double largest = chart.reference;
  for (const Bar& bar : chart.bars) largest = std::max({largest, bar.value.value, bar.value.high});
  return largest;
}

// In a wide drawing, the names and the texts of the values lie to the left of the bars.
double bars_left(const BarChart& chart, Width size) {
  if (size == Width::narrow) return 16;
  std::size_t name_size = 0;
  std::size_t text_size = 0;
  for (const Bar& bar : chart.bars) {
    name_size = std::max(name_size, bar.name.size());
    text_size = std::max(text_size, bar_text(bar).size());
  }
  return 24 + character_width * static_cast<double>(name_size + text_size);
}

Bars bars_of(const BarChart& chart, const Estimate& values, Width size) {
  const bool ratios = chart.values == Values::ratios;
  const double left = bars_left(chart, size);
  return {
      size, left,
      Scale(ratios ? AxisKind::logarithmic : AxisKind::linear, values, left, width_of(size) - 12),
      ratios ? 1.0 : 0.0, size == Width::wide ? bar_height : bar_height + caption_height - 2};
}

}  // namespace

std::string escape(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (c == '\'')
      result += "&#39;";
    else
      result += c;
  }
  return result;
}

std::string octets_text(double octets) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  for (; octets >= 1024 && unit + 1 < units.size() && std::fmod(octets, 1024) == 0; ++unit)
    octets /= 1024;
  return fmt::format("{:.10g} {}", octets, units[unit]);
}

void RatioRange::add(const LineChart& chart) {
  if (chart.values != Values::ratios) return;
  for (const ChartPoint& point : points_of(chart)) add_ratio(*this, point.y);
}

void RatioRange::add(const BarChart& chart) {
  if (chart.values != Values::ratios) return;
  for (const Bar& bar : chart.bars) add_ratio(*this, bar.value);
}

namespace {

std::string drawing_of(const LineChart& chart, const RatioRange& range, Width size) {
  const Ranges ranges = ranges_of(chart, range);
  const Plot plot = plot_of(chart, ranges, size);
  std::string svg = fmt::format(
      "<svg class='{}' viewBox='0 0 {} {}' role='img'>\n<title>{}</title>\n", class_of(size),
      plot.width, plot.height(), escape(chart.y_label + " over " + chart.x_label));
  svg += axes(chart, ranges, plot);
  for (const ChartSeries& series : chart.series) svg += curve(chart, series, plot);
  return svg + "</svg>";
}

}  // namespace

std::string to_svg(const LineChart& chart, const RatioRange& range) {
  return "<div class='wide'>" + drawing_of(chart, range, Width::wide) + "</div>\n" + legend(chart);
}

std::string to_figure(const LineChart& chart, const RatioRange& range) {
  return "<div class='figure'><div class='wide'>" + drawing_of(chart, range, Width::wide) +
         "</div>\n" + drawing_of(chart, range, Width::narrow) + "\n" + legend(chart) + "</div>\n";
}

std::string to_figure(const BarChart& chart, const RatioRange& range) {
  return "<div class='figure'><div class='wide'>" + to_svg(chart, range, Width::wide) + "</div>\n" +
         to_svg(chart, range, Width::narrow) + "</div>\n";
}

std::string to_drawing(const LineChart& chart) {
  RatioRange range;
  range.add(chart);
  return drawing_of(chart, range, Width::wide);
}

std::string to_svg(const BarChart& chart, const RatioRange& range, Width size) {
  const bool ratios = chart.values == Values::ratios;
  const Estimate values = ratios ? axis_of(range) : Estimate{0, 0, largest_of(chart)};
  const Bars bars = bars_of(chart, values, size);
  double bottom = 4;
  const Rows rows = bar_rows(chart, bars, bottom);
  std::vector<std::string> texts =
      lines_of(with_direction(chart.label, chart.better), width_of(size));
  double y = bottom + (ratios ? 40 : 20);
  const std::size_t text_count = texts.size() + chart.caption.size();
  const double height = y + 8 + caption_height * static_cast<double>(text_count - 1);
  std::string svg =
      fmt::format("<svg class='{}' viewBox='0 0 {} {}' role='img'>\n<title>{}</title>\n",
                  class_of(size), width_of(size), height, escape(chart.label));
  if (ratios) svg += ratio_axis(values, bars.scale, bottom);
  svg += rows.shapes;
  if (const double reference = ratios ? 1 : chart.reference; reference != 0)
    svg += line(bars.scale(reference), 2, bars.scale(reference), bottom, "reference");
  svg += rows.texts;
  for (const std::string& text : texts) {
    svg += label(width_of(size) - 12, y, "end", text);
    y += caption_height;
  }
  for (const std::string& text : chart.caption) {
    svg += label(0, y, "start", text);
    y += caption_height;
  }
  return svg + "</svg>\n";
}

std::string to_svg(const LineChart& chart) {
  RatioRange range;
  range.add(chart);
  return to_svg(chart, range);
}

std::string to_svg(const BarChart& chart) {
  RatioRange range;
  range.add(chart);
  return to_svg(chart, range);
}

std::vector<LineChart> split_lines(const LineChart& chart) {
  if (chart.series.size() <= lines_max) return {chart};
  std::vector<ChartSeries> bases;
  std::vector<ChartSeries> others;
  for (const ChartSeries& series : chart.series)
    (series.name == chart.base ? bases : others).push_back(series);
  const std::size_t room = lines_max - bases.size();
  const std::size_t part_count = (others.size() + room - 1) / room;
  std::vector<LineChart> parts(part_count, chart);
  for (std::size_t part = 0; part < part_count; ++part) {
    parts[part].y_label += fmt::format(", chart {} of {}", part + 1, part_count);
    parts[part].hidden_points = points_of(chart);
    parts[part].series = bases;
    const std::size_t begin = part * others.size() / part_count;
    const std::size_t end = (part + 1) * others.size() / part_count;
    for (std::size_t index = begin; index < end; ++index)
      parts[part].series.push_back(others[index]);
  }
  return parts;
}

}  // namespace perigee::bench
