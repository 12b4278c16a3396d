// The comparison of the measurements of `perigee bench protocols` with its goals.
#include "protocols/protocols.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace perigee::bench {
namespace {

Claim claim(Bound bound, Estimate measured) { return {"something", bound, 1.05, measured}; }

CubitReport cubit_report() {
  CubitReport report;
  report.options.workloads = {"void"};
  report.comparisons = {{"raw UNIX", "raw TCP"}, {"GIOP UNIX", "GIOP TCP"}};
  report.compared["void"] = {{0.8, 0.7, 0.9}, {0.81, 0.7, 0.9}};
  report.cells["void"]["GIOP TCP"].ratio = {1.04, 1.03, 1.06};
  return report;
}

}  // namespace

TEST_CASE("a goal is met, or missed within the noise, or missed") {
  CHECK(verdict(claim(Bound::at_most, {1.05, 1.04, 1.20})) == Verdict::met);
  CHECK(verdict(claim(Bound::at_most, {1.06, 1.04, 1.20})) == Verdict::within_chance);
  CHECK(verdict(claim(Bound::at_most, {1.10, 1.06, 1.20})) == Verdict::missed);
  CHECK(verdict(claim(Bound::at_least, {1.05, 1.00, 1.10})) == Verdict::met);
  CHECK(verdict(claim(Bound::at_least, {1.00, 0.90, 1.06})) == Verdict::within_chance);
  CHECK(verdict(claim(Bound::at_least, {1.00, 0.90, 1.04})) == Verdict::missed);
}

TEST_CASE("only measured values have goals") {
  CHECK(claims_of({}, {}).empty());
  const std::vector<Claim> claims = claims_of(cubit_report(), {});
  REQUIRE(claims.size() == 2);
  CHECK(claims[0].what == "void: GIOP TCP / raw TCP");
  CHECK(claims[0].goal == 1.04);
  CHECK(claims[0].measured.value == 1.04);
}

TEST_CASE("the lead of one transport over another is compared with the lead of bare sockets") {
  const std::vector<Claim> claims = claims_of(cubit_report(), {});
  const auto found = std::ranges::find_if(
      claims, [](const Claim& each) { return each.what.starts_with("void: GIOP UNIX"); });
  REQUIRE(found != claims.end());
  CHECK(found->goal == doctest::Approx(0.84));
  CHECK(found->measured.value == 0.81);
}

TEST_CASE("oneways have two goals: compared with unbuffered oneways, and with sockets") {
  TtcpReport report;
  TtcpTable& table = report.tables.emplace_back();
  table.cells[1024]["ORB octets buffered"].throughput_ratio = {1.5, 1.4, 1.6};
  table.compared[4] = {{{"ORB octets buffered", "ORB octets"}, {8, 7, 9}, {}},
                       {{"ORB octets", "omniORB octets"}, {2, 2, 2}, {}}};          // no goal
  table.compared[1024] = {{{"ORB octets buffered", "ORB octets"}, {2, 2, 2}, {}}};  // no goal
  const std::vector<Claim> claims = claims_of({}, report);
  REQUIRE(claims.size() == 2);
  CHECK(claims[0].goal == 6);
  CHECK(claims[0].measured.value == 8);
  CHECK(claims[1].goal == 1);
  CHECK(claims[1].measured.value == 1.5);
}

}  // namespace perigee::bench
