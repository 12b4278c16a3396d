// with_scope: when it ends, all tasks that its body started have ended, whatever the body does.
#include "coroutines/counted.h"
#include "coroutines/leaves.h"
#include "support/fake_clock.h"
#include <perigee/async/with_scope.h>
#include <perigee/base/deadline.h>
#include <perigee/event/reactor.h>
#include <perigee/orb/exceptions.h>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <utility>

namespace perigee {
namespace {

using test::Counted;
using test::Gate;
using test::Started;

using OnError = scope::on_error;

task<> pass(Gate& gate) { co_await gate; }
task<> fail_after(Gate& gate, const char* text) {
  co_await gate;
  throw std::runtime_error(text);
}
task<> note_stop(Gate& gate, bool& stopped) {
  co_await gate;
  const std::stop_token stop = co_await stop_token_of_this_task();
  stopped = stop.stop_requested();
}
task<> read_after(Gate& gate, const Counted& counted, int& number) {
  co_await gate;
  number = counted.number();
}

/// A task, and a body that throws while the task runs.
struct Throwing {
  task<> run(OnError policy) {
    co_await with_scope(
        [this](scope& tasks) -> task<> {
          tasks.start(note_stop(task_gate, stopped));
          co_await body_gate;
          throw std::runtime_error("body");
        },
        policy);
  }

  Gate task_gate;
  Gate body_gate;
  bool stopped = false;
};

TEST_CASE("a body that throws waits for its running tasks, and then its exception is thrown") {
  for (const bool waits : {true, false}) {
    Throwing throwing;
    Started<void> started(throwing.run(OnError::keep_going));
    if (waits) throwing.body_gate.open();
    CHECK_FALSE(started.ended());
    throwing.task_gate.open();
    if (!waits) throwing.body_gate.open();
    CHECK_THROWS_WITH(started.get(), "body");
  }
}

TEST_CASE("a body that throws stops the other tasks, unless the policy is keep_going") {
  for (const OnError policy : {OnError::cancel, OnError::keep_going}) {
    Throwing throwing;
    Started<void> started(throwing.run(policy));
    throwing.body_gate.open();
    throwing.task_gate.open();
    CHECK_THROWS_WITH(started.get(), "body");
    CHECK(throwing.stopped == (policy == OnError::cancel));
  }
}

TEST_CASE("a body that throws before it first waits still waits for its started tasks") {
  const auto work = [](Gate& gate) -> task<> {
    co_await with_scope([&gate](scope& tasks) -> task<> {
      tasks.start(pass(gate));
      throw std::runtime_error("at once");
      co_return;
    });
  };
  Gate gate;
  Started<void> started(work(gate));
  CHECK_FALSE(started.ended());
  gate.open();
  CHECK_THROWS_WITH(started.get(), "at once");
}

TEST_CASE("tasks may end after their body, and the first failure is thrown") {
  const auto work = [](Gate* gates, bool& stopped) -> task<> {
    co_await with_scope([gates, &stopped](scope& tasks) -> task<> {
      tasks.start(fail_after(gates[0], "task"));
      tasks.start(note_stop(gates[1], stopped));
      co_return;
    });
  };
  Gate gates[2];
  bool stopped = false;
  Started<void> started(work(gates, stopped));
  gates[0].open();
  CHECK_FALSE(started.ended());
  gates[1].open();
  CHECK_THROWS_WITH(started.get(), "task");
  CHECK(stopped);
}

TEST_CASE("a stop request for the awaiting task stops the body and its tasks") {
  const auto work = [](Gate* gates, bool* stopped) -> task<> {
    co_await with_scope([gates, stopped](scope& tasks) -> task<> {
      tasks.start(note_stop(gates[0], stopped[0]));
      co_await note_stop(gates[1], stopped[1]);
    });
  };
  Gate gates[2];
  bool stopped[2] = {};
  std::stop_source outer;
  Started<void> started(work(gates, stopped), outer.get_token());
  outer.request_stop();
  gates[0].open();
  gates[1].open();
  started.get();
  CHECK(stopped[0]);
  CHECK(stopped[1]);
}

TEST_CASE("captures of the body live until all tasks have ended, and are destroyed once") {
  const auto work = [](Gate& gate, int& seen) -> task<> {
    auto body = [&gate, &seen, held = Counted(4)](scope& tasks) -> task<> {
      tasks.start(read_after(gate, held, seen));
      co_return;
    };
    co_await with_scope(std::move(body));
  };
  Counted::reset();
  Gate gate;
  int seen = 0;
  {
    Started<void> started(work(gate, seen));
    CHECK(Counted::alive() > 0);
    gate.open();
    started.get();
  }
  CHECK(seen == 4);
  CHECK(Counted::alive() == 0);
  CHECK(Counted::misplaced() == 0);
}

/// A reactor with a clock that the test advances, and a scope with a limit of a second.
struct Limited {
  test::FakeClock clock;
  std::unique_ptr<event::Reactor> reactor = event::make_reactor(clock).value();

  void turns() {
    for (int turn = 0; turn != 3; ++turn) reactor->run_once(Deadline::immediately());
  }
  task<> run(Gate& gate, bool& stopped) {
    co_await with_scope(within(*reactor, std::chrono::seconds(1)),
                        [&gate, &stopped](scope& tasks) -> task<> {
                          tasks.start(note_stop(gate, stopped));
                          co_return;
                        });
  }
};

TEST_CASE("after its deadline a scope stops its tasks, waits for them, and throws TIMEOUT") {
  Limited limited;
  Gate gate;
  bool stopped = false;
  Started<void> started(limited.run(gate, stopped));
  limited.turns();
  limited.clock.advance(std::chrono::seconds(1));
  limited.turns();
  CHECK_FALSE(started.ended());
  gate.open();
  limited.turns();
  REQUIRE(started.ended());
  CHECK_THROWS_AS(started.get(), CORBA::TIMEOUT);
  CHECK(stopped);
}

TEST_CASE("a scope that ends in time leaves no timer") {
  Limited limited;
  Gate gate;
  bool stopped = false;
  Started<void> started(limited.run(gate, stopped));
  limited.turns();
  CHECK(limited.reactor->timers_armed() == 1);
  gate.open();
  limited.turns();
  REQUIRE(started.ended());
  started.get();
  CHECK_FALSE(stopped);
  CHECK(limited.reactor->timers_armed() == 0);
}

TEST_CASE("a body that returns an empty task is an error, also in a scope with a deadline") {
  const auto work = [](event::Reactor& reactor) -> task<> {
    co_await with_scope(within(reactor, std::chrono::seconds(1)),
                        [](scope& /*tasks*/) { return task<>(); });
  };
  Limited limited;
  Started<void> started(work(*limited.reactor));
  limited.turns();
  REQUIRE(started.ended());
  CHECK_THROWS_AS(started.get(), std::invalid_argument);
  CHECK(limited.reactor->timers_armed() == 0);
}

TEST_CASE("a failure before the deadline is thrown, even if tasks end after the deadline") {
  const auto work = [](event::Reactor& reactor, Gate& late) -> task<> {
    co_await with_scope(
        within(reactor, std::chrono::seconds(1)),
        [&late](scope& tasks) -> task<> {
          tasks.start(pass(late));
          throw std::runtime_error("body");
          co_return;
        },
        OnError::keep_going);
  };
  for (const bool in_time : {true, false}) {
    Limited limited;
    Gate gate;
    Started<void> started(work(*limited.reactor, gate));
    limited.turns();
    if (!in_time) limited.clock.advance(std::chrono::seconds(1));
    limited.turns();
    gate.open();
    limited.turns();
    REQUIRE(started.ended());
    CHECK_THROWS_WITH(started.get(), "body");
  }
}

TEST_CASE("a scope with a deadline obeys the stop token of the awaiting task") {
  Limited limited;
  Gate gate;
  bool stopped = false;
  std::stop_source outer;
  Started<void> started(limited.run(gate, stopped), outer.get_token());
  outer.request_stop();
  gate.open();
  limited.turns();
  REQUIRE(started.ended());
  started.get();
  CHECK(stopped);
}

}  // namespace
}  // namespace perigee
