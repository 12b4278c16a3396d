// The comparison of the measurements of `perigee bench connections` with its goals.
#include "connections/connections.h"

#include <doctest/doctest.h>

namespace perigee::bench {
namespace {

ConnectionsReport report_of(std::size_t connections, std::size_t threads) {
  ConnectionsReport report;
  report.options.connections = connections;
  report.cpus = 2;
  report.rows.resize(2);
  report.rows[0].system = "perigee tpc";
  report.rows[0].threads = connections;
  report.rows[1].system = "perigee auto";
  report.rows[1].threads = threads;
  report.compared = {{{"perigee auto", "raw, a thread each"}, {0.9, 0.8, 1.1}}};
  return report;
}

}  // namespace

TEST_CASE("few connections have no goal") { CHECK(claims_of(report_of(255, 100)).empty()); }

TEST_CASE("auto is compared with a thread for each connection, and its threads are limited") {
  const std::vector<Claim> claims = claims_of(report_of(256, 9));
  REQUIRE(claims.size() == 2);
  CHECK(claims[0].what == "256 connections: perigee auto / raw, a thread each, CPU");
  CHECK(claims[0].goal == 1);
  CHECK(claims[0].measured.value == 0.9);
  CHECK(claims[1].what == "256 connections: perigee auto, threads");
  CHECK(claims[1].goal == 9);
  CHECK(verdict(claims[1]) == Verdict::met);
  CHECK(verdict(claims_of(report_of(256, 10)).at(1)) == Verdict::missed);
}

}  // namespace perigee::bench
