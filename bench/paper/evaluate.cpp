// Compares the papers' findings with the measurements.
#include "evaluate.h"

#include "harness/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

namespace perigee::bench::paper {
namespace {

using nlohmann::json;
using Samples = std::vector<double>;

double number_of(const json& value, const std::string& path) {
  if (!value.is_number()) throw std::runtime_error("the report has no number at " + path);
  return value.get<double>();
}

Samples numbers_of(const json& samples, const std::string& path) {
  if (!samples.is_array() || samples.empty())
    throw std::runtime_error("the report has no samples at " + path);
  if (samples.size() > report_samples_max)
    throw std::runtime_error("the report has too many samples at " + path);
  Samples numbers;
  for (const json& sample : samples) numbers.push_back(number_of(sample, path));
  return numbers;
}

// A value is a number, an array of samples, or an estimate with samples. An estimate in an older
// report has only its value.
Samples samples_of(const json& value, const std::string& path) {
  if (value.is_array()) return numbers_of(value, path);
  if (!value.is_object()) return {number_of(value, path)};
  const auto samples = value.find("samples");
  if (samples == value.end()) {
    const auto middle = value.find("value");
    if (middle == value.end()) throw std::runtime_error("the report has no number at " + path);
    return {number_of(*middle, path)};
  }
  return numbers_of(*samples, path);
}

// A path that names several values stands for their sum.
Samples read(const json& document, const std::string& path) {
  const std::vector<const json*> values = values_at(document, path);
  if (values.empty()) throw std::runtime_error("the report has no value at " + path);
  if (values.size() == 1) return samples_of(*values.front(), path);
  double sum = 0;
  for (const json* value : values) sum += number_of(*value, path);
  return {sum};
}

// If the path selects elements of a list by `!=`, and the list has no such element, the sum is 0.
// An example is the list of the functions in a profile.
Samples read_operand(const json& document, const std::string& path) {
  const std::size_t last = path.rfind('|');
  const std::size_t step = last == std::string::npos ? last : path.rfind('|', last - 1);
  if (step != std::string::npos && path.find("!=", step) < last) {
    const auto lists = values_at(document, std::string_view(path).substr(0, step));
    if (lists.size() == 1 && lists.front()->is_array() && values_at(document, path).empty())
      return {0};
  }
  return read(document, path);
}

// Combines values of the same round. A single value is combined with all rounds.
template <typename Operation>
Samples combine(const Samples& left, const Samples& right, Operation operation) {
  if (left.size() != right.size() && left.size() != 1 && right.size() != 1)
    throw std::runtime_error("two values have different numbers of rounds");
  Samples result(std::max(left.size(), right.size()));
  for (std::size_t index = 0; index < result.size(); ++index)
    result[index] =
        operation(left[left.size() == 1 ? 0 : index], right[right.size() == 1 ? 0 : index]);
  return result;
}

Samples evaluate(const Value& value, const json& document) {
  Samples samples = read_operand(document, value.path);
  for (const std::string& path : value.times)
    samples = combine(samples, read(document, path), [](double a, double b) { return a * b; });
  for (const std::string& path : value.over)
    samples = combine(samples, read(document, path), [](double a, double b) { return a / b; });
  if (!std::ranges::all_of(samples, [](double sample) { return std::isfinite(sample); }))
    throw std::runtime_error("a value is divided by 0");
  return samples;
}

void check_is_testable(const Value& value, const json& document) {
  if (value.unless.empty()) return;
  for (const json* reason : values_at(document, value.unless))
    if (reason->is_string()) throw NotTestable(reason->get<std::string>());
}

/// Three significant digits, also if the last ones are zeros: "1.00". A larger number has all
/// digits before the point.
std::string three_digits(double value) {
  return std::abs(value) < 99.95 ? fmt::format("{:#.3g}", value) : fmt::format("{:.0f}", value);
}

std::string at_position(std::string path, double x) {
  constexpr std::string_view mark = "{X}";
  if (const std::size_t place = path.find(mark); place != std::string::npos)
    path.replace(place, mark.size(), fmt::format("{:.0f}", x));
  return path;
}

std::string bar_text(double value, BarText text) {
  if (text == BarText::number) return fmt::format("{:.2f}", value);
  constexpr double small_percent = 0.01;
  const double percent = 100 * value;
  if (percent > 0 && percent < small_percent) return fmt::format("< {} %", small_percent);
  return fmt::format("{:.3g} %", percent);
}

std::optional<Estimate> find(const Value& value, const Outcomes& outcomes) {
  try {
    return measure(value, outcomes);
  } catch (const std::runtime_error&) {
    return std::nullopt;  // the finding has a reason in its result; a chart lacks the point
  }
}

Result tested(const Finding& finding, const Outcomes& outcomes, Result result) {
  result.claim = finding.claim;
  result.measured = finding.measured;
  result.range = finding.range;
  try {
    result.value = measure(finding.value, outcomes);
    result.verdict = verdict(result.value, finding.range);
  } catch (const NotTestable& refusal) {
    result.verdict = Verdict::not_testable;
    result.reason = refusal.what();
  } catch (const std::runtime_error& error) {
    result.verdict = Verdict::not_run;
    result.reason = error.what();
  }
  return result;
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::confirmed:
      return "confirmed";
    case Verdict::refuted:
      return "refuted";
    case Verdict::undecided:
      return "undecided";
    case Verdict::not_testable:
      return "not testable";
    case Verdict::not_run:
      return "not run";
  }
  return "";
}

Verdict verdict(const Estimate& value, const Range& range) {
  if (value.samples.size() < verdict_samples_min) return Verdict::undecided;
  if (value.low >= range.low && value.high <= range.high) return Verdict::confirmed;
  if (value.high < range.low || value.low > range.high) return Verdict::refuted;
  return Verdict::undecided;
}

Value at_position(Value value, double x) {
  value.path = at_position(std::move(value.path), x);
  value.unless = at_position(std::move(value.unless), x);
  for (auto* paths : {&value.over, &value.times})
    for (std::string& path : *paths) path = at_position(std::move(path), x);
  return value;
}

Estimate measure(const Value& value, const Outcomes& outcomes) {
  const auto outcome = outcomes.find(value.run);
  if (outcome == outcomes.end())
    throw std::runtime_error(
        "the report has no entry for this experiment; repeat `perigee bench paper` for this paper");
  if (outcome->second.documents.empty())
    throw std::runtime_error(
        outcome->second.error.empty()
            ? "the experiment has no report; repeat `perigee bench paper` for this paper"
            : outcome->second.error);
  Samples samples;
  for (const json& document : outcome->second.documents) {
    check_is_testable(value, document);
    const Samples more = evaluate(value, document);
    samples.insert(samples.end(), more.begin(), more.end());
  }
  return median_with_interval(samples);
}

std::vector<Result> results_of(const Paper& paper, const Figure& figure, const Outcomes& outcomes) {
  Result base;
  base.paper = paper.key;
  base.figure = figure.label;
  std::vector<Result> results;
  for (const Finding& finding : figure.findings) results.push_back(tested(finding, outcomes, base));
  for (const auto& [claim, reason] : figure.untestable) {
    results.push_back(base);
    results.back().claim = claim;
    results.back().reason = reason;
  }
  if (!figure.reason.empty()) {
    results.push_back(base);
    results.back().claim = figure.title;
    results.back().reason = figure.reason;
    results.back().whole_figure = true;
  }
  return results;
}

std::string value_text(const Estimate& value) {
  return fmt::format("{} [{}, {}]", three_digits(value.value), three_digits(value.low),
                     three_digits(value.high));
}

std::string range_text(const Range& range) {
  if (range.low <= 0) return fmt::format("at most {:.3g}", range.high);
  if (std::isinf(range.high)) return fmt::format("at least {:.3g}", range.low);
  return fmt::format("{:.3g} to {:.3g}", range.low, range.high);
}

std::string sentence(const Result& result) {
  const std::string paper =
      (result.whole_figure ? "It shows: " : "The paper: ") + result.claim + ". ";
  if (result.verdict == Verdict::not_testable)
    return paper + "Not testable: " + result.reason + ".";
  if (result.verdict == Verdict::not_run) return paper + "Not run: " + result.reason + ".";
  std::string text = fmt::format("{}Here: {} is {}: {}", paper, result.measured,
                                 value_text(result.value), to_string(result.verdict));
  if (result.verdict != Verdict::undecided)
    return text + fmt::format(" (confirmed if {}).", range_text(result.range));
  if (result.value.samples.size() < verdict_samples_min)
    return text + fmt::format(", because there are fewer than {} samples.", verdict_samples_min);
  return text + fmt::format(", because an end of the range ({}) lies inside the interval.",
                            range_text(result.range));
}

LineChart chart_of(const LineFigure& figure, const Outcomes& outcomes) {
  LineChart chart = figure.axes;
  for (const Curve& curve : figure.curves) {
    ChartSeries series{.name = curve.name, .points = {}};
    for (const double x : figure.xs)
      if (const auto value = find(at_position(curve.value, x), outcomes))
        series.points.push_back({x, *value});
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  if (chart.series.empty()) return chart;
  for (const PaperCurve& curve : figure.paper) {
    ChartSeries series{.name = curve.name, .points = {}};
    for (const auto& [x, y] : curve.points) series.points.push_back({x, exactly(y)});
    chart.series.push_back(std::move(series));
  }
  return chart;
}

BarChart chart_of(const BarFigure& figure, const Outcomes& outcomes) {
  BarChart chart = figure.axes;
  for (const BarValue& bar : figure.bars) {
    const auto value = bar.value.run.empty() ? exactly(bar.paper) : find(bar.value, outcomes);
    if (!value) continue;
    chart.bars.push_back({.name = bar.name,
                          .value = *value,
                          .text = bar_text(value->value, figure.text),
                          .group = bar.group,
                          .look = bar.value.run.empty() ? 1U : 0U});
  }
  return chart;
}

}  // namespace perigee::bench::paper
