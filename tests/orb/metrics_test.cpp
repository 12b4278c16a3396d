// Counters, and the outputs that are made of them.
#include "orb/context/orb_metrics.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

namespace perigee::orb {

using namespace std::chrono_literals;

namespace {

MetricsSnapshot example() {
  LatencyHistogram latencies;
  latencies.counts[1] = 3;   // up to 2 microseconds
  latencies.counts[24] = 1;  // up to 100 seconds
  latencies.counts[25] = 1;  // longer
  latencies.sum = 200s + 5us;
  return {{{"things_total",
            "Things.",
            MetricFamily::Type::counter,
            {{{{"kind", "a"}, {"side", "x"}}, 2}, {{{"kind", "b"}, {"side", "x"}}, 5}},
            {}},
           {"perigee_request_duration_seconds",
            "Time.",
            MetricFamily::Type::histogram,
            {},
            {{{{"operation", "a\"\n"}}, latencies}}}}};
}

}  // namespace

TEST_CASE("the bounds of latencies are 1, 2 and 5 of each power of ten, to 100 seconds") {
  CHECK(LatencyHistogram::bound(0) == 1us);
  CHECK(LatencyHistogram::bound(1) == 2us);
  CHECK(LatencyHistogram::bound(5) == 50us);
  CHECK(LatencyHistogram::bound(LatencyHistogram::bound_count - 1) == 100s);
}

TEST_CASE("latencies are counted below the bound that they do not exceed") {
  LatencyTable table;
  for (const auto latency : {0ns, 1'000ns, 1'001ns, 2'000ns}) table.record("ping", latency);
  table.record("ping", 101s);
  const auto all = table.all();
  REQUIRE(all.size() == 1);
  CHECK(all[0].first == "ping");
  CHECK(all[0].second.counts[0] == 2);
  CHECK(all[0].second.counts[1] == 2);
  CHECK(all[0].second.counts[LatencyHistogram::bound_count] == 1);
  CHECK(all[0].second.sum == 101s + 4'001ns);
  CHECK(all[0].second.quantile(0.4) == 1us);
  CHECK(all[0].second.quantile(0.5) == 2us);
  CHECK(all[0].second.quantile(1) == 100s);
}

TEST_CASE("names that peers invent grow neither the table nor an entry beyond its limit") {
  LatencyTable table;
  for (std::size_t number = 0; number < LatencyTable::operations_max + 10; ++number)
    table.record("operation" + std::to_string(number), 1us);
  table.record(std::string(100'000, 'x'), 1us);
  const auto all = table.all();
  CHECK(all.size() == LatencyTable::operations_max + 1);
  std::uint64_t others = 0;
  for (const auto& [operation, latencies] : all) {
    CHECK(operation.size() <= LatencyTable::name_size_max);
    if (operation == LatencyTable::others) others = latencies.count();
  }
  CHECK(others == 11);
}

TEST_CASE("counts of all threads are summed up by kind") {
  SpreadCounters<RequestOutcome> counters;
  {
    std::vector<std::jthread> threads;
    for (int number = 0; number < 20; ++number)
      threads.emplace_back([&counters] {
        for (int count = 0; count < 100; ++count) counters.add(RequestOutcome::oneway);
        counters.add(RequestOutcome::refused);
      });
  }
  CHECK(counters.sum(RequestOutcome::oneway) == 2000);
  CHECK(counters.sum(RequestOutcome::refused) == 20);
  CHECK(counters.sum(RequestOutcome::cancelled) == 0);
}

TEST_CASE("the counts of ended connections stay in the ledger, except their queued octets") {
  engine::TrafficLedger ledger;
  engine::Traffic lasting(&ledger);
  lasting.octets_received.add(5);
  lasting.sent.queued.add(7);
  {
    engine::Traffic first(&ledger);
    engine::Traffic second(&ledger);
    first.octets_received.add(10);
    second.sent.messages.add(1);
    second.sent.queued.add(100);
    CHECK(ledger.totals().connections_open == 3);
    CHECK(ledger.totals().octets_queued == 107);
  }
  const engine::TrafficTotals totals = ledger.totals();
  CHECK(totals.connections_open == 1);
  CHECK(totals.connections_opened == 3);
  CHECK(totals.octets_received == 15);
  CHECK(totals.messages_sent == 1);
  CHECK(totals.octets_queued == 7);
}

TEST_CASE("a snapshot is queried by name and labels") {
  const MetricsSnapshot snapshot = example();
  CHECK(snapshot.value("things_total") == 7);
  CHECK(snapshot.value("things_total", {{"kind", "b"}}) == 5);
  CHECK(snapshot.value("things_total", {{"kind", "b"}, {"side", "y"}}) == 0);
  CHECK(snapshot.value("nothing") == 0);
  REQUIRE(snapshot.latencies("server", "a\"\n") != nullptr);
  CHECK(snapshot.latencies("server", "a\"\n")->count() == 5);
  CHECK(snapshot.latencies("client", "a\"\n") == nullptr);
}

TEST_CASE("the Prometheus page counts the latencies below each bound, and escapes names") {
  const std::string page = to_prometheus(example());
  CHECK(
      page.starts_with("# HELP things_total Things.\n"
                       "# TYPE things_total counter\n"
                       "things_total{kind=\"a\",side=\"x\"} 2\n"
                       "things_total{kind=\"b\",side=\"x\"} 5\n"
                       "# HELP perigee_request_duration_seconds Time.\n"
                       "# TYPE perigee_request_duration_seconds histogram\n"));
  const std::string bucket =
      "perigee_request_duration_seconds_bucket{operation=\"a\\\"\\\\x0a\",le=";
  CHECK(page.find(bucket + "\"0.000001\"} 0\n") != std::string::npos);
  CHECK(page.find(bucket + "\"0.000002\"} 3\n") != std::string::npos);
  CHECK(page.find(bucket + "\"50.0\"} 3\n") != std::string::npos);
  CHECK(page.find(bucket + "\"100.0\"} 4\n") != std::string::npos);
  CHECK(page.find(bucket + "\"+Inf\"} 5\n") != std::string::npos);
  CHECK(
      page.ends_with("perigee_request_duration_seconds_sum{operation=\"a\\\"\\\\x0a\"} 200.000005\n"
                     "perigee_request_duration_seconds_count{operation=\"a\\\"\\\\x0a\"} 5\n"));
}

TEST_CASE("JSON has the same numbers, but only the latency bounds with counts") {
  CHECK(to_json(example()) ==
        R"json([
{"name":"things_total","type":"counter","help":"Things.","samples":[{"labels":{"kind":"a","side":"x"},"value":2},{"labels":{"kind":"b","side":"x"},"value":5}]},
{"name":"perigee_request_duration_seconds","type":"histogram","help":"Time.","samples":[{"labels":{"operation":"a\"\\x0a"},"count":5,"sum":200.000005,"buckets":[[0.000002,3],[100.0,1],[null,1]]}]}
]
)json");
}

}  // namespace perigee::orb
