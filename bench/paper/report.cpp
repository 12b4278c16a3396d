// The report about the papers as text, JSON and a page.
#include "harness/json.h"
#include "harness/page.h"
#include "looks.h"
#include "paper.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>

namespace perigee::bench::paper {
namespace {

using nlohmann::json;

constexpr std::array verdicts{Verdict::confirmed, Verdict::refuted, Verdict::undecided,
                              Verdict::not_testable, Verdict::not_run};

// The results of all figures that have values in the paper.
std::vector<Result> all_results(const Report& report) {
  std::vector<Result> results;
  for (const Paper& paper : report.papers)
    for (const Figure& figure : paper.figures) {
      if (figure.is_design) continue;
      const std::vector<Result> more = results_of(paper, figure, report.outcomes);
      results.insert(results.end(), more.begin(), more.end());
    }
  return results;
}

// "14 confirmed, 9 refuted, 2 not testable".
std::string summary(const std::vector<Result>& results) {
  std::map<Verdict, std::size_t> counts;
  for (const Result& result : results) ++counts[result.verdict];
  std::string text;
  for (const Verdict verdict : verdicts)
    if (counts[verdict] != 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[verdict], to_string(verdict));
  return text;
}

std::string anchor_of(const std::string& paper, const std::string& figure) {
  std::string anchor = paper + '-';
  for (const char c : figure) anchor += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  return anchor;
}

bool was_measured(const Result& result) {
  return result.verdict != Verdict::not_testable && result.verdict != Verdict::not_run;
}

json to_json(const Range& range) {
  json result{{"low", range.low}};
  if (!std::isinf(range.high)) result["high"] = range.high;
  return result;
}

json to_json(const Result& result) {
  json entry{{"paper", result.paper},
             {"figure", result.figure},
             {"claim", result.claim},
             {"verdict", to_string(result.verdict)},
             {"sentence", sentence(result)}};
  if (!result.measured.empty()) {
    entry["measured"] = result.measured;
    entry["range"] = to_json(result.range);
  }
  if (was_measured(result)) entry["ours"] = bench::to_json(result.value);
  if (!result.reason.empty()) entry["reason"] = result.reason;
  return entry;
}

json to_json(const Figure& figure) {
  json entry{{"label", figure.label}, {"title", figure.title}, {"section", figure.section}};
  if (!figure.reason.empty()) entry["reason"] = figure.reason;
  if (!figure.numbers.header.empty()) {
    entry["numbers"]["header"] = figure.numbers.header;
    entry["numbers"]["rows"] = figure.numbers.rows;
  }
  return entry;
}

json to_json(const Paper& paper) {
  json entry{{"key", paper.key}, {"title", paper.title}, {"source", paper.source}};
  for (const Figure& figure : paper.figures) entry["figures"].push_back(to_json(figure));
  return entry;
}

json to_json(const Outcome& outcome) {
  json entry{
      {"command", outcome.command}, {"seconds", outcome.seconds}, {"reports", outcome.documents}};
  if (!outcome.error.empty()) entry["error"] = outcome.error;
  return entry;
}

double seconds_of(const Report& report) {
  double seconds = 0;
  for (const auto& [name, outcome] : report.outcomes) seconds += outcome.seconds;
  return seconds;
}

void add_findings(Page& page, const std::vector<Result>& results) {
  std::vector<TextRow> rows;
  for (const Result& result : results) {
    const bool measured = was_measured(result);
    rows.push_back(
        {{result.paper + ", " + result.figure, result.claim,
          measured ? result.measured : result.reason, measured ? value_text(result.value) : "",
          result.measured.empty() ? "" : range_text(result.range), to_string(result.verdict)},
         anchor_of(result.paper, result.figure)});
  }
  page.text_table({"figure", "the paper", "here", "value", "confirmed if", "verdict"}, rows);
}

void add_charts(Page& page, const Figure& figure, const Outcomes& outcomes, Looks& looks) {
  for (const LineFigure& lines : figure.lines)
    if (LineChart chart = chart_of(lines, outcomes); !chart.series.empty()) {
      looks.give(chart);
      page.chart_with_looks(std::move(chart));
    }
  for (const BarFigure& bars : figure.bars)
    if (BarChart chart = chart_of(bars, outcomes); !chart.bars.empty())
      page.chart_with_looks(std::move(chart));
}

void add_figure(Page& page, const Paper& paper, const Figure& figure, const Outcomes& outcomes,
                Looks& looks) {
  page.subheading(figure.label + ": " + figure.title, anchor_of(paper.key, figure.label));
  page.note("Section: " + figure.section + ".");
  add_charts(page, figure, outcomes, looks);
  for (const Result& result : results_of(paper, figure, outcomes))
    page.statement(to_string(result.verdict), sentence(result));
  if (figure.numbers.header.empty()) return;
  page.note("The paper's numbers:");
  std::vector<TextRow> rows;
  for (const std::vector<std::string>& cells : figure.numbers.rows) rows.push_back({cells});
  page.text_table(figure.numbers.header, rows);
}

void add_paper(Page& page, const Paper& paper, const Outcomes& outcomes) {
  page.heading(paper.title);
  page.note(paper.source + ".");
  std::vector<TextRow> designs;
  Looks looks;
  for (const Figure& figure : paper.figures) {
    if (figure.is_design)
      designs.push_back({{figure.label, figure.title, figure.section}});
    else
      add_figure(page, paper, figure, outcomes, looks);
  }
  if (designs.empty()) return;
  page.subheading("Figures without measured values", anchor_of(paper.key, "designs"));
  page.note("These figures show designs, programs and the test bed.");
  page.text_table({"figure", "what it shows", "section"}, designs);
}

void add_runs(Page& page, const Report& report) {
  page.heading("The commands");
  std::vector<TextRow> rows;
  for (const auto& [name, outcome] : report.outcomes)
    rows.push_back({{name, outcome.command, std::to_string(outcome.documents.size()),
                     fmt::format("{:.0f} s", outcome.seconds), outcome.error}});
  page.text_table({"run", "command", "repetitions", "time", "error"}, rows);
}

}  // namespace

std::vector<std::string> failures_of(const Report& report) {
  std::vector<std::string> failures;
  for (const auto& [name, outcome] : report.outcomes)
    if (!outcome.error.empty()) failures.push_back(name + ": " + outcome.error);
  for (const Result& result : all_results(report))
    if (result.verdict == Verdict::not_run)
      failures.push_back(result.paper + ", " + result.figure + ": " + result.reason);
  return failures;
}

std::string time_text(const Report& report) {
  const auto seconds = std::lround(seconds_of(report));
  return fmt::format(
      "The measurements took {} min {} s{}. On two CPUs without other load, all papers should take "
      "less than {} min with --quick, and less than {} min without.",
      seconds / 60, seconds % 60, report.extent == Extent::quick ? " with --quick" : "",
      time_limit(Extent::quick).count(), time_limit(Extent::full).count());
}

std::string to_table(const Report& report) {
  const std::vector<Result> results = all_results(report);
  std::string text = "perigee bench paper: " + report.descriptions.front() + '\n';
  for (const Result& result : results)
    text += fmt::format("{:<13} {}, {}: {}\n", to_string(result.verdict), result.paper,
                        result.figure, sentence(result));
  return text + summary(results) + '\n' + time_text(report) + '\n';
}

std::string to_json(const Report& report) {
  json document = report.origin;
  document["extent"] = report.extent == Extent::quick ? "quick" : "full";
  document["seconds"] = seconds_of(report);
  document["findings"] = json::array();
  for (const Result& result : all_results(report)) document["findings"].push_back(to_json(result));
  for (const Paper& paper : report.papers) document["papers"].push_back(to_json(paper));
  for (const auto& [name, outcome] : report.outcomes) document["runs"][name] = to_json(outcome);
  return document.dump(1) + "\n";
}

std::string to_html(const Report& report) {
  const std::vector<Result> results = all_results(report);
  Page page("The papers' experiments, repeated with Perigee", report.descriptions);
  page.note(summary(results) + ". " + time_text(report));
  page.note(
      "A value is the median of its samples, with its 95 % bootstrap interval in brackets. With "
      "fewer than 6 samples, the brackets have the lowest and the highest sample. A finding is "
      "confirmed if the whole interval lies in the range, and refuted if the whole interval lies "
      "outside. Otherwise it is undecided. Values are ratios, "
      "because rates and times of old machines cannot be compared with those of this machine.");
  for (const std::string& failure : failures_of(report)) page.statement("not run", failure);
  page.heading("Findings");
  add_findings(page, results);
  for (const Paper& paper : report.papers) add_paper(page, paper, report.outcomes);
  add_runs(page, report);
  return page.html();
}

}  // namespace perigee::bench::paper
