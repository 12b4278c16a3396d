// What the goals of `perigee bench middletier` make of measurements.
#include "middletier/goals.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace perigee::bench {
namespace {

constexpr Point many{10'000, 40};
constexpr Point busy{300, 11};

MiddletierSample sample(double rate, std::size_t lost = 0) {
  MiddletierSample made;
  made.rate = rate;
  made.source.p50_ms = made.source.p99_ms = 1;
  made.source.lost = lost;
  return made;
}

}  // namespace

TEST_CASE("a middle tier that failed has missed its goals") {
  MiddletierReport report;
  report.cells[busy]["AMH-ST"] = {{sample(27'000)}, "it has ended"};
  const std::vector<Claim> claims = claims_of(report);
  REQUIRE(claims.size() == 1);
  CHECK(verdict(claims.front()) == Verdict::missed);
  CHECK(to_table(claims).find("it has ended") != std::string::npos);
}

TEST_CASE("what was lost in one round is not forgotten over the others") {
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
