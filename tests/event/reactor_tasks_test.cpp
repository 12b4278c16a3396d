// The reactor's timers, posted tasks and stopping; and that it allocates nothing in the steady
// state.
#include "event/handles.h"
#include "support/allocations.h"
#include "support/fake_clock.h"
#include <perigee/event/reactor.h>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace perigee::event {
namespace {

using namespace std::chrono_literals;

/// A reactor whose time stands still.
struct Fixture {
  test::FakeClock clock;
  std::unique_ptr<Reactor> reactor = make_reactor(clock).value();
};

TEST_CASE("a timer runs when its time has come, not before, and once") {
  Fixture fixture;
  int calls = 0;
  fixture.reactor->schedule(fixture.clock.now() + 10ms, [&] { ++calls; });
  fixture.reactor->run_once(0ms);
  fixture.clock.advance(9ms);
  fixture.reactor->run_once(0ms);
  CHECK(calls == 0);
  fixture.clock.advance(1ms);
  fixture.reactor->run_once(-1ms);
  CHECK(calls == 1);
  fixture.clock.advance(1h);
  fixture.reactor->run_once(0ms);
  CHECK(calls == 1);
}

TEST_CASE("timers of one turn run in order of time, and of scheduling where that is the same") {
  Fixture fixture;
  std::vector<int> order;
  const auto at = [&](std::chrono::milliseconds time, int number) {
    fixture.reactor->schedule(fixture.clock.now() + time, [&, number] { order.push_back(number); });
  };
  at(30ms, 4);
  at(10ms, 1);
  at(20ms, 2);
  at(20ms, 3);
  fixture.clock.advance(1s);
  fixture.reactor->run_once(0ms);
  CHECK((order == std::vector{1, 2, 3, 4}));
}

TEST_CASE("a cancelled timer does not run, and only the first cancelling succeeds") {
  Fixture fixture;
  int calls = 0;
  const auto cancelled = fixture.reactor->schedule(fixture.clock.now(), [&] { ++calls; });
  const auto kept = fixture.reactor->schedule(fixture.clock.now(), [&] { ++calls; });
  CHECK(cancelled != kept);
  CHECK(fixture.reactor->cancel(cancelled));
  CHECK_FALSE(fixture.reactor->cancel(cancelled));
  fixture.reactor->run_once(0ms);
  CHECK(calls == 1);
  CHECK_FALSE(fixture.reactor->cancel(kept));
  CHECK_FALSE(fixture.reactor->cancel(0));
}

TEST_CASE("a timer can cancel another that is due in the same turn") {
  Fixture fixture;
  int calls = 0;
  TimerId second = 0;
  fixture.reactor->schedule(fixture.clock.now(), [&] { CHECK(fixture.reactor->cancel(second)); });
  second = fixture.reactor->schedule(fixture.clock.now(), [&] { ++calls; });
  fixture.reactor->run_once(0ms);
  CHECK(calls == 0);
}

TEST_CASE("a timer that schedules itself for now does not hold the turn") {
  Fixture fixture;
  int calls = 0;
  std::function<void()> again = [&] {
    ++calls;
    fixture.reactor->schedule(fixture.clock.now(), [&] { again(); });
  };
  again();
  fixture.reactor->run_once(0ms);
  CHECK(calls == 2);
  fixture.reactor->run_once(-1ms);
  CHECK(calls == 3);
}

TEST_CASE("a timer that schedules itself for the past keeps none of the others waiting") {
  Fixture fixture;
  const TimePoint past = fixture.clock.now();
  fixture.clock.advance(1h);
  int others = 0;
  std::function<void()> again = [&] { fixture.reactor->schedule(past, [&] { again(); }); };
  again();
  fixture.reactor->schedule(past + 1ms, [&] { ++others; });
  fixture.reactor->run_once(0ms);
  CHECK(others == 1);
  fixture.reactor->schedule(fixture.clock.now() + 1ms, [&] { ++others; });
  fixture.clock.advance(1s);
  fixture.reactor->run_once(0ms);
  CHECK(others == 2);
}

TEST_CASE("a timer ends the wait for handles") {
  auto reactor = make_reactor().value();
  bool called = false;
  reactor->schedule(steady_clock().now() + 1ms, [&] { called = true; });
  while (!called) reactor->run_once(-1ms);
  CHECK(called);
}

TEST_CASE("tasks run in the order in which they were posted, those of tasks in the next turn") {
  Fixture fixture;
  std::vector<int> order;
  fixture.reactor->post([&] {
    order.push_back(1);
    fixture.reactor->post([&] { order.push_back(3); });
  });
  fixture.reactor->post([&] { order.push_back(2); });
  fixture.reactor->run_once(-1ms);
  CHECK((order == std::vector{1, 2}));
  fixture.reactor->run_once(-1ms);
  CHECK((order == std::vector{1, 2, 3}));
}

TEST_CASE("a nested turn runs the tasks that the outer turn has left") {
  Fixture fixture;
  bool second = false;
  bool waited = false;
  fixture.reactor->post([&] {
    while (!second) fixture.reactor->run_once(-1ms);
    waited = true;
  });
  fixture.reactor->post([&] { second = true; });
  fixture.reactor->run_once(-1ms);
  CHECK(waited);
}

TEST_CASE("posting from other threads wakes the loop, and no task is lost") {
  auto reactor = make_reactor().value();
  constexpr int posts = 2000;
  int ran = 0;  // only the loop touches it
  std::jthread loop([&] { reactor->run(); });
  {
    std::vector<std::jthread> posters;
    for (int thread = 0; thread < 3; ++thread) {
      posters.emplace_back([&] {
        for (int count = 0; count < posts; ++count) reactor->post([&] { ++ran; });
      });
    }
  }
  reactor->post([&] { reactor->stop(); });
  loop.join();
  CHECK(ran == 3 * posts);
}

TEST_CASE("a task posted while the loop waits for ever is run") {
  auto reactor = make_reactor().value();
  std::atomic<int> round = 0;
  std::jthread loop([&] { reactor->run(); });
  for (int count = 1; count <= 200; ++count) {
    reactor->post([&] {
      ++round;
      round.notify_one();
    });
    round.wait(count - 1);  // else this test would hang
  }
  CHECK(round == 200);
  reactor->stop();
}

TEST_CASE("stop ends run, one that came before too, and only once") {
  auto reactor = make_reactor().value();
  reactor->stop();
  reactor->run();
  std::jthread loop([&] { reactor->run(); });
  bool ran = false;
  reactor->post([&] {
    ran = true;
    reactor->stop();
  });
  loop.join();
  CHECK(ran);
}

TEST_CASE("the loop's thread knows itself while it is in a turn") {
  Fixture fixture;
  CHECK_FALSE(fixture.reactor->is_loop_thread());
  bool inside = false;
  bool elsewhere = true;
  bool after_nested = false;
  fixture.reactor->post([&] {
    inside = fixture.reactor->is_loop_thread();
    std::jthread([&] { elsewhere = fixture.reactor->is_loop_thread(); }).join();
    fixture.reactor->run_once(0ms);
    after_nested = fixture.reactor->is_loop_thread();
  });
  fixture.reactor->run_once(0ms);
  CHECK(inside);
  CHECK_FALSE(elsewhere);
  CHECK(after_nested);
  CHECK_FALSE(fixture.reactor->is_loop_thread());
}

TEST_CASE("events, marks, timers and tasks allocate nothing once the reactor is warm") {
  Fixture fixture;
  auto pair = test::make_handle_pair();
  test::FunctionHandler handler;
  REQUIRE(fixture.reactor->add(pair.far.handle(), handler).has_value());
  int ran = 0;
  const auto turn = [&] {
    test::send_octet(pair.near);
    fixture.reactor->mark_ready(handler);
    fixture.reactor->post([&ran] { ++ran; });
    fixture.reactor->schedule(fixture.clock.now(), [&ran] { ++ran; });
    const auto timer = fixture.reactor->schedule(fixture.clock.now() + 1h, [&ran] { ++ran; });
    CHECK(fixture.reactor->cancel(timer));
    fixture.reactor->run_once(-1ms);
  };
  for (int count = 0; count < 10; ++count) turn();
  const auto used = test::allocations_of([&] {
    for (int count = 0; count < 10; ++count) turn();
  });
  CHECK(used.count == 0);
  CHECK(ran == 40);
  CHECK(handler.calls >= 20);
}

}  // namespace
}  // namespace perigee::event
