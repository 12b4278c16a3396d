// The comparison of the measurements of `perigee bench tls` with its goals.
#include "tls/tls.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace perigee::bench {
namespace {

TlsRatio ratio(double time, double cpu) { return {{time, time, time}, {cpu, cpu, cpu}}; }

TlsPart part_of(const std::string& workload, const TlsRatio& to_floor, const TlsRatio& to_omniorb) {
  TlsPart part{.workload = workload};
  part.cells["C TLS"] = {};
  part.cells["Perigee"] = {.to_floor = to_floor, .to_omniorb = to_omniorb};
  part.cells["omniORB"] = {};
  return part;
}

std::vector<Claim> claims_of_part(const TlsPart& part) {
  TlsReport report;
  report.parts = {part};
  return claims_of(report);
}

std::vector<std::string> names_of(const TlsBenchOptions& options, const std::string& workload) {
  std::vector<std::string> names;
  for (const System& system : tls_systems(options, workload, "/certificates"))
    names.push_back(system.name);
  return names;
}

}  // namespace

TEST_CASE("calls over TLS without parameters are compared by their time") {
  const auto claims = claims_of_part(part_of("void", ratio(1.14, 9), ratio(1.01, 9)));
  REQUIRE(claims.size() == 2);
  CHECK(claims[0].what == "void: Perigee / C TLS");
  CHECK(claims[0].goal == 1.15);
  CHECK(verdict(claims[0]) == Verdict::met);
  CHECK(claims[1].what == "void: Perigee / omniORB");
  CHECK(verdict(claims[1]) == Verdict::missed);
}

TEST_CASE("calls over TLS with 1 MiB are compared by their CPU time") {
  const auto claims = claims_of_part(part_of("borrowed1048576", ratio(0.9, 1.06), ratio(2, 0.99)));
  REQUIRE(claims.size() == 2);
  CHECK(claims[0].what == "borrowed1048576: Perigee / C TLS, CPU");
  CHECK(claims[0].goal == 1.05);
  CHECK(verdict(claims[0]) == Verdict::missed);
  CHECK(verdict(claims[1]) == Verdict::met);
}

TEST_CASE("the goal of handshakes is a rate, the inverse of the CPU time") {
  for (const std::string workload : {"connect", "resume"}) {
    const auto claims = claims_of_part(part_of(workload, ratio(9, 1.25), ratio(9, 0.5)));
    REQUIRE(claims.size() == 2);
    CHECK(claims[0].what == workload + ": rate of Perigee / C TLS, CPU");
    CHECK(claims[0].measured.value == 0.8);
    CHECK(claims[0].goal == 0.9);
    CHECK(verdict(claims[0]) == Verdict::missed);
    CHECK(claims[1].what == workload + ": Perigee / omniORB, CPU");
  }
}

TEST_CASE("without omniORB the goals of TLS are those of the C program") {
  TlsPart part = part_of("void", ratio(1, 1), {});
  part.cells.erase("omniORB");
  CHECK(claims_of_part(part).size() == 1);
}

TEST_CASE("each workload of TLS measures the C program twice, as C TLS and as null") {
  const TlsBenchOptions with_goals{
      .systems = TlsSystems::with_goals, .peers_program = "peers", .omniorb_program = "omniorb"};
  for (const std::string& workload : tls_workloads()) {
    CHECK(names_of(with_goals, workload) ==
          std::vector<std::string>{"C TLS", "null", "Perigee", "omniORB"});
    const auto systems = tls_systems(with_goals, workload, "/certificates");
    CHECK(systems[0].server == systems[1].server);
    CHECK(systems[0].client == systems[1].client);
  }
  CHECK(names_of({.peers_program = "peers"}, "void").size() == 5);
}

TEST_CASE("no server issues tickets to clients that measure full handshakes") {
  const TlsBenchOptions options{.peers_program = "peers", .omniorb_program = "omniorb"};
  for (const System& system : tls_systems(options, "connect", "/certificates"))
    CHECK(std::ranges::count(system.server, "OPENSSL_CONF=/certificates/no_tickets.cnf") == 1);
  for (const System& system : tls_systems(options, "resume", "/certificates"))
    CHECK(system.server.front() != "/usr/bin/env");
}

}  // namespace perigee::bench
