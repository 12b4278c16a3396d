// Compares the papers' findings with the measurements. Pure functions: they start no process.
#pragma once

#include "harness/statistics.h"
#include "paper/figure.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace perigee::bench::paper {

/// The result of a run. `error` is empty if all its repetitions succeeded.
struct Outcome {
  std::string command;  ///< the command line of one repetition
  double seconds = 0;   ///< of all repetitions
  std::string error = {};
  std::vector<nlohmann::json> documents = {};  ///< one report for each repetition that succeeded
};
/// By the names of the runs.
using Outcomes = std::map<std::string, Outcome>;

enum class Verdict : std::uint8_t { confirmed, refuted, undecided, not_testable, not_run };
const char* to_string(Verdict verdict);

/// With fewer samples, a finding is neither confirmed nor refuted.
inline constexpr std::size_t verdict_samples_min = 3;

/// `undecided`: an end of the range lies inside the interval of the value, or there are too few
/// samples.
Verdict verdict(const Estimate& value, const Range& range);

/// Replaces "{X}" in the paths of the value by `x`, the position on the axis.
Value at_position(Value value, double x);
/// Thrown if the machine of the run does not permit the measurement. `what()` is the reason.
struct NotTestable : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Throws NotTestable if a report has a text at `value.unless`, and std::runtime_error with the
/// reason if the value is missing, or is not a number.
Estimate measure(const Value& value, const Outcomes& outcomes);

/// A line of the table of findings.
struct Result {
  std::string paper;     ///< the key
  std::string figure;    ///< the label
  std::string claim;     ///< or the title of a figure that is not tested
  std::string measured;  ///< empty: not testable
  Range range;
  Estimate value;
  Verdict verdict = Verdict::not_testable;
  std::string reason;         ///< why the finding was not tested
  bool whole_figure = false;  ///< true: no value of the figure is tested
};
/// The results of a figure, in the order of its findings; statements without a test at the end.
std::vector<Result> results_of(const Paper& paper, const Figure& figure, const Outcomes& outcomes);

/// "1.00 [0.99, 1.02]".
std::string value_text(const Estimate& value);
/// "at most 1.05".
std::string range_text(const Range& range);
/// The result as a sentence.
std::string sentence(const Result& result);

/// The chart with the measured points and the paper's points. Points that were not measured are
/// left out. Without measured points the chart has no series.
LineChart chart_of(const LineFigure& figure, const Outcomes& outcomes);
BarChart chart_of(const BarFigure& figure, const Outcomes& outcomes);

}  // namespace perigee::bench::paper
