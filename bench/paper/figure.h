// The tables and figures of the papers as data: the paper's numbers, the commands that repeat the
// measurements, and the rules that compare both. Each paper has its own source file.
#pragma once

#include "harness/chart.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace perigee::bench::paper {

/// An experiment of `perigee bench`. Each repetition is a process, and gives more samples of each
/// value.
struct Run {
  std::string name;
  std::vector<std::string> quick;  ///< the words after `perigee bench`, without the output
  std::vector<std::string> full;
  std::size_t quick_repeats = 1;
  std::size_t full_repeats = 1;
  double quick_seconds =
      1;  ///< the expected time of one repetition; the time limit follows from it
  double full_seconds = 1;
};

/// A number that a run has measured: the value at `path` (values_at() in harness/document.h), times
/// the values at `times`, divided by the values at `over`. "{X}" in a path stands for the position
/// of a point of a curve. Values with samples are combined round by round. If the run has a text at
/// `unless`, this machine does not permit the measurement, and the text is the reason.
struct Value {
  std::string run;
  std::string path;
  std::vector<std::string> over = {};
  std::vector<std::string> times = {};
  std::string unless = {};
};

/// The finding is confirmed if the value lies between these ends.
struct Range {
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
};
inline Range at_most(double high) { return {0, high}; }
inline Range at_least(double low) { return {.low = low}; }
inline Range between(double low, double high) { return {low, high}; }

/// A statement of a paper, and the measurement that tests the statement.
struct Finding {
  std::string claim;     ///< a clause after "The paper: "
  std::string measured;  ///< the name of the value: the subject of a sentence
  Value value;
  Range range;
};

struct Curve {
  std::string name;
  Value value;
};
/// Numbers of the paper, normalised as the curves are.
struct PaperCurve {
  std::string name;
  std::vector<std::pair<double, double>> points;
};
struct LineFigure {
  LineChart axes;               ///< without series
  std::vector<double> xs = {};  ///< a point that was not measured is left out
  std::vector<Curve> curves = {};
  std::vector<PaperCurve> paper = {};
};

/// A bar is a measured value, or a number of the paper if the value has no run.
struct BarValue {
  std::string group;
  std::string name;
  Value value = {};
  double paper = 0;
};
enum class BarText : std::uint8_t { number, percent };
struct BarFigure {
  BarChart axes;  ///< without bars
  BarText text = BarText::number;
  std::vector<BarValue> bars = {};
};

/// The numbers of a table or of a text, as the paper gives them.
struct Numbers {
  std::vector<std::string> header = {};
  std::vector<std::vector<std::string>> rows = {};
};

/// A table or figure. `reason` says why nothing is measured for it; then there are no findings.
struct Figure {
  std::string label;    ///< "Figure 16"
  std::string title;    ///< what it shows
  std::string section;  ///< where the paper has its numbers
  std::string reason = {};
  bool is_design = false;  ///< it has no measured values
  Numbers numbers = {};
  std::vector<Finding> findings = {};
  std::vector<LineFigure> lines = {};
  std::vector<BarFigure> bars = {};
  /// Statements that this machine cannot test: the claim and the reason.
  std::vector<std::pair<std::string, std::string>> untestable = {};
};

struct Paper {
  std::string key;  ///< for --paper
  std::string title;
  std::string source;  ///< authors and year
  std::vector<Run> runs;
  std::vector<Figure> figures;
};

/// Words of a command line: `option` before each of `values`.
std::vector<std::string> repeated(const std::string& option,
                                  const std::vector<std::string>& values);
/// Words of a command line: those of all parts, one after the other.
std::vector<std::string> joined(const std::vector<std::vector<std::string>>& parts);
/// A figure that shows a design or a program: there is nothing to measure.
Figure described(std::string label, std::string title, std::string section);

Paper ipc_sap();
Paper sockspeed();
Paper protocols();
Paper amh();
/// All papers, in the order of their years.
std::vector<Paper> all_papers();

}  // namespace perigee::bench::paper
