// How `perigee bench middletier` compares measurements with its goals.
#include "middletier/goals.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace perigee::bench {
namespace {

constexpr Point many{10'000, 40};
constexpr Point busy{300, 11};
constexpr Point one_cpu{150, 0, 1};
constexpr Point two_cpus{150, 0, 2};

MiddletierSample sample(double rate, std::size_t lost = 0) {
  MiddletierSample made;
  made.rate = rate;
  made.cpu_us = 10;
  made.source.p50_ms = made.source.p99_ms = 1;
  made.source.lost = lost;
  return made;
}

/// All measurements that --goals makes.
MiddletierReport goal_report() {
  MiddletierReport report;
  for (const auto& [point, models] : goal_points(goal_models()))
    for (const std::string& model : models) report.cells[point][model].samples = {sample(1000)};
  return report;
}

const Claim* find_claim(const std::vector<Claim>& claims, const std::string& what) {
  const auto found = std::ranges::find(claims, what, &Claim::what);
  return found == claims.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("each model is measured only at points where a goal needs it") {
  const std::string all = to_table(claims_of(goal_report()));
  for (const auto& [point, models] : goal_points(goal_models()))
    for (const std::string& model : models) {
      CAPTURE(to_text(point));
      CAPTURE(model);
      MiddletierReport report = goal_report();
      report.cells[point].erase(model);
      CHECK(to_table(claims_of(report)) != all);
    }
}

TEST_CASE("goals are measured with the chosen models only") {
  const std::vector<PointModels> points = goal_points({"raw-2", "TPR-ST", "pigeons"});
  REQUIRE(points.size() == 2);
  CHECK(points[0].models == std::vector<std::string>{"TPR-ST"});
  CHECK(points[1].models == std::vector<std::string>{"raw-2"});
  CHECK_THROWS_WITH(goal_points({"TPC"}), "middletier: no goal is about these models");
}

TEST_CASE("points with their own models are added to the points with all chosen models") {
  MiddletierOptions options;
  options.models = {"raw", "AMH-ST"};
  options.points = {{busy, {"raw"}}};
  options.clients = {300};
  options.delays = {};
  const std::vector<PointModels> points = chosen_points(options);
  REQUIRE(points.size() == 2);
  CHECK(points[0].point == busy);
  CHECK(points[0].models == std::vector<std::string>{"raw"});
  CHECK(points[1].point == Point{300, 40});
  CHECK(points[1].models == options.models);
}

TEST_CASE("a rate compared with the ideal rate also shows the rate of the C program") {
  MiddletierReport report;
  report.cells[busy]["AMH-ST"].samples = {sample(26'000)};
  report.cells[busy]["raw"].samples = {sample(26'500)};
  const std::vector<Claim> claims = claims_of(report);
  const Claim* claim = find_claim(claims, "300 clients, 11 ms, AMH-ST: rate / ideal");
  REQUIRE(claim != nullptr);
  CHECK(claim->goal == 0.95);
  CHECK(claim->measured.value == doctest::Approx(0.9533).epsilon(0.001));
  CHECK(claim->note == "raw reaches 0.972");
  CHECK(to_table(claims).find("met; raw reaches 0.972") != std::string::npos);
}

TEST_CASE("the goal for many clients is nearly the rate of the C program") {
  MiddletierReport report;
  report.cells[many]["AMH-ST"].samples = {sample(96)};
  report.cells[many]["raw"].samples = {sample(100)};
  const std::vector<Claim> claims = claims_of(report);
  const Claim* claim = find_claim(claims, "10,000 clients, 40 ms: AMH-ST rate / raw rate");
  REQUIRE(claim != nullptr);
  CHECK(claim->goal == 0.95);
  CHECK(claim->measured.value == doctest::Approx(0.96));
}

TEST_CASE("the gain of a second CPU is compared with one CPU, and with one loop") {
  MiddletierReport report;
  report.cells[one_cpu]["raw"].samples = {sample(100)};
  report.cells[two_cpus]["raw-2"].samples = {sample(200)};
  report.cells[one_cpu]["AMH-2"].samples = {sample(80)};
  report.cells[one_cpu]["AMH-ST"].samples = {sample(100)};
  report.cells[two_cpus]["AMH-2"].samples = {sample(160)};
  const std::vector<Claim> claims = claims_of(report);
  const std::string what = "150 clients, no delay: AMH-2 on two CPUs / ";
  REQUIRE(claims.size() == 4);
  CHECK(claims[0].what == what + "AMH-2 on one, as raw-2 / raw");
  CHECK(claims[0].measured.value == doctest::Approx(1));
  CHECK(claims[1].what == what + "AMH-2 on one, CPU per reply");
  CHECK(claims[2].what == what + "AMH-ST on one, as raw-2 / raw");
  CHECK(claims[2].measured.value == doctest::Approx(0.8));
  CHECK(verdict(claims[2]) == Verdict::missed);
  CHECK(claims[3].what == what + "AMH-ST on one, CPU per reply");
}

TEST_CASE("a middle tier that failed has missed its goals") {
  MiddletierReport report;
  report.cells[busy]["AMH-ST"] = {{sample(27'000)}, "it has ended"};
  const std::vector<Claim> claims = claims_of(report);
  REQUIRE(claims.size() == 1);
  CHECK(verdict(claims.front()) == Verdict::missed);
  CHECK(to_table(claims).find("it has ended") != std::string::npos);
}

TEST_CASE("losses in a single round count against the goal") {
  MiddletierReport report;
  report.cells[many]["AMH-ST"].samples = {sample(1), sample(1), sample(1, 57), sample(1)};
  const std::vector<Claim> claims = claims_of(report);
  const auto lost = std::ranges::find(claims, "10,000 clients, AMH-ST: failed, lost, stalled, idle",
                                      &Claim::what);
  REQUIRE(lost != claims.end());
  CHECK(lost->measured.value == 57);
  CHECK(verdict(*lost) == Verdict::missed);
}

}  // namespace perigee::bench
