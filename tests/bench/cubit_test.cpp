// What the goals of asynchronous servants make of `perigee bench cubit`.
#include "cubit/cubit.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace perigee::bench {

TEST_CASE("goals of asynchronous servants are about calls without parameters that were measured") {
  CubitReport report;
  CHECK(claims_of(report).empty());
  report.comparisons = {{"AMH TCP", "GIOP TCP reactive"}, {"coroutine TCP", "AMH TCP"}};
  report.compared["long"] = {{1.5, 1.5, 1.5}, {1.5, 1.5, 1.5}};
  report.cells["long"]["AMH TCP"].ratio = {1.5, 1.5, 1.5};
  CHECK(claims_of(report).empty());
  report.compared["void"] = {{1.01, 1, 1.02}, {1.07, 1.06, 1.08}};
  report.cells["void"]["AMH TCP"].ratio = {1.21, 1.19, 1.22};
  const std::vector<Claim> claims = claims_of(report);
  REQUIRE(claims.size() == 3);
  CHECK(claims[0].what == "void: AMH TCP / GIOP TCP reactive");
  CHECK(verdict(claims[0]) == Verdict::met);
  CHECK(verdict(claims[1]) == Verdict::missed);
  CHECK(claims[2].goal == 1.2);
  CHECK(verdict(claims[2]) == Verdict::within_chance);
}

TEST_CASE("the systems that goals are about are systems of cubit") {
  const std::vector<System> all = cubit_systems({}, {});
  for (const std::string& name : goal_systems())
    CHECK(std::ranges::find(all, name, &System::name) != all.end());
}

}  // namespace perigee::bench
