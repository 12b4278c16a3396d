// The comparison of measurements with the goals of `perigee bench ttcp`.
#include "ttcp/ttcp.h"

#include "ttcp/callgrind.h"
#include "ttcp/links.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace perigee::bench {
namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

TtcpCell cell(double throughput, double cpu) {
  TtcpCell made;
  made.throughput_ratio = {throughput, throughput, throughput};
  made.cpu_ratio = {cpu, cpu, cpu};
  return made;
}

TtcpReport report_of(const TtcpTable& table) {
  TtcpReport report;
  report.tables = {table};
  return report;
}

std::optional<Claim> find_claim(const std::vector<Claim>& claims, const std::string& what) {
  const auto found = std::ranges::find(claims, what, &Claim::what);
  return found == claims.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

TEST_CASE("large buffers are compared with the C program at the worst size") {
  TtcpTable table;
  table.cells[4 * kib]["ORB octets borrowed"] = cell(0.1, 10);  // small: no goal
  table.cells[64 * kib]["ORB octets borrowed"] = cell(1, 1.01);
  table.cells[mib]["ORB octets borrowed"] = cell(0.8, 1.04);
  table.cells[64 * mib]["ORB octets borrowed"] = cell(0.9, 1.03);
  const std::vector<Claim> claims = claims_of(report_of(table));
  REQUIRE(claims.size() == 2);
  CHECK(claims[0].what == "ORB octets borrowed / C TCP: time, 1 MiB");
  CHECK(claims[0].goal == 1.05);
  CHECK(claims[0].measured.value == 1.25);
  CHECK(claims[0].note == "worst of 3 sizes; 1 met");
  CHECK(verdict(claims[0]) == Verdict::missed);
  CHECK(claims[1].what == "ORB octets borrowed / C TCP: CPU, 1 MiB");
  CHECK(claims[1].measured.value == 1.04);
  CHECK(verdict(claims[1]) == Verdict::met);
}

TEST_CASE("vectors and UNIX-domain sockets have goals of their own") {
  TtcpTable table;
  for (const std::string version : {"ORB octets", "ORB octets borrowed UNIX", "ORB octets UNIX"})
    table.cells[mib][version] = cell(0.7, 1.1);
  const std::vector<Claim> claims = claims_of(report_of(table));
  CHECK(claims.size() == 6);
  const auto vectors = find_claim(claims, "ORB octets / C TCP: time, 1 MiB");
  REQUIRE(vectors.has_value());
  CHECK(vectors->goal == 1.4);
  CHECK(vectors->note.empty());
  const auto borrowed = find_claim(claims, "ORB octets borrowed UNIX / C UNIX-domain: CPU, 1 MiB");
  REQUIRE(borrowed.has_value());
  CHECK(borrowed->goal == 1.15);
  const auto local = find_claim(claims, "ORB octets UNIX / C UNIX-domain: CPU, 1 MiB");
  REQUIRE(local.has_value());
  CHECK(local->goal == 2.0);
}

TEST_CASE("large buffers are compared with omniORB where both were measured") {
  TtcpTable table;
  const Comparison vectors{"ORB octets", "omniORB octets"};
  table.compared[64 * kib] = {{vectors, {2, 2, 2}, {0.8, 0.8, 0.8}}};
  table.compared[mib] = {{vectors, {0.8, 0.8, 0.8}, {0.9, 0.9, 0.9}}};
  const std::vector<Claim> claims = claims_of(report_of(table));
  REQUIRE(claims.size() == 2);
  CHECK(claims[0].what == "ORB octets / omniORB octets: time, 1 MiB");
  CHECK(claims[0].goal == 1);
  CHECK(claims[0].measured.value == 1.25);
  CHECK(verdict(claims[1]) == Verdict::met);
}

TEST_CASE("streams through shared memory are compared with TCP by their CPU time") {
  TtcpTable table;
  const Estimate none{1, 1, 1};
  table.compared[64 * kib] = {{{"ORB octets borrowed SHM", "C TCP"}, none, {0.25, 0.2, 0.4}}};
  table.compared[mib] = {{{"ORB octets SHM", "C TCP"}, none, none}};
  const std::vector<Claim> claims = claims_of(report_of(table));
  REQUIRE(claims.size() == 1);
  CHECK(claims[0].what == "64 KiB: ORB octets borrowed SHM / C TCP, buffers per CPU second");
  CHECK(claims[0].bound == Bound::at_least);
  CHECK(claims[0].goal == 3);
  CHECK(claims[0].measured.value == 4);
  CHECK(claims[0].measured.low == 2.5);
  CHECK(verdict(claims[0]) == Verdict::met);
}

TEST_CASE("a stream of shared buffers has a goal of its own") {
  TtcpTable table;
  const Estimate none{1, 1, 1};
  table.compared[64 * kib] = {{{"ORB octets linked SHM", "C TCP"}, none, {0.125, 0.1, 0.2}}};
  const std::vector<Claim> claims = claims_of(report_of(table));
  REQUIRE(claims.size() == 1);
  CHECK(claims[0].goal == 10);
  CHECK(claims[0].measured.value == 8);
}

TEST_CASE("the goal of unbuffered oneways of 1 KiB is less CPU time than omniORB's") {
  TtcpTable table;
  const Estimate none{1, 1, 1};
  table.compared[kib] = {{{"ORB octets buffered", "ORB octets"}, none, none},
                         {{"ORB octets borrowed", "omniORB octets"}, none, none},
                         {{"ORB octets", "omniORB octets"}, none, {1.14, 1.13, 1.15}}};
  const std::vector<Claim> claims = claims_of(report_of(table));
  REQUIRE(claims.size() == 1);
  CHECK(claims[0].what == "oneways of 1 KiB: ORB octets / omniORB octets, CPU");
  CHECK(claims[0].goal == 1);
  CHECK(verdict(claims[0]) == Verdict::missed);
}

TEST_CASE("streams have goals only with the system's default socket queues") {
  TtcpTable table;
  table.cells[mib]["ORB octets"] = cell(1, 1);
  CHECK(claims_of(report_of(table)).size() == 2);
  table.queue_size = 8 * kib;
  CHECK(claims_of(report_of(table)).empty());
}

TEST_CASE("a transfer of small buffers says what it carries if it carries less than the volume") {
  TtcpOptions options;
  options.volume = 64 * mib;
  options.sizes = {1, 4 * kib};
  CHECK(shortfall_text(options) == "1 B buffers: a transfer carries only 64 KiB");
  options.sizes = {4 * kib};
  CHECK(shortfall_text(options).empty());
}

TEST_CASE("callgrind's own cost of a function excludes the functions that it calls") {
  std::istringstream file(
      "events: Ir\n"
      "ob=(1) /usr/bin/perigee\n"
      "fl=(1) a.cpp\n"
      "fn=(1) main\n"
      "16 400\n"
      "cob=(2) /lib/libc.so.6\n"
      "cfi=(2) memmove.S\n"
      "cfn=(2) __memmove_avx_unaligned_erms\n"
      "calls=3 50\n"
      "16 9000\n"
      "+1 7\n"
      "\n"
      "ob=(2)\n"
      "fl=(2)\n"
      "fn=(2)\n"
      "50 8000\n"
      "* 1000\n"
      "\n"
      "totals: 9407\n");
  const auto costs = read_callgrind(file);
  const FunctionCost& caller = costs.at("/usr/bin/perigee main");
  CHECK(caller.object == "perigee");
  CHECK(caller.instructions == 407);
  CHECK(caller.calls == 0);
  const FunctionCost& called = costs.at("/lib/libc.so.6 memcpy, memmove");
  CHECK(called.name == "memcpy, memmove");
  CHECK(called.calls == 3);
  CHECK(called.instructions == 9000);
}

TEST_CASE("a file of callgrind without totals is not complete") {
  std::istringstream file(
      "summary: 400\nfn=(1) main\n16 400\n");  // the summary is at the beginning
  CHECK_THROWS_AS(read_callgrind(file), std::runtime_error);
}

TEST_CASE("functions of the C library have the names of the standard") {
  CHECK(standard_name("__memcpy_avx_unaligned_erms") == "memcpy, memmove");
  CHECK(standard_name("__strlen_avx2") == "strlen");
  CHECK(standard_name("__memset_evex_unaligned") == "memset");
  CHECK(standard_name("perigee::cdr::Encoder::put") == "perigee::cdr::Encoder::put");
}

TEST_CASE("a shaped link lets through the octets of 4 ms at once, and 32 KiB or more") {
  CHECK(burst_of(10) == 32 * kib);
  CHECK(burst_of(100) == 50'000);
  CHECK(burst_of(1000) == 500'000);
}

TEST_CASE(
    "a transfer over a link takes a second, or is the volume, but never less than 20 bursts") {
  CHECK(link_volume(64 * mib, 10) == 1'250'000);
  CHECK(link_volume(64 * mib, 1000) == 64 * mib);
  CHECK(link_volume(mib, 1000) == 10'000'000);
  CHECK(link_volume(mib, 0) == mib);
}

TEST_CASE("the summary has the highest and the lowest throughput of each version") {
  TtcpReport report;
  report.versions = {{.name = "sock"}, {.name = "absent"}};
  report.tables.resize(1);
  report.tables[0].cells[kib]["sock"].octets_per_s = 3;
  report.tables[0].cells[mib]["sock"].octets_per_s = 1;
  const std::vector<TtcpExtremes> extremes = extremes_of(report);
  REQUIRE(extremes.size() == 1);
  CHECK(extremes[0].high_octets_per_s == 3);
  CHECK(extremes[0].high_size == kib);
  CHECK(extremes[0].low_octets_per_s == 1);
  CHECK(extremes[0].low_size == mib);
}

TEST_CASE("the versions over links are versions of ttcp") {
  const std::vector<TtcpVersion> all = ttcp_versions("omniORB", "iceoryx");
  for (const std::string& name : link_ttcp_versions())
    CHECK(std::ranges::find(all, name, &TtcpVersion::name) != all.end());
}

TEST_CASE("the compared versions are versions of ttcp") {
  const std::vector<TtcpVersion> all = ttcp_versions("omniORB", "iceoryx");
  for (const Comparison& comparison : ttcp_comparisons()) {
    CHECK(std::ranges::find(all, comparison.system, &TtcpVersion::name) != all.end());
    CHECK(std::ranges::find(all, comparison.base, &TtcpVersion::name) != all.end());
  }
}

}  // namespace perigee::bench
