// The evaluation of the rounds of `perigee bench ami`.
#include "ami/ami.h"

#include <doctest/doctest.h>

namespace perigee::bench {
namespace {

AmiCells cells() {
  return summarise(
      {{"synchronous", {{1, {{10'000, 9000}, {20'000, 19'000}}}}},
       {"callbacks", {{1, {{9000, 8000}, {18'000, 17'000}}}, {64, {{1000, 900}, {4000, 1900}}}}},
       {"deferred", {{64, {{1000, 900}, {2000, 1900}}}}}});
}

AmiPart part(const std::string& server, std::size_t cpus) { return {server, cpus, cells()}; }

}  // namespace

TEST_CASE("rates are compared with synchronous calls of the same round") {
  const AmiCells measured = cells();
  const AmiCell& cell = measured.at("callbacks").at(64);
  CHECK(cell.ratio.low == 5);
  CHECK(cell.ratio.high == 10);
  CHECK(cell.rate.low == doctest::Approx(250'000));
  CHECK(cell.rate.high == doctest::Approx(1'000'000));
  CHECK(cell.cpu_ns == 1400);
  CHECK(measured.at("synchronous").at(1).ratio.value == 1);
}

TEST_CASE("rates are compared with one call in flight, if it was measured") {
  const AmiCells measured = cells();
  const AmiCell& cell = measured.at("callbacks").at(64);
  REQUIRE(cell.gain.has_value());
  CHECK(cell.gain->low == 4.5);
  CHECK(cell.gain->high == 9);
  CHECK_FALSE(measured.at("deferred").at(64).gain.has_value());
}

TEST_CASE("a default server has goals for the gain by calls in flight, on one CPU and on two") {
  AmiReport report;
  report.parts = {part("auto", 1), part("auto", 2), part("reactive", 2)};
  const std::vector<Claim> claims = claims_of(report);
  REQUIRE(claims.size() == 3);
  CHECK(claims[0].what == "auto, 64 in flight: callbacks / synchronous");
  CHECK(claims[1].what == "auto, one CPU: callbacks, 64 in flight / one");
  CHECK(claims[2].what == "auto, two CPUs: callbacks, 64 in flight / one");
  CHECK(claims[2].goal == 5);
  CHECK(claims[2].bound == Bound::at_least);
  CHECK(claims[2].measured.value == 6.75);
}

TEST_CASE("a reactive server and omniORB have goals on one CPU only") {
  AmiReport report;
  report.parts = {part("reactive", 2)};
  CHECK(claims_of(report).empty());
  report.parts = {part("reactive", 1), part("omniORB", 1)};
  const std::vector<Claim> claims = claims_of(report);
  REQUIRE(claims.size() == 2);
  CHECK(claims[0].what == "reactive, 64 in flight: callbacks / synchronous");
  CHECK(claims[0].goal == 5);
  CHECK(claims[0].measured.value == 7.5);
  CHECK(claims[1].goal == 1.5);
}

}  // namespace perigee::bench
