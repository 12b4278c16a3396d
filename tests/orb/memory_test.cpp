// Clients that find no memory. Not under the thread sanitizer, whose allocator cannot be replaced.
#include "orb/connection/wake_timer.h"
#include "support/allocations.h"
#include "support/fake_clock.h"
#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>

#include <doctest/doctest.h>

#include <chrono>
#include <future>

namespace perigee::test {

using namespace std::chrono_literals;

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

}  // namespace perigee::test
