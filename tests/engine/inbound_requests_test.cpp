// InboundRequests: admission, limits, cancellation, draining; and a model with several threads.
#include "engine/connection/inbound_requests.h"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::engine;

namespace {

class Upcall final : public InboundRequest {
 public:
  explicit Upcall(std::uint32_t id)
      : InboundRequest(id, {1, 2}, messaging::ResponseFlags::with_target) {}
};

/// Counts its references like a deferred request of the ORB. The last reference deletes it.
class Deferred final : public DeferredRequest {
 public:
  explicit Deferred(std::uint32_t id, std::atomic<int>& alive)
      : DeferredRequest(id, {1, 2}, messaging::ResponseFlags::with_target), alive_(alive) {
    alive_.fetch_add(1);
  }
  ~Deferred() override { alive_.fetch_sub(1); }
  void add_reference() noexcept override { references_.fetch_add(1); }
  void drop_reference() noexcept override {
    if (references_.fetch_sub(1) == 1) delete this;
  }
  void stop() noexcept override { stops.fetch_add(1); }

  std::atomic<int> stops{0};

 private:
  std::atomic<int>& alive_;
  std::atomic<int> references_{1};
};

struct Table {
  explicit Table(std::uint32_t count_max = 2, std::uint32_t all_max = 100,
                 RequestOrder order = RequestOrder::none)
      : all(all_max), share(all), requests(count_max, share, order) {}
  ~Table() { CHECK(alive.load() == 0); }

  /// Admits a request and defers it, as an upcall does.
  Deferred& defer(std::uint32_t id) {
    Upcall upcall(id);
    REQUIRE(requests.admit(upcall) == Admission::admitted);
    auto* const later = new Deferred(id, alive);
    requests.defer(upcall, *later);
    CHECK(upcall.deferred());
    requests.check_invariants();
    return *later;
  }
  InboundRequests::Left end(Deferred& request) {
    const auto left = requests.leave(request);
    request.drop_reference();
    requests.check_invariants();
    return left;
  }

  std::atomic<int> alive{0};
  RequestCount all;
  RequestShare share;
  InboundRequests requests;
};

}  // namespace

TEST_CASE("a connection admits as many requests as allowed, and counts them") {
  Table table(2);
  Upcall first(1);
  Upcall second(2);
  Upcall third(3);
  CHECK(table.requests.admit(first) == Admission::admitted);
  CHECK(table.requests.admit(second) == Admission::admitted);
  CHECK(table.requests.admit(third) == Admission::too_many);
  CHECK(!table.requests.full());  // upcalls alone do not make it full: further requests are refused
  CHECK(table.all.count() == 2);
  table.requests.check_invariants();
  CHECK(!table.requests.leave(first).has_room);
  CHECK(table.requests.admit(third) == Admission::admitted);
  (void)table.requests.leave(second);
  (void)table.requests.leave(third);
  CHECK(!table.requests.busy());
  CHECK(table.all.count() == 0);
  table.requests.check_invariants();
}

TEST_CASE("requests of a connection are refused at the limit for all connections together") {
  Table table(10, 1);
  RequestShare other_share(table.all);
  InboundRequests other(10, other_share);
  Upcall first(1);
  Upcall second(2);
  CHECK(table.requests.admit(first) == Admission::admitted);
  CHECK(other.admit(second) == Admission::too_many_in_all);
  (void)table.requests.leave(first);
  CHECK(other.admit(second) == Admission::admitted);
  (void)other.leave(second);
}

TEST_CASE("deferred requests make a table full, and the end of a deferred request makes room") {
  Table table(2);
  Deferred& first = table.defer(1);
  Deferred& second = table.defer(2);
  CHECK(table.requests.full());
  CHECK(table.end(first).has_room);
  CHECK(!table.requests.full());
  CHECK(!table.end(second).has_room);
}

TEST_CASE("with a request order, one request fills a table: in its upcall, deferred or parked") {
  Table table(10, 100, RequestOrder::connection);
  Upcall upcall(1);
  REQUIRE(table.requests.admit(upcall) == Admission::admitted);
  CHECK(table.requests.full());
  table.requests.begin_parked();  // the upcall parks the request
  CHECK(!table.requests.leave(upcall).has_room);
  CHECK(table.requests.full());
  table.requests.check_invariants();
  Upcall again(1);
  REQUIRE(table.requests.admit(again) == Admission::admitted);
  CHECK(!table.requests.end_parked());
  CHECK(table.requests.leave(again).has_room);
  Deferred& deferred = table.defer(2);
  CHECK(table.requests.full());
  CHECK(table.end(deferred).has_room);
  table.requests.begin_parked();
  CHECK(table.requests.full());
  CHECK(table.requests.end_parked());
  CHECK(!table.requests.full());
  table.requests.check_invariants();
}

TEST_CASE("cancelling drops the reply and stops a deferred request once") {
  Table table(4);
  Deferred& deferred = table.defer(7);
  Upcall upcall(8);
  REQUIRE(table.requests.admit(upcall) == Admission::admitted);
  table.requests.cancel(7);
  table.requests.cancel(7);
  table.requests.cancel(8);
  table.requests.cancel(99);
  CHECK(deferred.cancelled());
  CHECK(deferred.stops == 1);
  CHECK(upcall.cancelled());
  (void)table.requests.leave(upcall);
  (void)table.end(deferred);
}

TEST_CASE("a request that is cancelled in its upcall is stopped when it is deferred") {
  Table table;
  Upcall upcall(1);
  REQUIRE(table.requests.admit(upcall) == Admission::admitted);
  table.requests.cancel(1);
  auto* const later = new Deferred(1, table.alive);
  table.requests.defer(upcall, *later);
  CHECK(later->cancelled());
  CHECK(later->stops == 1);
  (void)table.end(*later);
}

TEST_CASE("the end of a connection stops earlier and later deferred requests, and cancels none") {
  Table table(4);
  Deferred& first = table.defer(1);
  table.requests.stop_deferred();
  Deferred& second = table.defer(2);
  CHECK(first.stops == 1);
  CHECK(second.stops == 1);
  CHECK(!first.cancelled());
  (void)table.end(first);
  (void)table.end(second);
}

TEST_CASE("an expired request is stopped, and is not cancelled") {
  Table table;
  Deferred& request = table.defer(1);
  table.requests.stop(request);
  table.requests.stop(request);
  CHECK(request.stops == 1);
  CHECK(!request.cancelled());
  (void)table.end(request);
}

TEST_CASE("CloseConnection is due once, when no request is in progress") {
  Table table(4);
  SUBCASE("at once") {
    CHECK(table.requests.begin_drain());
    CHECK(!table.requests.begin_drain());
  }
  SUBCASE("with the last request") {
    Deferred& first = table.defer(1);
    Upcall upcall(2);
    REQUIRE(table.requests.admit(upcall) == Admission::admitted);
    CHECK(!table.requests.begin_drain());
    Upcall late(3);
    CHECK(table.requests.admit(late) == Admission::draining);
    CHECK(!table.requests.leave(upcall).last);
    CHECK(!table.requests.drained());
    CHECK(table.end(first).last);
  }
  CHECK(table.requests.drained());
  CHECK(!table.requests.drain_if_idle());
}

TEST_CASE("an idle connection drains, and a connection with requests or parked requests does not") {
  Table table;
  table.requests.begin_parked();
  CHECK(!table.requests.drain_if_idle());
  CHECK(!table.requests.end_parked());
  Upcall upcall(1);
  REQUIRE(table.requests.admit(upcall) == Admission::admitted);
  CHECK(!table.requests.drain_if_idle());
  (void)table.requests.leave(upcall);
  CHECK(table.requests.drain_if_idle());
  CHECK(table.requests.drained());
}

// Each thread makes requests with ids of its own. Each request ends once; CloseConnection is due
// once; nothing is left.
TEST_CASE("threads that admit, defer, cancel, stop and drain keep the invariants") {
  constexpr std::uint32_t threads = 4;
  constexpr std::uint32_t rounds = 2'000;
  Table table(3, 5);
  std::atomic<int> due{0};
  std::atomic<std::uint64_t> ended{0};
  const auto work = [&](std::uint32_t number) {
    std::minstd_rand random(number + 1);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const std::uint32_t id = number * rounds + round;
      Upcall upcall(id);
      if (table.requests.admit(upcall) != Admission::admitted) continue;
      if (random() % 4 == 0) table.requests.cancel(id);
      InboundRequests::Left left;
      if (random() % 2 == 0) {
        auto* const later = new Deferred(id, table.alive);
        table.requests.defer(upcall, *later);
        if (random() % 4 == 0) table.requests.stop(*later);
        CHECK(later->stops <= 1);
        left = table.requests.leave(*later);
        later->drop_reference();
      } else {
        left = table.requests.leave(upcall);
      }
      ended.fetch_add(1);
      if (left.last) due.fetch_add(1);
    }
  };
  std::vector<std::thread> all;
  for (std::uint32_t number = 0; number < threads; ++number) all.emplace_back(work, number);
  while (ended.load() < rounds) {
    table.requests.stop_deferred();
    table.requests.check_invariants();
    std::this_thread::yield();
  }
  if (table.requests.begin_drain()) due.fetch_add(1);
  for (std::thread& thread : all) thread.join();
  CHECK(due == 1);
  CHECK(table.requests.drained());
  CHECK(table.all.count() == 0);
  table.requests.check_invariants();
}
