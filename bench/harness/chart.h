// Line and bar charts as SVG for a page (page.h). The page's style sheet sets colours and fonts.
#pragma once

#include "harness/statistics.h"

#include <cstddef>
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

enum class AxisKind { linear, logarithmic };
enum class AxisUnit { number, octets };

struct LineChart {
  std::string x_label;
  std::string y_label;
  AxisKind x_kind = AxisKind::linear;  ///< logarithmic: points at 0 or below are left out
  AxisKind y_kind = AxisKind::linear;  ///< linear: begins at 0
  AxisUnit x_unit = AxisUnit::number;
  std::vector<ChartSeries> series;
};

struct Bar {
  std::string name;
  Estimate value;
  std::string text = {};   ///< beside the name; empty: the value
  std::string group = {};  ///< a heading above the first bar of the group
  std::size_t look = 0;    ///< colour of a bar in a group; a page gives each name its own look
};

/// Horizontal bars that begin at 0, in groups or without groups.
struct BarChart {
  std::string label;     ///< of the values
  double reference = 0;  ///< position of a vertical line, if not 0
  std::vector<Bar> bars;
};

/// Names and labels are escaped. A chart without points is an empty frame.
std::string to_svg(const LineChart& chart);
std::string to_svg(const BarChart& chart);

/// Escapes text for HTML and SVG, including attributes.
std::string escape(const std::string& text);
/// 65536: "64 KiB".
std::string octets_text(double octets);

}  // namespace perigee::bench
