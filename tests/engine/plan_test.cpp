// The table of presets, the rules of the supervisor, and the CPUs that a process may use.
#include "engine/loops/supervision.h"
#include "engine/loops/thread_plan.h"
#include "event/cpus.h"

#include <doctest/doctest.h>

#include <chrono>

using namespace perigee;
using namespace perigee::engine;
using namespace std::chrono_literals;

TEST_CASE("each preset gives the plan in the table of docs/engine.md") {
  const PlanOptions options{
      .threads = 0, .cpus = 8, .spares = 40, .pool_spares = 32, .connections = 500};
  CHECK(plan_of(Preset::automatic, options) == ThreadPlan{8, 8, 48, 16, true});
  CHECK(plan_of(Preset::thread_per_connection, options) == ThreadPlan{4, 4, 44, 500, true});
  CHECK(plan_of(Preset::thread_pool, options) == ThreadPlan{1, 8, 40, 0, false});
  CHECK(plan_of(Preset::reactor_per_core, options) == ThreadPlan{8, 8, 8, 0, false});
  CHECK(plan_of(Preset::reactive, options) == ThreadPlan{1, 0, 1, 0, false});
}

TEST_CASE("the number of threads can be given, and is at least one") {
  CHECK(plan_of(Preset::thread_pool, {.threads = 2, .cpus = 8}).threads == 2);
  CHECK(plan_of(Preset::reactor_per_core, {.threads = 3, .cpus = 8}).loops == 3);
  CHECK(plan_of(Preset::automatic, {.threads = 3, .cpus = 8, .spares = 40}) ==
        ThreadPlan{3, 3, 43, 6, true});
  CHECK(plan_of(Preset::thread_per_connection, {.threads = 2, .cpus = 8}).loops == 2);
  CHECK(plan_of(Preset::thread_per_connection, {.threads = 9, .cpus = 1}).loops == 4);
  CHECK(plan_of(Preset::thread_pool, {.threads = 0, .cpus = 0}).threads == 1);
  CHECK(plan_of(Preset::thread_pool, {.threads = 0xffff'ffff, .cpus = 1}).threads_max ==
        0xffff'ffff);
}

TEST_CASE("a plan is single-threaded only if each loop has one thread and no spare threads") {
  const PlanOptions options{.threads = 1, .cpus = 4};
  CHECK(plan_of(Preset::reactive, options).single_threaded());
  CHECK(plan_of(Preset::reactor_per_core, options).single_threaded());
  CHECK(!plan_of(Preset::thread_pool, options).single_threaded());
  CHECK(!plan_of(Preset::automatic, options).single_threaded());
}

namespace {

constexpr LoopSample stuck{.upcalls = Upcalls::block, .has_work = true};

}  // namespace

TEST_CASE("a loop whose threads are all blocked in upcalls gets a spare thread if work waits") {
  const SpareRoom room{.threads = 1, .idle_cpus = 0};
  LoopSample loop = stuck;
  CHECK(needs_spare(loop, room));
  SUBCASE("but not without work") { loop.has_work = false; }
  SUBCASE("but not if a thread is free") { loop.upcalls = Upcalls::some; }
  SUBCASE("but not if upcalls are short") { loop.upcalls = Upcalls::short_turns; }
  CHECK(needs_spare(loop, room) == (loop.has_work && loop.upcalls == Upcalls::block));
}

TEST_CASE("a loop gets no spare thread beyond the plan") {
  CHECK_FALSE(needs_spare(stuck, {.threads = 0, .idle_cpus = 4}));
}

TEST_CASE("upcalls that compute get a spare thread only if a CPU is idle") {
  LoopSample loop = stuck;
  loop.upcalls = Upcalls::long_turns;
  CHECK_FALSE(needs_spare(loop, {.threads = 5, .idle_cpus = 0}));
  CHECK(needs_spare(loop, {.threads = 5, .idle_cpus = 1}));
}

TEST_CASE("the supervisor ticks faster for a second after it adds a thread, and stops when idle") {
  TickRate rate;
  const TimePoint start{};
  CHECK(rate.next(start, false, false) == 10ms);
  CHECK(rate.next(start + 10ms, false, true) == 1ms);
  CHECK(rate.next(start + 1000ms, false, false) == 1ms);
  CHECK(rate.next(start + 1010ms, false, false) == 10ms);
  CHECK(rate.next(start + 1020ms, true, false) == 0ms);
}

TEST_CASE("the quota of a cgroup limits the CPUs, rounded up") {
  CHECK(event::cpus_of_quota("max 100000") == std::nullopt);
  CHECK(event::cpus_of_quota("200000 100000") == 2);
  CHECK(event::cpus_of_quota("150000 100000") == 2);
  CHECK(event::cpus_of_quota("1000 100000") == 1);
  CHECK(event::cpus_of_quota("") == std::nullopt);
  CHECK(event::cpus_of_quota("100000") == std::nullopt);
  CHECK(event::cpus_of_quota("100000 0") == std::nullopt);
  CHECK(event::cpus_of_quota("-5 100000") == std::nullopt);
  CHECK(event::usable_cpus() >= 1);
}
