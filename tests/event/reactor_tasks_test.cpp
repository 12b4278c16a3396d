// Timers, posted tasks and stopping of the reactor, which allocate nothing in the steady state.
#include "event/handles.h"
#include "event/pollers.h"
#include "support/allocations.h"
#include "support/fake_clock.h"
#include <perigee/event/reactor.h>

#include <doctest/doctest.h>
#include <poll.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace perigee::event {
namespace {

using namespace std::chrono_literals;

/// A reactor with a clock that the test advances.
struct Fixture {
  test::FakeClock clock;
  std::unique_ptr<Reactor> reactor = test::make_test_reactor(clock);
};

TEST_CASE("a timer fires once, and not before its time") {
  Fixture fixture;
  int calls = 0;
  fixture.reactor->schedule(fixture.clock.now() + 10ms, [&] { ++calls; });
  fixture.reactor->run_once(Deadline::immediately());
  fixture.clock.advance(9ms);
  fixture.reactor->run_once(Deadline::immediately());
  CHECK(calls == 0);
  fixture.clock.advance(1ms);
  fixture.reactor->run_once(Deadline::never());
  CHECK(calls == 1);
  fixture.clock.advance(1h);
  fixture.reactor->run_once(Deadline::immediately());
  CHECK(calls == 1);
}

TEST_CASE("timers of one turn fire in order of time; equal times, in order of scheduling") {
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
  fixture.reactor->run_once(Deadline::immediately());
  CHECK((order == std::vector{1, 2, 3, 4}));
}

TEST_CASE("a cancelled timer does not fire, and only the first cancel succeeds") {
  Fixture fixture;
  int calls = 0;
  const auto cancelled = fixture.reactor->schedule(fixture.clock.now(), [&] { ++calls; });
  const auto kept = fixture.reactor->schedule(fixture.clock.now(), [&] { ++calls; });
  CHECK(cancelled != kept);
  CHECK(fixture.reactor->cancel(cancelled));
  CHECK_FALSE(fixture.reactor->cancel(cancelled));
  fixture.reactor->run_once(Deadline::immediately());
  CHECK(calls == 1);
  CHECK_FALSE(fixture.reactor->cancel(kept));
  CHECK_FALSE(fixture.reactor->cancel(0));
}

TEST_CASE("a timer can cancel another timer that is due in the same turn") {
  Fixture fixture;
  int calls = 0;
  TimerId second = 0;
  fixture.reactor->schedule(fixture.clock.now(), [&] { CHECK(fixture.reactor->cancel(second)); });
  second = fixture.reactor->schedule(fixture.clock.now(), [&] { ++calls; });
  fixture.reactor->run_once(Deadline::immediately());
  CHECK(calls == 0);
}

TEST_CASE("a timer that schedules itself for now does not keep the turn from ending") {
  Fixture fixture;
  int calls = 0;
  std::function<void()> again = [&] {
    ++calls;
    fixture.reactor->schedule(fixture.clock.now(), [&] { again(); });
  };
  again();
  fixture.reactor->run_once(Deadline::immediately());
  CHECK(calls == 2);
  fixture.reactor->run_once(Deadline::never());
  CHECK(calls == 3);
}

TEST_CASE("a timer that schedules itself for the past does not delay other timers") {
  Fixture fixture;
  const TimePoint past = fixture.clock.now();
  fixture.clock.advance(1h);
  int others = 0;
  std::function<void()> again = [&] { fixture.reactor->schedule(past, [&] { again(); }); };
  again();
  fixture.reactor->schedule(past + 1ms, [&] { ++others; });
  fixture.reactor->run_once(Deadline::immediately());
  CHECK(others == 1);
  fixture.reactor->schedule(fixture.clock.now() + 1ms, [&] { ++others; });
  fixture.clock.advance(1s);
  fixture.reactor->run_once(Deadline::immediately());
  CHECK(others == 2);
}

TEST_CASE("a timer ends the wait for handles") {
  auto reactor = test::make_test_reactor();
  bool called = false;
  reactor->schedule(steady_clock().now() + 1ms, [&] { called = true; });
  while (!called) reactor->run_once(Deadline::never());
  CHECK(called);
}

TEST_CASE("tasks run in order of posting; a task that a task posts runs in the next turn") {
  Fixture fixture;
  std::vector<int> order;
  fixture.reactor->post([&] {
    order.push_back(1);
    fixture.reactor->post([&] { order.push_back(3); });
  });
  fixture.reactor->post([&] { order.push_back(2); });
  fixture.reactor->run_once(Deadline::never());
  CHECK((order == std::vector{1, 2}));
  fixture.reactor->run_once(Deadline::never());
  CHECK((order == std::vector{1, 2, 3}));
}

TEST_CASE("a nested turn runs the remaining tasks of the outer turn") {
  Fixture fixture;
  bool second = false;
  bool waited = false;
  fixture.reactor->post([&] {
    while (!second) fixture.reactor->run_once(Deadline::never());
    waited = true;
  });
  fixture.reactor->post([&] { second = true; });
  fixture.reactor->run_once(Deadline::never());
  CHECK(waited);
}

TEST_CASE("posting from other threads wakes the loop, and no task is lost") {
  auto reactor = test::make_test_reactor();
  constexpr int posts = 2000;
  int ran = 0;  // only the loop accesses it
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

TEST_CASE("a task that is posted while the loop waits without a limit runs") {
  auto reactor = test::make_test_reactor();
  std::atomic<int> round = 0;
  std::jthread loop([&] { reactor->run(); });
  for (int count = 1; count <= 200; ++count) {
    reactor->post([&] {
      ++round;
      round.notify_one();
    });
    round.wait(count - 1);  // a failure hangs here
  }
  CHECK(round == 200);
  reactor->stop();
}

TEST_CASE("a stop ends one run, even a stop before the run") {
  auto reactor = test::make_test_reactor();
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

TEST_CASE("is_loop_thread is true on the loop's thread while it is in a turn") {
  Fixture fixture;
  CHECK_FALSE(fixture.reactor->is_loop_thread());
  bool inside = false;
  bool elsewhere = true;
  bool after_nested = false;
  fixture.reactor->post([&] {
    inside = fixture.reactor->is_loop_thread();
    std::jthread([&] { elsewhere = fixture.reactor->is_loop_thread(); }).join();
    fixture.reactor->run_once(Deadline::immediately());
    after_nested = fixture.reactor->is_loop_thread();
  });
  fixture.reactor->run_once(Deadline::immediately());
  CHECK(inside);
  CHECK_FALSE(elsewhere);
  CHECK(after_nested);
  CHECK_FALSE(fixture.reactor->is_loop_thread());
}

struct CountingTask final : Task {
  CountingTask() : Task([](Task& task) { ++static_cast<CountingTask&>(task).runs; }) {}
  int runs = 0;
};

struct CountingTimer final : Timer {
  CountingTimer() : Timer([](Timer& timer) { ++static_cast<CountingTimer&>(timer).fires; }) {}
  std::atomic<int> fires = 0;
};

TEST_CASE("a task runs once if it is posted several times, and can be posted again later") {
  Fixture fixture;
  CountingTask task;
  CHECK(fixture.reactor->post(task));
  CHECK_FALSE(fixture.reactor->post(task));
  fixture.reactor->run_once(Deadline::never());
  CHECK(task.runs == 1);
  CHECK(fixture.reactor->post(task));
  fixture.reactor->run_once(Deadline::never());
  CHECK(task.runs == 2);
}

TEST_CASE("an armed timer can be moved and cancelled, and is counted") {
  Fixture fixture;
  CountingTimer timer;
  CHECK(fixture.reactor->arm(timer, Deadline::never()));
  CHECK_FALSE(fixture.reactor->arm(timer, Deadline::at(fixture.clock.now() + 1ms)));
  CHECK(fixture.reactor->timers_armed() == 1);
  fixture.reactor->run_once(Deadline::immediately());
  CHECK(timer.fires == 0);
  fixture.clock.advance(1ms);
  CHECK(fixture.reactor->has_work());
  fixture.reactor->run_once(Deadline::immediately());
  CHECK(timer.fires == 1);
  CHECK(fixture.reactor->timers_armed() == 0);
  CHECK_FALSE(fixture.reactor->cancel(timer));
  CHECK(fixture.reactor->arm(timer, Deadline::immediately()));
  CHECK(fixture.reactor->cancel(timer));
  fixture.reactor->run_once(Deadline::immediately());
  CHECK(timer.fires == 1);
  CHECK_FALSE(fixture.reactor->has_work());
}

TEST_CASE("a timer that another thread arms ends a wait without a limit") {
  const auto reactor = test::make_test_reactor();
  std::jthread loop([&] { reactor->run(); });
  CountingTimer timer;
  for (int round = 0; round < 100; ++round) {
    const int before = timer.fires;
    reactor->arm(timer, Deadline::after(std::chrono::microseconds(round), steady_clock().now()));
    while (timer.fires == before) std::this_thread::yield();  // a failure hangs here
  }
  reactor->stop();
}

TEST_CASE("a reactor's handle reports work that was posted before, and work that a turn left") {
  const auto reactor = test::make_test_reactor();
  int left = 3;
  const std::function<void()> again = [&] {
    if (--left != 0) reactor->post([&] { again(); });
  };
  reactor->post([&] { again(); });
  pollfd handle{reactor->handle(), POLLIN, 0};
  while (left != 0) {
    REQUIRE(::poll(&handle, 1, 10'000) == 1);
    reactor->run_once(Deadline::immediately());
  }
  CHECK(::poll(&handle, 1, 0) == 0);
}

TEST_CASE("the handle becomes readable when a timer is due") {
  const auto reactor = test::make_test_reactor();
  const auto readable = [&](int limit_ms) {
    pollfd handle{reactor->handle(), POLLIN, 0};
    return ::poll(&handle, 1, limit_ms) == 1;
  };
  CountingTimer timer;
  CountingTimer later;
  while (readable(0)) reactor->run_once(Deadline::immediately());
  reactor->arm(later, Deadline::after(1h, steady_clock().now()));
  while (readable(0)) reactor->run_once(Deadline::immediately());
  CHECK_FALSE(reactor->has_work());
  for (int round = 0; round < 3; ++round) {
    const auto end = steady_clock().now() + 2ms;
    reactor->arm(timer, Deadline::at(end));
    while (timer.fires == round) {
      CHECK(readable(60'000));
      reactor->run_once(Deadline::immediately());
    }
    CHECK(steady_clock().now() >= end);
  }
  CHECK(reactor->cancel(later));
}

TEST_CASE("closing a reactor fires its timers and drops scheduled functions") {
  Fixture fixture;
  CountingTimer timer;
  int scheduled = 0;
  fixture.reactor->arm(timer, Deadline::never());
  fixture.reactor->schedule(fixture.clock.now() + 1h, [&] { ++scheduled; });
  fixture.reactor->close();
  CHECK(timer.fires == 1);
  CHECK(scheduled == 0);
  CHECK(fixture.reactor->timers_armed() == 0);
}

TEST_CASE("events, marks, timers and tasks allocate nothing in the steady state") {
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
    fixture.reactor->run_once(Deadline::never());
  };
  for (int count = 0; count < 10; ++count) turn();
  const auto used = test::allocations_of([&] {
    for (int count = 0; count < 10; ++count) turn();
  });
  if (test::pools_in_use) CHECK(used.count == 0);
  CHECK(ran == 40);
  CHECK(handler.calls >= 20);
}

}  // namespace
}  // namespace perigee::event
