// `perigee call --repeat`: calls from several threads, and their percentiles.
#include "call/load.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace perigee::tool {

TEST_CASE("a load makes the given number of calls on any number of threads") {
  for (const unsigned threads : {1u, 2u, 16u}) {
    std::atomic<std::uint64_t> made = 0;
    const LoadReport report = run_load(1000, threads, [&made] {
      ++made;
      return std::string();
    });
    CHECK(made == 1000);
    CHECK(report.latencies_ns.size() == 1000);
    CHECK(report.failures.empty());
    CHECK(report.seconds > 0);
  }
}

TEST_CASE("a load counts exceptions by repository id, and drops the latencies of failed calls") {
  std::atomic<int> made = 0;
  const LoadReport report = run_load(30, 3, [&made] {
    const int number = made++;
    return number % 3 == 0 ? std::string() : "IDL:Calls/E" + std::to_string(number % 3) + ":1.0";
  });
  CHECK(report.latencies_ns.size() == 10);
  CHECK(report.failures.at("IDL:Calls/E1:1.0") == 10);
  CHECK(report.failures.at("IDL:Calls/E2:1.0") == 10);
  CHECK(to_json(report)["failed"] == 20);
}

TEST_CASE("a load ends when a call throws") {
  std::atomic<int> made = 0;
  CHECK_THROWS_AS(static_cast<void>(run_load(1'000'000, 4,
                                             [&made]() -> std::string {
                                               if (++made == 10) throw std::runtime_error("no");
                                               return {};
                                             })),
                  std::runtime_error);
  CHECK(made < 1'000'000);
}

TEST_CASE("percentiles are latencies of calls, in microseconds") {
  LoadReport report{.seconds = 2, .latencies_ns = {}, .failures = {}};
  for (std::uint64_t value = 1; value <= 1000; ++value) report.latencies_ns.push_back(value * 1000);
  const auto json = to_json(report);
  CHECK(json["calls_per_second"] == 500);
  const auto& latency = json["latency_us"];
  CHECK(latency["min"] == 1);
  CHECK(latency["p50"] == 500);
  CHECK(latency["p99"] == 990);
  CHECK(latency["p99_9"] == 999);
  CHECK(latency["max"] == 1000);
  report.latencies_ns = {1500};
  CHECK(to_json(report)["latency_us"]["p50"] == 1.5);
}

}  // namespace perigee::tool
