// Scopes: they wait for all started tasks, keep the first failure, and stop the other tasks.
#include "coroutines/leaves.h"
#include <perigee/async/scope.h>

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <vector>

namespace perigee {
namespace {

using test::Gate;
using test::OtherThread;
using test::Started;

task<> pass(Gate& gate) { co_await gate; }
task<> pass_holding(Gate& gate, std::shared_ptr<int> /*held*/) { co_await gate; }
task<> fail_after(Gate& gate, const char* text) {
  co_await gate;
  throw std::runtime_error(text);
}
task<> count_on(OtherThread& thread, std::atomic<int>& count) {
  co_await thread;
  ++count;
}
task<> join(scope& joined) { co_await joined.join(); }
task<> note_stop(Gate& gate, bool& stopped) {
  co_await gate;
  const std::stop_token stop = co_await stop_token_of_this_task();
  stopped = stop.stop_requested();
}

TEST_CASE("joining a scope without tasks returns at once") {
  scope empty;
  CHECK(Started<void>(join(empty)).ended());
}

TEST_CASE("joining waits until all tasks have ended") {
  scope tasks;
  Gate gates[2];
  tasks.start(pass(gates[0]));
  tasks.start(pass(gates[1]));
  Started<void> joining(join(tasks));
  gates[1].open();
  CHECK_FALSE(joining.ended());
  gates[0].open();
  CHECK(joining.ended());
}

TEST_CASE("tasks that end before the join count, too, and a scope may be used again") {
  scope tasks;
  for (int round = 0; round != 3; ++round) {
    Gate gate;
    tasks.start(pass(gate));
    gate.open();
    CHECK(Started<void>(join(tasks)).ended());
  }
}

TEST_CASE("arguments of the tasks are destroyed when the scope is joined") {
  struct Sees {
    static task<long> uses_after(scope& tasks, const std::shared_ptr<int>& given) {
      co_await tasks.join();
      co_return given.use_count();
    }
  };
  const auto given = std::make_shared<int>(1);
  scope tasks;
  Gate gate;
  tasks.start(pass_holding(gate, given));
  Started<long> joining(Sees::uses_after(tasks, given));
  gate.open();
  CHECK(joining.get() == 1);
}

TEST_CASE("joining throws the first failure of a task, after all tasks have ended") {
  scope tasks;
  Gate gates[3];
  tasks.start(fail_after(gates[0], "second"));
  tasks.start(fail_after(gates[1], "first"));
  tasks.start(pass(gates[2]));
  Started<void> joining(join(tasks));
  gates[1].open();
  gates[0].open();
  CHECK_FALSE(joining.ended());
  gates[2].open();
  CHECK_THROWS_WITH(joining.get(), "first");
  CHECK_NOTHROW(Started<void>(join(tasks)).get());
}

TEST_CASE("a failure stops the other tasks only if the scope's policy says so") {
  for (const bool cancels : {true, false}) {
    scope tasks({}, cancels ? scope::on_error::cancel : scope::on_error::keep_going);
    Gate gates[2];
    bool stopped = false;
    tasks.start(fail_after(gates[0], "failed"));
    tasks.start(note_stop(gates[1], stopped));
    Started<void> joining(join(tasks));
    gates[0].open();
    gates[1].open();
    CHECK_THROWS(joining.get());
    CHECK(stopped == cancels);
  }
}

TEST_CASE("a scope and the stop token of its constructor stop the scope's tasks") {
  for (const bool by_outer : {true, false}) {
    std::stop_source outer;
    scope tasks(outer.get_token());
    Gate gate;
    bool stopped = false;
    tasks.start(note_stop(gate, stopped));
    if (by_outer) {
      outer.request_stop();
    } else {
      tasks.request_stop();
      CHECK_FALSE(outer.stop_requested());
    }
    gate.open();
    Started<void>(join(tasks)).get();
    CHECK(stopped);
  }
}

TEST_CASE("an empty task is refused, and the scope continues") {
  scope tasks;
  CHECK_THROWS_AS(tasks.start(task<>()), std::invalid_argument);
  CHECK(Started<void>(join(tasks)).ended());
}

TEST_CASE("tasks may start other tasks in their scope") {
  struct Starts {
    static task<> two(scope& tasks, Gate* gates) {
      co_await gates[0];
      tasks.start(pass(gates[1]));
    }
  };
  scope tasks;
  Gate gates[2];
  tasks.start(Starts::two(tasks, gates));
  Started<void> joining(join(tasks));
  gates[0].open();
  CHECK_FALSE(joining.ended());
  gates[1].open();
  CHECK(joining.ended());
}

TEST_CASE("tasks of a scope may end on several threads, before and during the join") {
  struct Runs {
    static task<> all(OtherThread* threads, std::atomic<int>& count) {
      for (int round = 0; round != 200; ++round) {
        scope tasks;
        tasks.start(count_on(threads[0], count));
        tasks.start(count_on(threads[1], count));
        co_await tasks.join();
      }
    }
  };
  OtherThread threads[2];
  std::atomic<int> count = 0;
  Started<void>(Runs::all(threads, count)).get();
  CHECK(count == 400);
}

}  // namespace
}  // namespace perigee
