// The comparison of two reports, with made-up samples.
#include "compare/compare.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <stdexcept>

namespace perigee::bench::compare {
namespace {

using nlohmann::json;

json report_with(const std::vector<double>& samples) {
  return {{"experiment", "ttcp"},
          {"date", "today"},
          {"results", json::array({{{"version", "sock"},
                                    {"buffer_size", 8192},
                                    {"octets_per_s", 5.5},
                                    {"cpu_ratio", {{"value", 1}, {"samples", samples}}}}})}};
}

std::string reason(const json& before, const json& after) {
  try {
    compare_reports(before, after);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

const std::vector<double> six{1.0, 1.01, 0.99, 1.02, 0.98, 1.0};

TEST_CASE("a value is named by the fields on the way to it") {
  const auto samples = samples_of(report_with(six));
  CHECK(samples.size() == 1);  // a number of one repetition has no samples
  CHECK(samples.begin()->first == "results / buffer_size=8192; version=sock / cpu_ratio");
  CHECK(samples.begin()->second == six);
}

TEST_CASE("the repetitions of a run are put together, and give samples of plain numbers") {
  const json paper{{"experiment", "paper"},
                   {"findings", {{{"claim", "c"}, {"ours", {{"samples", six}}}}}},
                   {"runs",
                    {{"layers",
                      {{"seconds", 5},
                       {"reports",
                        {{{"round_trip_ns", 10.5}, {"r", {{"samples", {1, 2}}}}},
                         {{"round_trip_ns", 11.5}, {"r", {{"samples", {3, 4}}}}}}}}}}}};
  const auto samples = samples_of(paper);
  CHECK(samples.size() == 2);
  CHECK(samples.at("layers / round_trip_ns") == std::vector<double>{10.5, 11.5});
  CHECK(samples.at("layers / r") == std::vector<double>{1, 2, 3, 4});
}

TEST_CASE("elements of an array with the same label stay apart") {
  const json report{{"experiment", "x"},
                    {"results",
                     {{{"system", "a"}, {"r", {{"samples", {1}}}}},
                      {{"system", "a"}, {"r", {{"samples", {2}}}}}}}};
  CHECK(samples_of(report).size() == 2);
}

TEST_CASE("the same samples show no change, and larger samples show one") {
  std::vector<double> larger = six;
  for (double& sample : larger) sample *= 1.3;
  CHECK(compare_reports(report_with(six), report_with(six)).changes.at(0).judgement ==
        Judgement::unchanged);
  const Report report = compare_reports(report_with(six), report_with(larger));
  CHECK(report.changes.at(0).judgement == Judgement::larger);
  CHECK(report.changes.at(0).ratio.value == doctest::Approx(1.3));
  CHECK(compare_reports(report_with(larger), report_with(six)).changes.at(0).judgement ==
        Judgement::smaller);
  CHECK(to_table(report, Rows::changed).find("larger") != std::string::npos);
  CHECK(json::parse(to_json(report))["changes"][0]["judgement"] == "larger");
}

TEST_CASE("a small difference in noisy samples is not a change") {
  const std::vector<double> noisy{1.0, 1.4, 0.7, 1.2, 0.9, 1.1, 0.8};
  const std::vector<double> other{1.05, 1.45, 0.75, 1.25, 0.95, 1.15, 0.85};
  CHECK(compare_reports(report_with(noisy), report_with(other)).changes.at(0).judgement ==
        Judgement::unchanged);
}

TEST_CASE("five samples are too few to judge") {
  const Report report = compare_reports(report_with(six), report_with({2, 2, 2, 2, 2}));
  CHECK(report.changes.at(0).judgement == Judgement::too_few_samples);
  CHECK(to_table(report, Rows::all).find("measure more rounds") != std::string::npos);
}

TEST_CASE("the comparison notes another machine and values of one report only") {
  json before = report_with(six);
  json after = report_with(six);
  before["machine"] = "old";
  after["machine"] = "new";
  after["results"][0]["cpu_other"] = {{"samples", six}};
  const Report report = compare_reports(before, after);
  CHECK(report.notes == std::vector<std::string>{"machine: old before, new after"});
  CHECK(report.only_after.size() == 1);
}

TEST_CASE("reports that cannot be compared are errors that say why") {
  json other = report_with(six);
  other["experiment"] = "cubit";
  CHECK(reason(report_with(six), other) ==
        "the first file is a report of ttcp, the second of cubit");
  const json empty{{"experiment", "ttcp"}};
  CHECK(reason(empty, empty).find("no value with samples in common") != std::string::npos);
  json hostile = report_with(six);
  hostile["results"][0]["cpu_ratio"]["samples"] = "many";
  CHECK(reason(hostile, hostile).ends_with("the samples are not an array"));
  hostile["results"][0]["cpu_ratio"]["samples"] = {1, "two"};
  CHECK(reason(hostile, hostile).ends_with("a sample is not a number"));
  hostile["results"][0]["cpu_ratio"]["samples"] = std::vector<double>(100'001, 1.0);
  CHECK(reason(hostile, hostile).ends_with("more than 100000 samples"));
}

TEST_CASE("a median of 0 is not compared") {
  CHECK(reason(report_with({0, 0, 0}), report_with(six)).find("in common") != std::string::npos);
}

}  // namespace
}  // namespace perigee::bench::compare
