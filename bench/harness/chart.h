// Line and bar charts as SVG for a page (page.h). The page's style sheet sets colours and fonts.
#pragma once

#include "harness/statistics.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace perigee::bench {

/// A value without an interval.
inline Estimate exactly(double value) { return {value, value, value}; }

struct ChartPoint {
  double x = 0;
  Estimate y;  ///< its interval is drawn if it has a width
};

struct ChartSeries {
  std::string name;
  std::vector<ChartPoint> points;  ///< in the order of x
  std::size_t look = 0;            ///< colour and dashes; a page gives each name its own look
};

/// The number of different looks. Further series repeat them.
inline constexpr std::size_t look_count = 24;
/// The first look with a dashed line. The looks before it are solid.
inline constexpr std::size_t dashed_look = 8;

enum class AxisKind : std::uint8_t { linear, logarithmic };
enum class AxisUnit : std::uint8_t { number, octets };
/// Ratios are drawn around 1, on a logarithmic scale: half and twice are equally far from 1.
enum class Values : std::uint8_t { amounts, ratios };
/// The direction that is better. A chart names it beside its values.
enum class Better : std::uint8_t { smaller, larger, neither };

struct LineChart {
  std::string x_label;
  std::string y_label;
  AxisKind x_kind = AxisKind::linear;  ///< logarithmic: points at 0 or below are left out
  AxisKind y_kind = AxisKind::linear;  ///< the scale of amounts; a linear axis begins at 0
  AxisUnit x_unit = AxisUnit::number;
  std::vector<ChartSeries> series = {};
  Better better = Better::smaller;
  Values values = Values::amounts;
  std::string base = {};  ///< a series that each part of split_lines() repeats; empty: none
  std::vector<ChartPoint> hidden_points = {};  ///< not drawn; the axes include them
};

struct Bar {
  std::string name;
  Estimate value;
  std::string text = {};   ///< beside the name; empty: the value
  std::string group = {};  ///< a heading above the first bar of the group
  std::size_t look = 0;    ///< colour of a bar in a group; a page gives each name its own look
};

/// Horizontal bars that begin at 0 (ratios: at 1), in groups or without groups.
struct BarChart {
  std::string label;  ///< of the values
  Better better = Better::smaller;
  Values values = Values::amounts;
  std::vector<Bar> bars = {};
  double reference = 0;                   ///< position of a vertical line among amounts, if not 0
  std::vector<std::string> caption = {};  ///< lines of text below the chart
};

/// The ratios that the charts of a page show. The range contains 1.
struct RatioRange {
  double low = 1;
  double high = 1;

  /// Extends the range by the values of a chart and their intervals.
  void add(const LineChart& chart);
  void add(const BarChart& chart);
};

/// A wide drawing is for a page of at least 720 units, a narrow drawing for the screen of a
/// telephone. The text has the same size in both.
enum class Width : std::uint8_t { wide, narrow };

/// Names and labels are escaped. A chart without points is an empty frame. A chart of amounts does
/// not use `range`. A chart of ratios without `range` has a scale of its own.
std::string to_svg(const LineChart& chart, const RatioRange& range);
std::string to_svg(const BarChart& chart, const RatioRange& range, Width width = Width::wide);
/// A drawing for each width, of which the page's style sheet shows one, and the legend.
std::string to_figure(const LineChart& chart, const RatioRange& range);
std::string to_figure(const BarChart& chart, const RatioRange& range);
std::string to_svg(const LineChart& chart);
/// The drawing alone, without its legend.
std::string to_drawing(const LineChart& chart);
std::string to_svg(const BarChart& chart);

/// The largest number of lines that a reader can tell apart in one chart.
inline constexpr std::size_t lines_max = 6;
/// Charts with at most `lines_max` lines each, and with the axes of the whole chart.
std::vector<LineChart> split_lines(const LineChart& chart);

/// Escapes text for HTML and SVG, including attributes.
std::string escape(const std::string& text);
/// 65536: "64 KiB".
std::string octets_text(double octets);

}  // namespace perigee::bench
