// Clients while allocations fail. The build with the thread sanitizer leaves this file out, because
// the sanitizer's allocator cannot be replaced.
#include "orb/client/endpoint_table.h"
#include "orb/connection/wake_timer.h"
#include "orb/context/orb_metrics.h"
#include "orb/fixture.h"
#include "orb/policies.h"
#include "support/allocations.h"
#include "support/fake_clock.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <future>
#include <new>

namespace perigee::test {

using namespace std::chrono_literals;

namespace {

/// Calls `work` while its `number`-th allocation fails. True if the allocation failed.
template <typename Work>
bool fails_for_lack_of_memory(std::size_t number, Work&& work) {
  fail_allocation(number);
  try {
    work();
  } catch (const std::bad_alloc&) {
  }
  return stop_failing_allocation();
}

}  // namespace

TEST_CASE("a wake timer whose thread could not start does the missed work with the next work") {
  const FakeClock clock;
  std::promise<void> worked;
  orb::WakeTimer timer(clock, [&worked](TimePoint) {
    worked.set_value();
    return Deadline::never();
  });
  fail_allocation(1);
  const bool started = timer.wake_at(Deadline::at(clock.now()));
  CHECK(stop_failing_allocation());
  CHECK_FALSE(started);
  REQUIRE(timer.wake_at(Deadline::after(1h, clock.now())));
  worked.get_future().wait();
}

TEST_CASE("a call ends after the search for a CloseConnection failed for lack of memory") {
  std::size_t number = 1;
  for (bool failed = true; failed; ++number) {
    CAPTURE(number);
    Fixture fixture;
    fixture.peer("peer", reply_with_long(1));
    const auto object = limited(fixture.object({"peer"}), fixture.core(), 30s);
    stub::invoke(*object, notify_operation, nullptr, nullptr);
    failed = fails_for_lack_of_memory(number, [&] { fixture.core().endpoints().close_idle(); });
    CHECK(echo(object) == 1);
  }
  CHECK(number > 3);
}

TEST_CASE("a connect that is too late gives its place back once, whichever allocation fails") {
  const transport::Endpoint peer{"test", "a peer with a name that needs memory"};
  std::size_t number = 1;
  for (bool failed = true; failed; ++number) {
    CAPTURE(number);
    orb::Settings settings;
    settings.connections_per_endpoint_max = 1;
    Fixture fixture(settings);
    fixture.peer(peer.address, reply_with_long(1));
    const auto endpoint = fixture.core().endpoints().find(peer, {});
    const auto check_out = [&endpoint](orb::ConnectBudget budget) {
      const orb::CheckoutLimits limits{.connecting = &budget};
      return endpoint->checkout(orb::Freshness::any, orb::Sharing::allowed, limits).has_value();
    };
    orb::ConnectBudget spent(1ms);
    spent.spend(1ms);
    failed = fails_for_lack_of_memory(number, [&] { (void)check_out(spent); });
    CHECK(check_out(orb::ConnectBudget(30s)));
  }
  CHECK(number > 2);
}

TEST_CASE("a latency is recorded after the first record of its operation found no memory") {
  std::size_t number = 1;
  for (bool failed = true; failed; ++number) {
    CAPTURE(number);
    orb::LatencyTable table;
    failed = fails_for_lack_of_memory(number, [&] { table.record("ping", 1us); });
    table.record("ping", 1us);
    const auto all = table.all();
    REQUIRE(all.size() == 1);
    CHECK(all[0].second.counts[0] == (failed ? 1 : 2));
  }
  CHECK(number > 3);
}

}  // namespace perigee::test
