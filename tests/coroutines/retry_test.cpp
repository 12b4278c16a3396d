// retry for tasks: repeated tasks, delays by the clock of a reactor, and stops.
#include "coroutines/counted.h"
#include "coroutines/leaves.h"
#include "support/fake_clock.h"
#include <perigee/async/retry.h>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <type_traits>

namespace perigee {
namespace {

using namespace std::chrono_literals;
using test::Counted;
using test::Started;

/// A reactor with a clock that the test advances.
struct Fixture {
  test::FakeClock clock;
  std::unique_ptr<event::Reactor> reactor = event::make_reactor(clock).value();

  void pass(Duration time) {
    clock.advance(time);
    for (int turn = 0; turn != 3; ++turn) reactor->run_once(Deadline::immediately());
  }
};

/// An operation that fails a number of times before it has a value.
struct Server {
  int failures_left = 0;
  int attempts = 0;

  static task<int> call(Server& server) {
    ++server.attempts;
    if (server.failures_left-- > 0)
      throw CORBA::TRANSIENT(0, CORBA::COMPLETED_NO, std::to_string(server.attempts));
    co_return 42;
  }
};

task<> fail(int& attempts) {
  ++attempts;
  throw std::runtime_error("failed");
  co_return;
}

task<Counted> make_counted_value(int& failures_left) {
  Counted value(3);
  if (failures_left-- > 0) throw CORBA::TRANSIENT();
  co_return value;
}

task<int> call_again(Fixture& fixture, Server& server, RetrySchedule schedule) {
  schedule.jitter = 0;
  const int value =
      co_await retry(*fixture.reactor, [&server] { return Server::call(server); }, schedule);
  co_return value;
}

TEST_CASE("a task is repeated after TRANSIENT, when the delay has passed by the reactor's clock") {
  Fixture fixture;
  Server server{.failures_left = 2};
  Started<int> started(call_again(fixture, server, {}));
  CHECK(server.attempts == 1);
  fixture.pass(99ms);
  CHECK(server.attempts == 1);
  fixture.pass(1ms);
  CHECK(server.attempts == 2);
  fixture.pass(199ms);
  CHECK_FALSE(started.ended());
  fixture.pass(1ms);
  REQUIRE(started.ended());
  CHECK(started.get() == 42);
  CHECK(server.attempts == 3);
}

TEST_CASE("after the last attempt the task has the exception of that attempt") {
  Fixture fixture;
  Server server{.failures_left = 9};
  Started<int> started(call_again(fixture, server, {.attempts_max = 2}));
  fixture.pass(100ms);
  REQUIRE(started.ended());
  try {
    (void)started.get();
    FAIL("no exception");
  } catch (const CORBA::TRANSIENT& failure) {
    CHECK(failure.detail() == "2");
  }
  CHECK(server.attempts == 2);
}

TEST_CASE("a task that fails with another exception is not repeated") {
  const auto work = [](Fixture& fixture, int& attempts) -> task<> {
    co_await retry(*fixture.reactor, [&attempts] { return fail(attempts); });
  };
  Fixture fixture;
  int attempts = 0;
  Started<void> started(work(fixture, attempts));
  REQUIRE(started.ended());
  CHECK_THROWS_WITH(started.get(), "failed");
  CHECK(attempts == 1);
}

TEST_CASE("a stop during a delay ends the retries with the exception of the last attempt") {
  Fixture fixture;
  Server server{.failures_left = 9};
  std::stop_source stop;
  Started<int> started(call_again(fixture, server, {}), stop.get_token());
  CHECK(server.attempts == 1);
  stop.request_stop();
  fixture.pass(0ms);
  REQUIRE(started.ended());
  CHECK_THROWS_AS((void)started.get(), CORBA::TRANSIENT);
  CHECK(server.attempts == 1);
  CHECK(fixture.reactor->timers_armed() == 0);
}

TEST_CASE("a bad schedule raises BAD_PARAM when the task begins") {
  Fixture fixture;
  Server server;
  Started<int> started(call_again(fixture, server, {.attempts_max = 0}));
  REQUIRE(started.ended());
  CHECK_THROWS_AS((void)started.get(), CORBA::BAD_PARAM);
  CHECK(server.attempts == 0);
}

TEST_CASE("retry destroys each attempt and its value once") {
  const auto work = [](Fixture& fixture) -> task<int> {
    int failures_left = 2;
    const Counted value = co_await retry(
        *fixture.reactor, [&failures_left] { return make_counted_value(failures_left); });
    co_return value.number();
  };
  Counted::reset();
  {
    Fixture fixture;
    Started<int> started(work(fixture));
    fixture.pass(1s);
    fixture.pass(1s);
    REQUIRE(started.ended());
    CHECK(started.get() == 3);
  }
  CHECK(Counted::alive() == 0);
  CHECK(Counted::misplaced() == 0);
  // g++ 12 destroys temporary schedules in statements with co_await twice: docs/async.md.
  static_assert(std::is_trivially_destructible_v<RetrySchedule>);
}

}  // namespace
}  // namespace perigee
