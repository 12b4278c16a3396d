// Tasks on a reactor: running, sleeping, moving to the reactor, and stopping a sleep.
#include "coroutines/leaves.h"
#include "support/fake_clock.h"
#include <perigee/async/as_task.h>
#include <perigee/async/completion.h>
#include <perigee/async/run.h>
#include <perigee/async/scope.h>
#include <perigee/async/sleep.h>
#include <perigee/async/when.h>
#include <perigee/event/reactor.h>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

namespace perigee {
namespace {

using namespace std::chrono_literals;
using test::OtherThread;
using test::Started;

/// A reactor with a clock that the test advances.
struct Fixture {
  test::FakeClock clock;
  std::unique_ptr<event::Reactor> reactor = event::make_reactor(clock).value();

  void turn() { reactor->run_once(Deadline::immediately()); }
};

task<int> number(int value) { co_return value; }
task<bool> sleep_from(Fixture& fixture, Duration duration) {
  const bool slept = co_await sleep_for(*fixture.reactor, duration, fixture.clock);
  co_return slept;
}

TEST_CASE("run returns the task's value, or throws the task's exception") {
  struct Fails {
    static task<> now() {
      throw std::runtime_error("failed");
      co_return;
    }
  };
  Fixture fixture;
  CHECK(run(*fixture.reactor, number(3)) == 3);
  CHECK_THROWS_WITH(run(*fixture.reactor, Fails::now()), "failed");
}

TEST_CASE("run waits for its task, whatever other tasks throw") {
  const auto work = [](Fixture& fixture) -> task<int> {
    fixture.reactor->post([] { throw std::runtime_error("another's"); });
    fixture.reactor->post([] { throw 5; });
    co_await continue_on(on(*fixture.reactor));
    co_return 3;
  };
  Fixture fixture;
  CHECK(run(*fixture.reactor, work(fixture)) == 3);
}

TEST_CASE("run drives the reactor until the task has ended, on any thread") {
  struct Hops {
    static task<bool> away_and_back(OtherThread& thread, event::Reactor& reactor) {
      co_await thread;
      const bool away = !reactor.is_loop_thread();
      co_await continue_on(on(reactor));
      const bool back = reactor.is_loop_thread();
      co_await thread;
      co_return away&& back;
    }
  };
  OtherThread thread;
  for (int round = 0; round != 100; ++round) {
    const auto reactor = event::make_reactor().value();  // destroyed when run has returned
    CHECK(run(*reactor, Hops::away_and_back(thread, *reactor)));
  }
}

TEST_CASE("run gives the task a stop token") {
  struct Looks {
    static task<bool> at_token() {
      const std::stop_token stop = co_await stop_token_of_this_task();
      co_return stop.stop_requested();
    }
  };
  Fixture fixture;
  std::stop_source source;
  source.request_stop();
  CHECK(run(*fixture.reactor, Looks::at_token(), source.get_token()));
  CHECK_FALSE(run(*fixture.reactor, Looks::at_token()));
}

TEST_CASE("a task does not wake before its time") {
  Fixture fixture;
  Started<bool> started(sleep_from(fixture, 10ms));
  fixture.turn();
  fixture.clock.advance(9ms);
  fixture.turn();
  CHECK_FALSE(started.ended());
  fixture.clock.advance(1ms);
  fixture.turn();
  CHECK(started.get());
}

TEST_CASE("a stop request ends a sleep early, on the loop's thread") {
  struct Sleeps {
    static task<bool> long_enough(Fixture& fixture, bool& on_loop) {
      const bool slept = co_await sleep_for(*fixture.reactor, 1h, fixture.clock);
      on_loop = fixture.reactor->is_loop_thread();
      co_return slept;
    }
  };
  Fixture fixture;
  std::stop_source source;
  bool on_loop = false;
  Started<bool> started(Sleeps::long_enough(fixture, on_loop), source.get_token());
  fixture.turn();
  std::thread([&] { source.request_stop(); }).join();
  CHECK_FALSE(started.ended());
  fixture.turn();
  CHECK_FALSE(started.get());
  CHECK(on_loop);
}

TEST_CASE("a sleep does not wait if a stop was requested before") {
  Fixture fixture;
  std::stop_source source;
  source.request_stop();
  Started<bool> started(sleep_from(fixture, 1h), source.get_token());
  CHECK(started.ended());
  CHECK_FALSE(started.get());
}

TEST_CASE("a stop request between the start of a sleep and the loop's next turn ends the sleep") {
  Fixture fixture;
  std::stop_source source;
  Started<bool> started(sleep_from(fixture, 1h), source.get_token());
  source.request_stop();
  fixture.turn();  // sets the timer and sees the request
  fixture.turn();
  CHECK_FALSE(started.get());
}

TEST_CASE("a stop request ends a sleep before its time, and has no effect after it") {
  for (const bool time_first : {true, false}) {
    Fixture fixture;
    std::stop_source source;
    Started<bool> started(sleep_from(fixture, 1ms), source.get_token());
    fixture.turn();
    if (!time_first) source.request_stop();
    fixture.clock.advance(1ms);
    fixture.turn();
    source.request_stop();
    fixture.turn();
    CHECK(started.ends() == 1);
    CHECK(started.get() == time_first);
  }
}

TEST_CASE("a sleep may have the longest duration") {
  Fixture fixture;
  std::stop_source source;
  Started<bool> started(
      [](Fixture& with) -> task<bool> {
        const bool slept = co_await sleep_for(*with.reactor, std::chrono::hours::max());
        co_return slept;
      }(fixture),
      source.get_token());
  fixture.turn();
  fixture.clock.advance(100 * 365 * 24h);
  fixture.turn();
  CHECK_FALSE(started.ended());
  source.request_stop();
  fixture.turn();
  CHECK_FALSE(started.get());
}

TEST_CASE("closing a reactor ends sleeps, and later sleeps end at once") {
  struct Sleeps {
    static task<int> thrice(Fixture& fixture) {
      int slept = 0;
      for (int count = 0; count != 3; ++count)
        if (co_await sleep_for(*fixture.reactor, 1h)) ++slept;
      co_return slept;
    }
  };
  Fixture fixture;
  Started<int> started(Sleeps::thrice(fixture));
  fixture.turn();
  fixture.clock.advance(1h);
  fixture.turn();
  CHECK(fixture.reactor->timers_armed() == 1);
  fixture.reactor->close();
  CHECK(started.get() == 1);
  CHECK(fixture.reactor->timers_armed() == 0);
}

TEST_CASE("when_any with a sleep is a time limit") {
  struct Limited {
    static task<> never(Fixture& fixture) {
      co_await sleep_for(*fixture.reactor, 24h, fixture.clock);
    }
    static task<std::size_t> index(Fixture& fixture) {
      const auto first = co_await when_any(
          never(fixture), as_task(sleep_for(*fixture.reactor, 5ms, fixture.clock)));
      co_return first.index();
    }
  };
  Fixture fixture;
  Started<std::size_t> started(Limited::index(fixture));
  fixture.turn();
  CHECK_FALSE(started.ended());
  fixture.clock.advance(5ms);
  fixture.turn();
  fixture.turn();
  CHECK(started.get() == 1);
}

TEST_CASE("racing sleeps and stop requests all end") {
  struct Sleeps {
    static task<> some(event::Reactor& reactor, int count) {
      for (int index = 0; index != count; ++index) {
        co_await sleep_for(reactor, std::chrono::microseconds(index % 3));
      }
    }
    static task<> all(event::Reactor& reactor, OtherThread& thread) {
      const std::stop_token outer = co_await stop_token_of_this_task();
      for (int round = 0; round != 50; ++round) {
        scope tasks(outer);
        for (int index = 0; index != 4; ++index) tasks.start(some(reactor, 3));
        co_await thread;
        tasks.request_stop();
        co_await tasks.join();
        co_await continue_on(on(reactor));
      }
    }
  };
  OtherThread thread;
  const auto reactor = event::make_reactor().value();
  CHECK_NOTHROW(run(*reactor, Sleeps::all(*reactor, thread)));
}

}  // namespace
}  // namespace perigee
