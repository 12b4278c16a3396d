// Tasks: values, exceptions, ownership, stop tokens, and use of the stack.
#include "coroutines/leaves.h"
#include <perigee/async/as_task.h>
#include <perigee/async/task.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace perigee {
namespace {

using test::Gate;
using test::OtherThread;
using test::Started;

#ifdef PERIGEE_TEST_SANITIZED
constexpr int many = 100'000;
#else
constexpr int many = 2'000'000;
#endif

task<int> number(int value) { co_return value; }
task<> nothing() { co_return; }
task<int> failing() {
  throw std::runtime_error("failed");
  co_return 0;
}
task<int> number_after(Gate& gate, int value) {
  co_await gate;
  co_return value;
}
task<> failing_after(Gate& gate) {
  co_await gate;
  throw std::logic_error("late");
}

/// Can be awaited through a free operator co_await.
struct ByFunction {};
class FiveAwaiter {
 public:
  [[nodiscard]] bool await_ready() const noexcept { return true; }
  void await_suspend(std::coroutine_handle<> /*task*/) const noexcept {}
  [[nodiscard]] int await_resume() const noexcept { return 5; }
};
FiveAwaiter operator co_await(const ByFunction& /*awaited*/) noexcept { return {}; }

TEST_CASE("a task does nothing until it is awaited or started") {
  bool begun = false;
  const auto make = [](bool& flag) -> task<> {
    flag = true;
    co_return;
  };
  {
    const task<> never = make(begun);
    CHECK(never);
  }
  CHECK_FALSE(begun);
  Started<void>(make(begun)).get();
  CHECK(begun);
}

TEST_CASE("co_await gives the task's value") {
  const auto sum = [](int count) -> task<int> {
    int total = 0;
    for (int index = 1; index <= count; ++index) {
      const int value = co_await number(index);
      total += value;
    }
    co_await nothing();
    co_return total;
  };
  CHECK(Started<int>(sum(4)).get() == 10);
}

TEST_CASE("a suspended task resumes where it waited, and then its awaiter resumes") {
  Gate gate;
  const auto twice = [](Gate& waited) -> task<int> {
    const int first = co_await number_after(waited, 20);
    const int second = co_await number_after(waited, 22);
    co_return first + second;
  };
  Started<int> started(twice(gate));
  CHECK(gate.has_waiter());
  gate.open();
  CHECK(gate.has_waiter());
  CHECK_FALSE(started.ended());
  gate.open();
  CHECK(started.ends() == 1);
  CHECK(started.get() == 42);
}

TEST_CASE("co_await throws the task's exception, which also ends the awaiting task if not caught") {
  const auto catching = []() -> task<std::string> {
    std::string caught;
    try {
      co_await failing();
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
    co_return caught;
  };
  CHECK(Started<std::string>(catching()).get() == "failed");
  const auto passing = []() -> task<int> {
    const int value = co_await failing();
    co_return value;
  };
  CHECK_THROWS_AS(Started<int>(passing()).get(), std::runtime_error);
}

TEST_CASE("co_await throws a task's exception after a suspension, too") {
  Gate gate;
  const auto outer = [](Gate& waited) -> task<> { co_await failing_after(waited); };
  Started<void> started(outer(gate));
  gate.open();
  CHECK_THROWS_AS(started.get(), std::logic_error);
}

TEST_CASE("results may be move-only types, references, and types without a default constructor") {
  struct Odd {
    explicit Odd(int from) : value(from) {}
    int value;
  };
  const auto moved = []() -> task<std::unique_ptr<int>> { co_return std::make_unique<int>(7); };
  CHECK(*Started<std::unique_ptr<int>>(moved()).get() == 7);
  static int place = 0;
  const auto reference = []() -> task<int&> { co_return place; };
  CHECK(&Started<int&>(reference()).get() == &place);
  const auto constant = []() -> task<const int&> { co_return place; };
  CHECK(&Started<const int&>(constant()).get() == &place);
  const auto odd = []() -> task<Odd> { co_return Odd(3); };
  CHECK(Started<Odd>(odd()).get().value == 3);
  const auto braces = []() -> task<std::vector<int>> { co_return {1, 2, 3}; };
  CHECK(Started<std::vector<int>>(braces()).get().size() == 3);
}

TEST_CASE("parameters and locals are destroyed with the task, in order, once") {
  const auto alive = std::make_shared<int>(1);
  Gate gate;
  const auto keeping = [](std::shared_ptr<int> kept, Gate& waited) -> task<> {
    const std::weak_ptr<int> local = kept;
    co_await waited;
    CHECK(local.use_count() == 2);
  };
  Started<void> started(keeping(alive, gate));
  CHECK(alive.use_count() == 2);
  gate.open();
  CHECK(alive.use_count() == 1);
  {
    const task<> never = keeping(alive, gate);
  }
  CHECK(alive.use_count() == 1);
}

TEST_CASE("a moved-from task is empty") {
  task<int> first = number(1);
  task<int> second = std::move(first);
  CHECK_FALSE(first);  // NOLINT(bugprone-use-after-move)
  first = std::move(second);
  CHECK(Started<int>(std::move(first)).get() == 1);
}

TEST_CASE("the outcome that `done` receives has a value or an error") {
  struct Seen {
    bool has_value = false;
    bool has_error = false;
  };
  const auto look = [](void* context, async::outcome<int>& result) noexcept {
    *static_cast<Seen*>(context) = {result.has_value(), result.error() != nullptr};
  };
  Seen good;
  async::start(number(1), &good, look);
  CHECK(good.has_value);
  CHECK_FALSE(good.has_error);
  Seen bad;
  async::start(failing(), &bad, look);
  CHECK_FALSE(bad.has_value);
  CHECK(bad.has_error);
}

task<bool> stop_is_requested() {
  const std::stop_token stop = co_await stop_token_of_this_task();
  co_return stop.stop_requested();
}

TEST_CASE("a task has the stop token that it was started with, and its children inherit it") {
  std::stop_source source;
  Gate gate;
  const auto parent = [](Gate& waited) -> task<std::pair<bool, bool>> {
    const bool before = co_await stop_is_requested();
    co_await waited;
    const bool after = co_await stop_is_requested();
    co_return std::pair(before, after);
  };
  Started<std::pair<bool, bool>> started(parent(gate), source.get_token());
  source.request_stop();
  gate.open();
  CHECK(started.get() == std::pair(false, true));
}

TEST_CASE("without a stop token a stop is not possible") {
  const auto possible = []() -> task<bool> {
    const std::stop_token stop = co_await stop_token_of_this_task();
    co_return stop.stop_possible();
  };
  CHECK_FALSE(Started<bool>(possible()).get());
}

/// A coroutine of another library: it starts at once, and has no awaiter.
struct Foreign {
  struct promise_type {
    Foreign get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

TEST_CASE("coroutines of other libraries may await tasks, which never get a stop request then") {
  struct Awaits {
    static task<int> inner(Gate& gate) {
      const int value = co_await number_after(gate, 1);
      const bool stopped = co_await stop_is_requested();
      co_return stopped ? 0 : value;
    }
    static Foreign outer(Gate& gate, int& result) { result = co_await inner(gate); }
  };
  Gate gate;
  int result = 0;
  Awaits::outer(gate, result);
  CHECK(result == 0);
  gate.open();
  CHECK(result == 1);
}

TEST_CASE("each of the three kinds of awaitable can be made a task") {
  struct Direct {
    [[nodiscard]] bool await_ready() const noexcept { return true; }
    void await_suspend(std::coroutine_handle<> /*task*/) const noexcept {}
    [[nodiscard]] int await_resume() const noexcept { return 3; }
  };
  CHECK(Started<int>(as_task(Direct())).get() == 3);
  CHECK(Started<int>(as_task(number(4))).get() == 4);
  CHECK(Started<int>(as_task(ByFunction())).get() == 5);
  Started<void>(as_task(nothing())).get();
}

/// Measures the distance between the stack positions of the calls.
class StackSpan {
 public:
  [[gnu::noinline]] void look() noexcept {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    lowest_ = std::min(lowest_, here);
    highest_ = std::max(highest_, here);
  }
  [[nodiscard]] std::uintptr_t octets() const noexcept { return highest_ - lowest_; }

 private:
  std::uintptr_t lowest_ = ~std::uintptr_t{0};
  std::uintptr_t highest_ = 0;
};

task<int> looking(StackSpan& span, int value) {
  span.look();
  co_return value;
}

TEST_CASE("any number of children that end without waiting use no stack") {
  StackSpan span;
  const auto loop = [](StackSpan& measured) -> task<std::int64_t> {
    std::int64_t total = 0;
    for (int index = 0; index != many; ++index) {
      const int value = co_await looking(measured, index);
      total += value;
    }
    co_return total;
  };
  CHECK(Started<std::int64_t>(loop(span)).get() == std::int64_t{many} * (many - 1) / 2);
  CHECK(span.octets() < 4096);
}

TEST_CASE("any number of children that wait and are resumed in turn use no stack") {
  StackSpan span;
  Gate gate;
  const auto loop = [](StackSpan& measured, Gate& waited) -> task<int> {
    int total = 0;
    for (int index = 0; index != many / 10; ++index) {
      const int value = co_await number_after(waited, 1);
      measured.look();
      total += value;
    }
    co_return total;
  };
  Started<int> started(loop(span, gate));
  while (gate.has_waiter()) gate.open();
  CHECK(started.get() == many / 10);
  CHECK(span.octets() < 4096);
}

task<int> number_on(OtherThread& thread, int value) {
  co_await thread;
  co_return value;
}

TEST_CASE("a child that another thread resumes at once is awaited, and its awaiter resumes once") {
  // The other thread ends the child while this thread still starts the child, or later.
  OtherThread threads[2];
  const auto loop = [](OtherThread* to) -> task<int> {
    int total = 0;
    for (int index = 0; index != many / 100; ++index) {
      const int value = co_await number_on(to[index % 2], index);
      total += value == index ? 1 : 0;
    }
    co_return total;
  };
  CHECK(Started<int>(loop(threads)).get() == many / 100);
}

TEST_CASE("resuming the last task of a chain ends the whole chain") {
  Gate gate;
  struct Chain {
    static task<int> of(Gate& gate, int depth) {
      if (depth == 0) {
        co_await gate;
        co_return 0;
      }
      const int below = co_await of(gate, depth - 1);
      co_return below + 1;
    }
  };
  Started<int> started(Chain::of(gate, 500));
  gate.open();
  CHECK(started.get() == 500);
}

TEST_CASE("an empty task is neither awaited nor started") {
  const auto awaits = [](task<int> work) -> task<int> { co_return co_await std::move(work); };
  CHECK_THROWS_AS(Started<int>(awaits({})).get(), std::invalid_argument);
  CHECK_THROWS_AS(Started<int>(task<int>()), std::invalid_argument);
}

}  // namespace
}  // namespace perigee
