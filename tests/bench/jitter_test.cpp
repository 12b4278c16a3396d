// The evaluation of the times of calls by `perigee bench jitter`.
#include "jitter/jitter.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace perigee::bench {
namespace {

// Returns the times of 1,000 calls. In the middle, `long_count` calls take `long_time`. The other
// calls take `usual`.
std::vector<double> calls(double usual, double long_time, std::size_t long_count) {
  std::vector<double> times(1000, usual);
  std::fill_n(times.begin() + 500, long_count, long_time);
  return times;
}

JitterPart summary(const JitterRounds& rounds) {
  JitterPart part{.workload = "void"};
  for (const auto& [system, unused] : rounds) part.systems.push_back(system);
  summarise(part, rounds);
  return part;
}

}  // namespace

TEST_CASE("a percentile is the median of the rounds' percentiles") {
  const JitterPart part =
      summary({{"AMH", {calls(10, 70, 5), calls(12, 90, 5), calls(11, 5000, 5)}}});
  const JitterCell& cell = part.cells.at("AMH");
  REQUIRE(cell.rounds.size() == jitter_percentiles.size());
  CHECK(cell.rounds[0].value == 11);  // p50
  CHECK(cell.rounds[2].value == 11);  // p99: five of a thousand are fewer than 1%
  CHECK(cell.rounds[3].value == 90);  // p99.9
  CHECK(cell.rounds.back().value == 90);
  CHECK(cell.rounds.back().high == 5000);
  CHECK(cell.calls.size() == 3000);
}

TEST_CASE("ratios compare values of the same round") {
  const JitterPart part = summary({{"AMH", {calls(10, 40, 5), calls(100, 400, 5)}},
                                   {"synchronous", {calls(5, 10, 5), calls(50, 100, 5)}}});
  REQUIRE(part.comparisons.size() == 1);
  CHECK(to_text(part.comparisons.front()) == "AMH / synchronous");
  CHECK(part.ratios.front().front().low == 2);
  CHECK(part.ratios.front().front().high == 2);
  CHECK(part.ratios.front().back().value == 4);
}

TEST_CASE("systems are compared where both were measured") {
  CHECK(jitter_comparisons({"AMH unpooled", "synchronous"}).empty());
  const auto compared = jitter_comparisons({"raw", "null", "AMH", "AMH unpooled"});
  REQUIRE(compared.size() == 3);
  CHECK(to_text(compared.back()) == "AMH unpooled / AMH");
}

TEST_CASE("a curve ends where fewer than ten calls took longer") {
  std::vector<double> times;
  for (int time = 1; time <= 1000; ++time) times.push_back(time);
  const auto points = slowest_of(times);
  REQUIRE(points.size() == 6);
  CHECK(points.front() == std::pair<double, double>(2, 500));
  CHECK(points.back() == std::pair<double, double>(100, 990));
  CHECK(slowest_of({1, 2, 3}).empty());
}

}  // namespace perigee::bench
