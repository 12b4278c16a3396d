// The comparison of the measurements of `perigee bench middletier` with its goals.
#include "middletier/middletier.h"

#include "middletier/goals.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace perigee::bench {
namespace {

constexpr Point many{10'000, 40};
constexpr Point busy{300, 11};
constexpr Point one_cpu{150, 0, 1, false, 100'000};
constexpr Point two_cpus{150, 0, 2, false, 100'000};

MiddletierSample sample(double rate, std::size_t lost = 0) {
  MiddletierSample made;
  made.rate = rate;
  made.cpu_us = 10;
  made.busy = 0.9;
  made.others_busy = 0.1;
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
  REQUIRE(points.size() == 3);
  CHECK(points[0].models == std::vector<std::string>{"TPR-ST"});
  CHECK(points[1].point == one_cpu);
  CHECK(points[1].models == std::vector<std::string>{"raw-2"});
  CHECK(points[2].models == std::vector<std::string>{"raw-2"});
  CHECK_THROWS_WITH(goal_points({"TPC"}), "middletier: no goal is about these models");
}

TEST_CASE("points with their own models are added to the points with all chosen models") {
  MiddletierOptions options;
  options.models = {"raw", "AMH-ST"};
  options.points = {{busy, {"raw"}}};
  options.clients = {300};
  options.delays = {};
  options.bursts = {};
  const std::vector<PointModels> points = chosen_points(options);
  REQUIRE(points.size() == 2);
  CHECK(points[0].point == busy);
  CHECK(points[0].models == std::vector<std::string>{"raw"});
  CHECK(points[1].point == Point{300, 40});
  CHECK(points[1].models == options.models);
}

TEST_CASE("a gain that was measured beside other processes says so") {
  const char* const what =
      "150 clients, no delay: AMH-2 on two CPUs / AMH-2 on one, as raw-2 / raw";
  MiddletierReport report = goal_report();
  const auto note = [&] { return find_claim(claims_of(report), what)->note; };
  CHECK(note().empty());
  report.cells[one_cpu]["raw"].samples.front().foreign_busy = 1.2;
  CHECK(note() == "other processes used up to 120 % of a CPU: repeat on a machine without load");
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
  REQUIRE(claims.size() == 6);
  CHECK(claims[0].what == what + "AMH-2 on one, as raw-2 / raw");
  CHECK(claims[0].measured.value == doctest::Approx(1));
  CHECK(claims[1].what == what + "AMH-2 on one, CPU per reply");
  CHECK(claims[2].what == what + "AMH-ST on one, as raw-2 / raw");
  CHECK(claims[2].measured.value == doctest::Approx(0.8));
  CHECK(verdict(claims[2]) == Verdict::missed);
  CHECK(claims[3].what == what + "AMH-ST on one, CPU per reply");
  CHECK(claims[4].what == "150 clients, no delay, one CPU, raw: middle tier's share of CPU time");
  CHECK(claims[4].measured.value == doctest::Approx(0.9));
}

TEST_CASE("a model is also compared with a C program that has two loops on one CPU") {
  MiddletierReport report;
  report.cells[one_cpu]["raw-2"].samples = {sample(100)};
  report.cells[two_cpus]["raw-2"].samples = {sample(200)};
  report.cells[one_cpu]["AMH-2"].samples = {sample(100)};
  report.cells[two_cpus]["AMH-2"].samples = {sample(180)};
  const std::vector<Claim> claims = claims_of(report);
  REQUIRE(claims.size() == 2);
  CHECK(claims[0].what ==
        "150 clients, no delay: AMH-2 on two CPUs / AMH-2 on one, as raw-2 / raw-2");
  CHECK(claims[0].measured.value == doctest::Approx(0.9));
}

TEST_CASE("a crossover begins where the model stays clearly faster") {
  MiddletierReport report;
  const auto measured = [&report](std::size_t clients, double rate, double base_rate) {
    report.cells[{clients, 40}]["AMH-ST"].samples = {sample(rate)};
    report.cells[{clients, 40}]["TPC"].samples = {sample(base_rate)};
  };
  measured(50, 1250, 1000);  // an exception: at 100 clients, both are equally fast
  measured(100, 2500, 2500);
  measured(150, 3000, 2500);
  measured(250, 4000, 2000);
  const std::vector<Crossover> crossovers = crossovers_of(report);
  REQUIRE(!crossovers.empty());
  CHECK(crossovers[0].load == Load::clients);
  CHECK(crossovers[0].at == 150);
  CHECK(to_text(crossovers[0]).find("from 150 clients on; at 250 clients it is 2.00 times") !=
        std::string::npos);
}

TEST_CASE("a crossover that does not appear has the highest load and the reason") {
  MiddletierReport report;
  report.cells[{1000, 40}]["AMH-ST"].samples = {sample(24'800)};
  report.cells[{1000, 40}]["TPC"].samples = {sample(24'500)};
  report.cells[{1000, 40}]["TPC"].samples[0].busy = 0.62;
  report.cells[{2000, 40, 0, true}] = report.cells[{1000, 40}];
  const std::vector<Crossover> crossovers = crossovers_of(report);
  REQUIRE(crossovers.size() == 2);
  CHECK(crossovers[1].load == Load::bursts);
  CHECK(crossovers[1].highest == 2000);
  CHECK(crossovers[0].at == 0);
  CHECK(crossovers[0].highest == 1000);
  const std::string text = to_text(crossovers[0]);
  CHECK(text.find("not up to 1000 clients") != std::string::npos);
  CHECK(text.find("TPC uses 62 % of its CPU, and has 98 % of the ideal rate") != std::string::npos);
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
