// A report as one self-contained HTML file, without external scripts, fonts or pictures. It
// supports light and dark colours, and is readable on a narrow screen.
#pragma once

#include "harness/chart.h"

#include <string>
#include <variant>
#include <vector>

namespace perigee::bench {

/// A row of a text table. Its first cell refers to `anchor`, if that is not empty.
struct TextRow {
  std::vector<std::string> cells;
  std::string anchor = {};
};

/// The parts of a page appear in the order in which they were added. All text is escaped.
class Page {
 public:
  /// The page begins with its title and with descriptions of the machine and the run.
  explicit Page(const std::string& title);
  /// With descriptions of another machine or run, one a line.
  Page(const std::string& title, const std::vector<std::string>& descriptions);

  void heading(const std::string& text);
  /// A heading below a heading. Rows of text tables refer to `anchor`: letters, digits and '-'.
  void subheading(const std::string& text, const std::string& anchor);
  void note(const std::string& text);
  /// Columns after the first contain numbers and are right-aligned. `rows` may be shorter than
  /// `header`.
  void table(const std::vector<std::string>& header,
             const std::vector<std::vector<std::string>>& rows);
  /// Cells with text, which is broken into lines. On a narrow screen, the cells of a row lie below
  /// each other. A cell that is the name of a badge gets the colour of this badge.
  void text_table(const std::vector<std::string>& header, const std::vector<TextRow>& rows);
  /// A badge, and a text beside it.
  void statement(const std::string& badge, const std::string& text);
  /// Series and bars in groups with the same name have the same look in all charts of the page. All
  /// ratios of the page have one scale. More than `lines_max` lines make several charts.
  void chart(LineChart chart);
  void chart(BarChart chart);
  /// Adds the chart with its own looks. It must have at most `lines_max` lines.
  void chart_with_looks(LineChart chart);
  void chart_with_looks(BarChart chart);

  [[nodiscard]] std::string html() const;

 private:
  using Part = std::variant<std::string, LineChart, BarChart>;

  void add_html(const std::string& html);
  std::size_t look_of(const std::string& name);

  std::string title_;
  std::vector<Part> parts_;          ///< the strings are HTML
  std::vector<std::string> series_;  ///< the names that have looks, in the order of the looks
};

/// A chart as an SVG file of its own, with the colours of a page. It ends with `explanation`, and
/// descriptions of the machine and the run.
std::string picture(BarChart chart, const std::string& explanation);
/// The same for lines, with a legend below them.
std::string picture(LineChart chart, const std::string& explanation);

/// "1.02 [0.98, 1.05]".
std::string to_text(const Estimate& estimate);

}  // namespace perigee::bench
