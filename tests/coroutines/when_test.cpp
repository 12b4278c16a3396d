// when_all and when_any: the places of values, failures, stop requests, threads.
#include "coroutines/leaves.h"
#include <perigee/async/completion.h>
#include <perigee/async/when.h>

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace perigee {
namespace {

using test::Gate;
using test::OtherThread;
using test::Started;

task<int> number(Gate& gate, int value) {
  co_await gate;
  co_return value;
}
task<std::string> text(Gate& gate, std::string value) {
  co_await gate;
  co_return value;
}
task<> pass(Gate& gate) { co_await gate; }
task<int> failing(Gate& gate, std::string message) {
  co_await gate;
  throw std::runtime_error(message);
}
task<int> at_once(int value) { co_return value; }
task<int> on_thread(OtherThread& thread, int value) {
  co_await thread;
  co_return value;
}
/// Returns whether its stop token was requested to stop.
task<int> stopped(Gate& gate) {
  co_await gate;
  const std::stop_token stop = co_await stop_token_of_this_task();
  co_return stop.stop_requested() ? 1 : 0;
}
std::vector<task<int>> list(task<int> first, task<int> second) {
  std::vector<task<int>> tasks;
  tasks.push_back(std::move(first));
  tasks.push_back(std::move(second));
  return tasks;
}
task<std::vector<int>> all_of(std::vector<task<int>> tasks) {
  std::vector<int> values = co_await when_all(std::move(tasks));
  co_return values;
}
task<winner<int>> any_of(std::vector<task<int>> tasks) {
  winner<int> first = co_await when_any(std::move(tasks));
  co_return first;
}

TEST_CASE("when_all returns the values in their places, whichever task ends first") {
  struct Awaits {
    static task<std::string> all(Gate* gates) {
      auto [value, word, none] =
          co_await when_all(number(gates[0], 4), text(gates[1], "two"), pass(gates[2]));
      static_assert(std::is_same_v<decltype(none), std::monostate>);
      co_return word + std::to_string(value);
    }
  };
  Gate gates[3];
  Started<std::string> started(Awaits::all(gates));
  gates[2].open();
  gates[0].open();
  CHECK_FALSE(started.ended());
  gates[1].open();
  CHECK(started.get() == "two4");
}

TEST_CASE("when_all resumes at once if no task waits") {
  Started<std::vector<int>> started(all_of(list(at_once(1), at_once(2))));
  CHECK(started.ended());
  CHECK(started.get() == std::vector{1, 2});
  CHECK(Started<std::vector<int>>(all_of({})).get().empty());
}

TEST_CASE("when_all throws the first failure in the list's order, after all tasks have ended") {
  Gate gates[2];
  Started<std::vector<int>> started(all_of(list(failing(gates[0], "a"), failing(gates[1], "b"))));
  gates[1].open();
  CHECK_FALSE(started.ended());
  gates[0].open();
  CHECK_THROWS_WITH(started.get(), "a");
}

TEST_CASE("when_all of tasks without values returns nothing, and values may be move-only") {
  struct Awaits {
    static task<std::unique_ptr<int>> made(int value) { co_return std::make_unique<int>(value); }
    static task<int> all(Gate& gate) {
      std::vector<task<>> tasks;
      tasks.push_back(pass(gate));
      co_await when_all(std::move(tasks));
      auto [first, second] = co_await when_all(made(1), made(2));
      co_return *first + *second;
    }
  };
  Gate gate;
  Started<int> started(Awaits::all(gate));
  gate.open();
  CHECK(started.get() == 3);
}

TEST_CASE("tasks of when_all inherit the stop token") {
  std::stop_source source;
  Gate gates[2];
  Started<std::vector<int>> started(all_of(list(stopped(gates[0]), stopped(gates[1]))),
                                    source.get_token());
  gates[0].open();
  source.request_stop();
  gates[1].open();
  CHECK(started.get() == std::vector{0, 1});
}

TEST_CASE("when_any returns the first value, stops the other tasks, and waits for them") {
  Gate gates[2];
  Started<winner<int>> started(any_of(list(stopped(gates[0]), number(gates[1], 9))));
  gates[1].open();
  CHECK_FALSE(started.ended());
  gates[0].open();
  const winner<int> first = started.get();
  CHECK(first.index() == 1);
  CHECK(first.value() == 9);
}

TEST_CASE("the other tasks of when_any see the stop request") {
  struct Awaits {
    static task<> lose(Gate& gate, bool& seen) {
      co_await gate;
      const std::stop_token stop = co_await stop_token_of_this_task();
      seen = stop.stop_requested();
    }
    static task<std::size_t> any(Gate* gates, bool& seen) {
      const std::variant<std::monostate, int> first =
          co_await when_any(lose(gates[0], seen), number(gates[1], 3));
      co_return first.index();
    }
  };
  Gate gates[2];
  bool seen = false;
  Started<std::size_t> started(Awaits::any(gates, seen));
  gates[1].open();
  gates[0].open();
  CHECK(started.get() == 1);
  CHECK(seen);
}

TEST_CASE("when_any returns the first success, or fails if all tasks fail") {
  Gate gates[2];
  Started<winner<int>> good(any_of(list(failing(gates[0], "a"), number(gates[1], 5))));
  gates[0].open();
  gates[1].open();
  CHECK(good.get().value() == 5);
  Started<winner<int>> bad(any_of(list(failing(gates[0], "a"), failing(gates[1], "b"))));
  gates[1].open();
  gates[0].open();
  CHECK_THROWS_WITH(bad.get(), "a");
  CHECK_THROWS_AS(Started<winner<int>>(any_of({})).get(), std::invalid_argument);
}

TEST_CASE("if all tasks of when_any fail, it throws the first failure in the list's order") {
  struct Awaits {
    static task<int> any(Gate* gates) {
      const std::variant<int, int> first =
          co_await when_any(failing(gates[0], "a"), failing(gates[1], "b"));
      co_return std::get<0>(first);
    }
  };
  Gate gates[2];
  Started<int> started(Awaits::any(gates));
  gates[1].open();
  gates[0].open();
  CHECK_THROWS_WITH(started.get(), "a");
}

TEST_CASE("the awaiting task's stop request reaches the tasks of when_any") {
  std::stop_source source;
  Gate gates[2];
  Started<winner<int>> started(any_of(list(stopped(gates[0]), stopped(gates[1]))),
                               source.get_token());
  source.request_stop();
  gates[0].open();
  gates[1].open();
  CHECK(started.get().value() == 1);
}

TEST_CASE("a task may end while its stop request is being passed to its tasks of when_any") {
  struct Awaits {
    /// Ends inside the stop request, before all callbacks are called.
    static task<bool> stop_request() {
      completion<bool> answer;
      const std::stop_token stop = co_await stop_token_of_this_task();
      const std::stop_callback called_later(stop, [] {});
      const std::stop_callback on_stop(stop, [&answer] { answer.complete(true); });
      co_return co_await answer;
    }
    static task<bool> any() {
      const std::variant<bool, bool> first = co_await when_any(stop_request(), stop_request());
      co_return std::get<0>(first);
    }
  };
  std::stop_source source;
  Started<bool> started(Awaits::any(), source.get_token());
  source.request_stop();
  CHECK(started.ended());
}

TEST_CASE("tasks on several threads: all are counted, and one wins") {
  struct Runs {
    static task<int> all(OtherThread* threads) {
      int total = 0;
      for (int round = 0; round != 200; ++round) {
        auto [a, b] = co_await when_all(on_thread(threads[0], 1), on_thread(threads[1], 2));
        const winner<int> first =
            co_await when_any(list(on_thread(threads[0], 3), on_thread(threads[1], 3)));
        total += a + b + first.value();
      }
      co_return total;
    }
  };
  OtherThread threads[2];
  CHECK(Started<int>(Runs::all(threads)).get() == 200 * 6);
}

TEST_CASE("when_all and when_any refuse empty tasks, and start no task then") {
  struct Awaits {
    static task<> all(Gate& gate) { co_await when_all(number(gate, 1), task<int>()); }
    static task<> any(Gate& gate) { co_await when_any(number(gate, 1), task<int>()); }
  };
  Gate gate;
  CHECK_THROWS_AS(Started<void>(Awaits::all(gate)).get(), std::invalid_argument);
  CHECK_THROWS_AS(Started<void>(Awaits::any(gate)).get(), std::invalid_argument);
  CHECK_THROWS_AS(Started<std::vector<int>>(all_of(list(number(gate, 1), {}))).get(),
                  std::invalid_argument);
  CHECK_THROWS_AS(Started<winner<int>>(any_of(list(number(gate, 1), {}))).get(),
                  std::invalid_argument);
  CHECK_FALSE(gate.has_waiter());
}

}  // namespace
}  // namespace perigee
