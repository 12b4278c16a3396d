// The comparison of the two-way calls of `perigee bench cubit` with its goals.
#include "cubit/cubit.h"

#include "harness/roudi.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace perigee::bench {
namespace {

std::vector<double> goals_of(const std::vector<Claim>& claims, const std::string& what) {
  std::vector<double> goals;
  for (const Claim& claim : claims)
    if (claim.what == what) goals.push_back(claim.goal);
  return goals;
}

}  // namespace

TEST_CASE("asynchronous servants have goals only for calls without parameters that were measured") {
  CubitReport report;
  CHECK(claims_of(report).empty());
  report.comparisons = {{"AMH TCP", "GIOP TCP reactive"}, {"coroutine TCP", "AMH TCP"}};
  report.compared["long"] = {{1.5, 1.5, 1.5}, {1.5, 1.5, 1.5}};
  report.cells["long"]["AMH TCP"].ratio = {1.5, 1.5, 1.5};
  CHECK(claims_of(report).empty());
  report.compared["void"] = {{1.01, 1, 1.02}, {1.07, 1.06, 1.08}};
  report.cells["void"]["AMH TCP"].ratio = {1.13, 1.11, 1.14};
  const std::vector<Claim> claims = claims_of(report);
  REQUIRE(claims.size() == 3);
  CHECK(claims[0].what == "void: AMH TCP / raw TCP");
  CHECK(claims[0].goal == 1.12);
  CHECK(verdict(claims[0]) == Verdict::within_chance);
  CHECK(claims[1].what == "void: AMH TCP / GIOP TCP reactive");
  CHECK(verdict(claims[1]) == Verdict::met);
  CHECK(verdict(claims[2]) == Verdict::missed);
}

TEST_CASE("calls are compared with the ping-pong over the same transport") {
  CubitReport report;
  for (const std::string workload : {"void", "long", "octets4096", "longs4096"})
    for (const std::string system : {"GIOP TCP", "GIOP UNIX", "GIOPlite TCP", "GIOP TCP auto"})
      report.cells[workload][system].ratio = {1.1, 1.1, 1.1};
  const std::vector<Claim> claims = claims_of(report);
  CHECK(claims.size() == 6);
  CHECK(goals_of(claims, "void: GIOP TCP / raw TCP") == std::vector{1.04});
  CHECK(goals_of(claims, "void: GIOP UNIX / raw UNIX") == std::vector{1.02});
  for (const std::string workload : {"octets4096", "longs4096"}) {
    CHECK(goals_of(claims, workload + ": GIOP TCP / raw TCP") == std::vector{1.08});
    CHECK(goals_of(claims, workload + ": GIOP UNIX / raw UNIX") == std::vector{1.12});
  }
}

TEST_CASE("thread strategies are compared with the system that waits in the same way") {
  CubitReport report;
  report.comparisons = {{"GIOP TCP reactive", "raw epoll TCP"}, {"GIOP TCP auto", "GIOP TCP"}};
  report.compared["void"] = {{1.02, 1, 1.04}, {1.01, 1, 1.02}};
  report.compared["octets4096"] = {{1.5, 1.5, 1.5}, {1.5, 1.5, 1.5}};
  const std::vector<Claim> claims = claims_of(report);
  REQUIRE(claims.size() == 2);
  CHECK(goals_of(claims, "void: GIOP TCP reactive / raw epoll TCP") == std::vector{1.03});
  CHECK(goals_of(claims, "void: GIOP TCP auto / GIOP TCP") == std::vector{1.02});
  CHECK(claims[0].measured.value == 1.02);
}

TEST_CASE("calls through shared memory have other goals on two CPUs than on one") {
  CubitReport report;
  Cell& cell = report.cells["void"]["GIOP SHM"];
  cell.ratio = {1.2, 1.1, 1.3};
  cell.median_ns = {900, 800, 1100};
  report.comparisons = {{"GIOP SHM", "GIOP UNIX"}, {"GIOP SHM", "copies SHM"}};
  report.compared["void"] = {{0.6, 0.5, 0.7}, {90, 90, 90}};
  report.compared["borrowed1048576"] = {{0.5, 0.5, 0.5}, {1.2, 1.2, 1.2}};
  const std::vector<Claim> one_cpu = claims_of(report);
  CHECK(one_cpu.size() == 3);
  CHECK(goals_of(one_cpu, "void: GIOP SHM / raw SHM") == std::vector{1.15});
  CHECK(goals_of(one_cpu, "void: GIOP SHM / GIOP UNIX") == std::vector{0.55});
  CHECK(goals_of(one_cpu, "borrowed1048576: GIOP SHM / copies SHM") == std::vector{1.1});
  report.options.split = true;
  const std::vector<Claim> two_cpus = claims_of(report);
  REQUIRE(two_cpus.size() == 3);
  CHECK(two_cpus[0].what == "void: GIOP SHM, p50 in us");
  CHECK(two_cpus[0].goal == 1.0);
  CHECK(two_cpus[0].measured.high == doctest::Approx(1.1));
  CHECK(goals_of(two_cpus, "void: GIOP SHM / raw SHM") == std::vector{4.0});
}

TEST_CASE("a sequence in a shared buffer is compared with a call without parameters") {
  CubitReport report;
  report.cells["void"]["GIOP SHM linked"].median_ns = {1000, 900, 1250};
  CHECK(claims_of(report).empty());
  report.cells["borrowed1048576"]["GIOP SHM linked"].median_ns = {1100, 1000, 1350};
  const std::vector<Claim> claims = claims_of(report);
  REQUIRE(claims.size() == 1);
  CHECK(claims[0].what == "borrowed1048576 / void: GIOP SHM linked");
  CHECK(claims[0].goal == 1.2);
  CHECK(claims[0].measured.value == doctest::Approx(1.1));
  CHECK(claims[0].measured.low == doctest::Approx(0.8));
  CHECK(claims[0].measured.high == doctest::Approx(1.5));
}

TEST_CASE("counted calls through shared memory have goals for system calls and allocations") {
  CubitReport report;
  Cell& cell = report.cells["void"]["GIOP SHM"];
  CHECK(claims_of(report).size() == 1);
  cell.counts = {{2000, 1.0, -0.001}, {2500, 1.004, 0}};
  const std::vector<Claim> one_cpu = claims_of(report);
  REQUIRE(one_cpu.size() == 5);
  CHECK(goals_of(one_cpu, "void: GIOP SHM, system calls of the server") == std::vector{2.0});
  CHECK(goals_of(one_cpu, "void: GIOP SHM, allocations of the client") == std::vector{0.0});
  for (std::size_t index = 1; index < one_cpu.size(); ++index)
    CHECK(verdict(one_cpu[index]) == Verdict::met);
  report.options.split = true;
  CHECK(goals_of(claims_of(report), "void: GIOP SHM, system calls of the client") ==
        std::vector{0.0});
}

TEST_CASE("goals name only systems and workloads that cubit has") {
  const std::vector<System> all = cubit_systems({"omniORB", "iceoryx"}, {});
  for (const std::string& name : goal_systems())
    CHECK(std::ranges::find(all, name, &System::name) != all.end());
  std::vector<std::string> workloads = further_cubit_workloads();
  workloads.insert(workloads.end(), cubit_workloads().begin(), cubit_workloads().end());
  for (const std::string& name : goal_workloads())
    CHECK(std::ranges::find(workloads, name) != workloads.end());
  for (const Comparison& comparison : cubit_comparisons()) {
    CHECK(std::ranges::find(all, comparison.system, &System::name) != all.end());
    CHECK(std::ranges::find(all, comparison.base, &System::name) != all.end());
  }
}

TEST_CASE("a system that was not measured has a row with the reason") {
  CubitReport report;
  report.options.workloads = {"void"};
  report.systems.resize(1);
  report.systems.front().name = "raw SHM";
  report.cells["void"]["raw SHM"].ratio = {1, 1, 1};
  report.absent["iceoryx SHM"] = "RouDi did not start: no memory";
  CHECK(to_table(report).find("  iceoryx SHM             not measured: RouDi did not start: no "
                              "memory\n") != std::string::npos);
  CHECK(to_json(report).find("\"not_measured\"") != std::string::npos);
  CHECK(to_html(report).find("iceoryx SHM was not measured: RouDi did not start: no memory") !=
        std::string::npos);
}

TEST_CASE("RouDi gets memory for large messages, and its errors lose their colours") {
  const std::string text = roudi_configuration({88, 1048664});
  CHECK(text.find("size = 1048920\ncount = 63\n") != std::string::npos);
  CHECK(text.find("size = 344\ncount = 200\n") != std::string::npos);
  CHECK(plain_roudi_line("\033[0;90m2026-11-29 12:45:05.733 [0;1;97;41m[ Fatal ]\033[m: no lock") ==
        "no lock");
}

TEST_CASE("each workload of cubit is explained") {
  CHECK(workload_text("void") == "a call without parameters");
  CHECK(workload_text("octet") == "an octet is sent and returned");
  CHECK(workload_text("struct") == "a struct is sent and returned");
  CHECK(workload_text("octets4096") == "a sequence of 4096 octets is sent and returned");
  CHECK(workload_text("longs4096") ==
        "a sequence of 1024 longs (4096 octets) is sent and returned");
  CHECK(workload_text("structs4096") ==
        "a sequence of 511 structs (4090 octets) is sent and returned");
  CHECK(workload_text("borrowed65536") ==
        "a sequence of 65536 octets is sent from the caller's memory; a number is returned");
}

TEST_CASE("the page of cubit names the paper of its figure, and explains the workloads") {
  CubitReport report;
  report.options.workloads = {"octets4096"};
  report.systems.resize(1);
  report.systems.front().name = "GIOP TCP";
  report.cells["octets4096"]["GIOP TCP"] = {.ratio = {1.1, 1.1, 1.1}, .p50_ns = 5000};
  const std::string html = to_html(report);
  const std::string title = "octets4096: a sequence of 4096 octets is sent and returned";
  CHECK(html.find("figure 16 of the paper &quot;Applying Patterns") != std::string::npos);
  CHECK(html.find("<h2>" + title + "</h2>") != std::string::npos);
  CHECK(html.find("two-way calls per second (larger is better)") != std::string::npos);
  CHECK(to_picture(report).find(">" + title) != std::string::npos);
}

}  // namespace perigee::bench
