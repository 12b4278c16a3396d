// The definitions of the papers' figures, the rules of the verdicts, and the report, with made-up
// values.
#include "paper/paper.h"

#include "made_report.h"
#include "paper/looks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <stdexcept>

namespace perigee::bench::paper {
namespace {

Estimate samples(const std::vector<double>& values) { return median_with_interval(values); }

std::set<std::string> labels_of(const Paper& paper) {
  std::set<std::string> labels;
  for (const Figure& figure : paper.figures) labels.insert(figure.label);
  return labels;
}

std::set<std::string> numbered(const std::string& kind, int count) {
  std::set<std::string> labels;
  for (int number = 1; number <= count; ++number)
    labels.insert(kind + ' ' + std::to_string(number));
  return labels;
}

bool contains_all(const std::set<std::string>& labels, const std::set<std::string>& expected) {
  return std::ranges::includes(labels, expected);
}

Report made_report(std::vector<Paper> papers) {
  Report report{.papers = std::move(papers)};
  report.outcomes = made_outcomes(report.papers);
  report.descriptions = {"a machine", "a run"};
  report.origin = {{"experiment", "paper"}};
  return report;
}

TEST_CASE("every figure and table of the papers is listed") {
  CHECK(contains_all(labels_of(protocols()), numbered("Figure", 19)));
  CHECK(contains_all(labels_of(protocols()), numbered("Table", 2)));
  CHECK(contains_all(labels_of(amh()), numbered("Figure", 11)));
  CHECK(contains_all(labels_of(sockspeed()), numbered("Figure", 2)));
  CHECK(contains_all(labels_of(ipc_sap()), numbered("Figure", 4)));
  CHECK(labels_of(ipc_sap()).contains("Tables 1 and 2"));
}

TEST_CASE("each figure has a section and findings, or the reason why it has none") {
  for (const Paper& paper : all_papers())
    for (const Figure& figure : paper.figures) {
      CAPTURE(paper.key + ' ' + figure.label);
      CHECK_FALSE(figure.section.empty());
      CHECK_FALSE(figure.title.empty());
      CHECK(figure.findings.empty() == !figure.reason.empty());
      CHECK(labels_of(paper).size() == paper.figures.size());
    }
}

TEST_CASE("a chart has at most six curves, and its points are in the order of x") {
  for (const Paper& paper : all_papers())
    for (const Figure& figure : paper.figures)
      for (const LineFigure& lines : figure.lines) {
        CAPTURE(paper.key + ' ' + figure.label);
        CHECK(lines.curves.size() + lines.paper.size() <= lines_max);
        CHECK(std::ranges::is_sorted(lines.xs));
      }
}

TEST_CASE("the series of a chart have different colours") {
  for (const Paper& paper : all_papers()) {
    const Outcomes outcomes = made_outcomes({paper});
    Looks looks;
    for (const Figure& figure : paper.figures)
      for (const LineFigure& lines : figure.lines) {
        CAPTURE(paper.key + ' ' + figure.label);
        LineChart chart = chart_of(lines, outcomes);
        looks.give(chart);
        std::set<std::size_t> colours;
        for (const ChartSeries& series : chart.series) colours.insert(series.look % dashed_look);
        CHECK(colours.size() == chart.series.size());
      }
  }
}

TEST_CASE("a series has the same look in all charts, and the paper's series are dashed") {
  LineChart first{.series = {{"C", {}}, {"wrapper", {}}, {"paper: C", {}}}};
  LineChart second{.series = {{"wrapper", {}}, {"string", {}}, {"paper: C", {}}}};
  Looks looks;
  looks.give(first);
  looks.give(second);
  CHECK(second.series[0].look == first.series[1].look);
  CHECK(second.series[2].look == first.series[2].look);
  CHECK(first.series[1].look < dashed_look);
  CHECK(first.series[2].look >= dashed_look);
}

TEST_CASE("the expected times are below the limits") {
  for (const Extent extent : {Extent::quick, Extent::full})
    CHECK(expected_time(all_papers(), extent) < time_limit(extent));
}

TEST_CASE("each value belongs to a run of its paper, and the names of runs are unique") {
  std::set<std::string> names;
  for (const Paper& paper : all_papers()) {
    std::set<std::string> own;
    for (const Run& run : paper.runs) {
      CHECK(names.insert(run.name).second);
      own.insert(run.name);
    }
    for (const Value& value : values_of(paper)) CHECK(own.contains(value.run));
  }
}

TEST_CASE("a report with the fields that the definitions name tests every finding") {
  for (const Paper& paper : all_papers()) {
    const Outcomes outcomes = made_outcomes({paper});
    for (const Figure& figure : paper.figures)
      for (const Result& result : results_of(paper, figure, outcomes)) {
        CAPTURE(sentence(result));
        CHECK(result.verdict != Verdict::not_run);
      }
  }
}

TEST_CASE("a finding is confirmed if the whole interval lies in the range") {
  CHECK(verdict(samples({1.01, 1.02, 1.0, 0.99, 1.0, 1.01}), between(0.95, 1.05)) ==
        Verdict::confirmed);
  CHECK(verdict(samples({1.2, 1.21, 1.3, 1.25, 1.22, 1.21}), between(0.95, 1.05)) ==
        Verdict::refuted);
  CHECK(verdict(samples({0.5, 0.6, 0.55}), at_most(0.7)) == Verdict::confirmed);
  CHECK(verdict(samples({0.5, 0.6, 0.55}), at_least(0.7)) == Verdict::refuted);
}

TEST_CASE("an interval that contains an end of the range decides nothing") {
  CHECK(verdict(samples({0.9, 1.1, 1.0}), at_most(1.05)) == Verdict::undecided);
  CHECK(verdict(samples({1.0, 1.0}), at_most(1.05)) == Verdict::undecided);  // too few
}

TEST_CASE("values with samples are divided round by round") {
  Outcomes outcomes;
  outcomes["run"].documents = {
      {{"a", {{"samples", {2.0, 6.0}}}}, {"b", {{"samples", {1.0, 2.0}}}}, {"c", 4}},
      {{"a", {{"samples", {8.0, 10.0}}}}, {"b", {{"samples", {2.0, 2.0}}}}, {"c", 2}}};
  CHECK(measure({"run", "a", {"b"}}, outcomes).samples == std::vector<double>{2, 3, 4, 5});
  CHECK(measure({"run", "c"}, outcomes).samples == std::vector<double>{4, 2});
  CHECK(measure({"run", "a", {"c"}, {"b"}}, outcomes).samples ==
        std::vector<double>{0.5, 3, 8, 10});
}

TEST_CASE("a missing value, a failed run and a division by 0 are reasons not to judge") {
  Outcomes outcomes;
  outcomes["run"].documents = {{{"a", 1}, {"zero", 0}, {"text", "x"}}};
  outcomes["failed"].error = "no program whitebox_probed";
  const auto reason = [&outcomes](const Value& value) {
    try {
      measure(value, outcomes);
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(reason({"run", "b"}) == "the report has no value at b");
  CHECK(reason({"run", "text"}) == "the report has no number at text");
  CHECK(reason({"run", "a", {"zero"}}) == "a value is divided by 0");
  CHECK(reason({"failed", "a"}) == "no program whitebox_probed");
  CHECK(reason({"other", "a"}) ==
        "the report has no entry for this experiment; repeat `perigee bench paper` for this paper");
}

TEST_CASE("an array of numbers is read as samples") {
  Outcomes outcomes;
  outcomes["run"].documents = {
      {{"a", {2.0, 9.0}}, {"b", {1.0, 3.0}}, {"empty", nlohmann::json::array()}}};
  CHECK(measure({"run", "a", {"b"}}, outcomes).samples == std::vector<double>{2, 3});
  CHECK_THROWS_WITH(measure({"run", "empty"}, outcomes), "the report has no samples at empty");
}

TEST_CASE("a run whose report has the reason for a missing value makes a finding not testable") {
  Report report = made_report({ipc_sap()});
  const std::string reason = "unshare: unshare failed: Operation not permitted";
  for (nlohmann::json& document : report.outcomes.at("slow links").documents)
    for (nlohmann::json& link : document["links"])
      if (link["mbit_per_s"] == 10) link["not_run"] = reason;
  CHECK(failures_of(report).empty());
  CHECK(to_table(report).find("Not testable: " + reason) != std::string::npos);
  for (const Figure& figure : report.papers.front().figures)
    if (figure.label == "Text: slow networks") {
      const auto results = results_of(report.papers.front(), figure, report.outcomes);
      CHECK(results[0].verdict == Verdict::not_testable);
      CHECK(results[1].verdict != Verdict::not_testable);
      CHECK(chart_of(figure.lines.front(), report.outcomes).series.front().points.size() == 3);
    }
}

TEST_CASE("a chart without measured points does not show the paper's points alone") {
  const LineFigure figure{
      .axes = {}, .xs = {1}, .curves = {{"C", {"run", "a"}}}, .paper = {{"paper: C", {{1, 1}}}}};
  CHECK(chart_of(figure, {}).series.empty());
}

TEST_CASE("a bar shows a very small share as less than 0.01 %") {
  Outcomes outcomes;
  outcomes["run"].documents = {{{"small", 4e-7}, {"none", 0}, {"share", 0.0123}}};
  const BarFigure figure{.axes = {},
                         .text = BarText::percent,
                         .bars = {{"group", "a", {"run", "small"}},
                                  {"group", "b", {"run", "none"}},
                                  {"group", "c", {"run", "share"}}}};
  const BarChart chart = chart_of(figure, outcomes);
  CHECK(chart.bars[0].text == "< 0.01 %");
  CHECK(chart.bars[1].text == "0 %");
  CHECK(chart.bars[2].text == "1.23 %");
}

TEST_CASE("the report ends with the time of all runs and the limits") {
  Report report = made_report({protocols()});
  report.outcomes.begin()->second.seconds = 125;
  CHECK(
      to_table(report).ends_with("The measurements took 2 min 5 s. On two CPUs without other load, "
                                 "all papers should take less "
                                 "than 5 min with --quick, and less than 60 min without.\n"));
}

TEST_CASE("a list without a matching element has the sum 0") {
  Outcomes outcomes;
  outcomes["run"].documents = {
      nlohmann::json::parse(R"({"f": [{"o": "kernel", "p": 60}, {"o": "kernel", "p": 30}]})")};
  CHECK(measure({"run", "f|o!=kernel|p", {"f|*|p"}}, outcomes).value == 0);
  CHECK(measure({"run", "f|o=kernel|p"}, outcomes).value == 90);
}

TEST_CASE("a sentence names the paper's statement, the value and the verdict") {
  Result result{.claim = "wrappers cost nothing",
                .measured = "the wrapper's CPU time ÷ that of C",
                .range = between(0.95, 1.05),
                .value = samples({1.0, 0.99, 1.02}),
                .verdict = Verdict::confirmed};
  CHECK(sentence(result) ==
        "The paper: wrappers cost nothing. Here: the wrapper's CPU time ÷ that of C is 1.00 "
        "[0.990, 1.02]: confirmed (confirmed if 0.95 to 1.05).");
  result.verdict = Verdict::not_run;
  result.reason = "it ended with status 1";
  CHECK(sentence(result) == "The paper: wrappers cost nothing. Not run: it ended with status 1.");
}

TEST_CASE("a failed run is reported, and the other findings keep their verdicts") {
  Report report = made_report({protocols()});
  CHECK(failures_of(report).empty());
  report.outcomes["layers"] = {.command = "perigee bench whitebox", .error = "no program"};
  CHECK(failures_of(report).front() == "layers: no program");
  const std::string page = to_html(report);
  CHECK(page.find("Not run: no program.") != std::string::npos);
  CHECK(to_table(report).find("Figure 16") != std::string::npos);
}

TEST_CASE("a report can be made again from its JSON") {
  const Report report = made_report(all_papers());
  const Report again = read_papers(all_papers(), nlohmann::json::parse(to_json(report)));
  CHECK(to_table(again).substr(to_table(again).find('\n')) ==
        to_table(report).substr(to_table(report).find('\n')));
}

TEST_CASE("a document that is not a report of papers is refused") {
  const auto reason = [](const char* text) {
    try {
      read_papers(all_papers(), nlohmann::json::parse(text));
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(reason(R"({"experiment": "ttcp"})") == "not a report of perigee bench paper");
  CHECK(reason(R"({"experiment": "paper"})") == "the report has no runs");
  CHECK(reason(R"({"experiment": "paper", "runs": []})") == "the report has no runs");
  CHECK(reason(R"({"experiment": "paper", "runs": {"calls": 1}})") ==
        "the run \"calls\" is not an object");
  CHECK(reason(R"({"experiment": "paper", "runs": {"calls": {"reports": 1}}})") ==
        "the run \"calls\" has no reports");
}

// The test of the page in a browser starts this test alone, and names the file.
TEST_CASE("the page of all papers has each figure, a table of findings and no external file") {
  const std::string page = to_html(made_report(all_papers()));
  for (const char* text : {"Findings", "Figure 16", "Table 2", "Figure 10", "High-cost functions"})
    CHECK(page.find(text) != std::string::npos);
  for (const char* text : {"http://", "https://", "<script", "<link", "@import", "url("})
    CHECK(page.find(text) == std::string::npos);
  if (const char* file = std::getenv("PERIGEE_PAGE")) std::ofstream(file) << page;
}

}  // namespace
}  // namespace perigee::bench::paper
