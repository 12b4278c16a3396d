// Completions: they take one result from any thread, before or after the task waits, and decide
// where the task resumes.
#include "coroutines/leaves.h"
#include <perigee/async/completion.h>

#include <doctest/doctest.h>

#include <atomic>
#include <coroutine>
#include <deque>
#include <memory>
#include <semaphore>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

namespace perigee {
namespace {

using test::Started;

template <typename T>
task<T> wait_for(completion<T>& awaited) {
  co_return co_await awaited;
}

TEST_CASE("a task waits until the result is there, and goes on inside `complete`") {
  completion<int> answer;
  Started<int> started(wait_for(answer));
  CHECK_FALSE(started.ended());
  CHECK(answer.complete(42));
  CHECK(started.ended());
  CHECK(started.get() == 42);
}

TEST_CASE("a task does not suspend if the result is there already") {
  completion<> done;
  CHECK(done.complete());
  CHECK(Started<void>(wait_for(done)).ended());
}

TEST_CASE("only the first result counts") {
  completion<int> answer;
  CHECK(answer.complete(1));
  CHECK_FALSE(answer.complete(2));
  CHECK_FALSE(answer.fail(std::make_exception_ptr(std::logic_error("late"))));
  CHECK(Started<int>(wait_for(answer)).get() == 1);
}

TEST_CASE("co_await throws the exception of `fail`, and the exception of a value's constructor") {
  completion<int> failed;
  failed.fail(std::make_exception_ptr(std::logic_error("failed")));
  CHECK_THROWS_WITH(Started<int>(wait_for(failed)).get(), "failed");
  struct Throws {
    explicit Throws(int) { throw std::runtime_error("no value"); }
  };
  completion<Throws> throwing;
  CHECK(throwing.complete(1));
  CHECK_THROWS_WITH(static_cast<void>(Started<Throws>(wait_for(throwing)).get()), "no value");
}

/// An event loop of another library: it resumes coroutines one after the other.
class ForeignLoop {
 public:
  [[nodiscard]] executor where() noexcept {
    return executor(
        [](void* self, std::coroutine_handle<> task) {
          static_cast<ForeignLoop*>(self)->ready_.push_back(task);
        },
        this);
  }
  void run() {
    while (!ready_.empty()) {
      const std::coroutine_handle<> task = ready_.front();
      ready_.pop_front();
      task.resume();
    }
  }

 private:
  std::deque<std::coroutine_handle<>> ready_;
};

TEST_CASE("with an executor the task resumes where the executor runs it") {
  ForeignLoop loop;
  completion<int> answer(loop.where());
  Started<int> started(wait_for(answer));
  answer.complete(5);
  CHECK_FALSE(started.ended());
  loop.run();
  CHECK(started.get() == 5);
}

TEST_CASE("continue_on resumes a task where the executor runs it") {
  struct Moves {
    static task<> there(executor where) { co_await continue_on(where); }
  };
  ForeignLoop loop;
  Started<void> started(Moves::there(loop.where()));
  CHECK_FALSE(started.ended());
  loop.run();
  CHECK(started.ended());
  CHECK(Started<void>(Moves::there(executor())).ended());
}

TEST_CASE("a stop callback can provide the result of a completion") {
  struct Waits {
    static task<bool> stopped() {
      completion<bool> answer;
      const std::stop_token stop = co_await stop_token_of_this_task();
      const std::stop_callback on_stop(stop, [&answer] { answer.complete(true); });
      co_return co_await answer;
    }
  };
  std::stop_source source;
  Started<bool> started(Waits::stopped(), source.get_token());
  CHECK_FALSE(started.ended());
  source.request_stop();
  CHECK(started.get());
}

TEST_CASE("one of several racing threads completes, and the task resumes once") {
  for (int round = 0; round != 200; ++round) {
    completion<int> answer;
    std::atomic<int> wins = 0;
    std::atomic<int> won_by = 0;
    std::vector<std::thread> threads;
    for (int self = 1; self != 4; ++self) {
      threads.emplace_back([&, self] {
        if (answer.complete(self)) {
          ++wins;
          won_by = self;
        }
      });
    }
    Started<int> started(wait_for(answer));
    const int value = started.get();
    for (std::thread& thread : threads) thread.join();
    CHECK(wins == 1);
    CHECK(value == won_by);
    CHECK(started.ends() == 1);
  }
}

TEST_CASE("a completion may be destroyed as soon as its task resumes, on any thread") {
  struct Waits {
    static task<int> once(std::thread& thread) {
      completion<int> answer;  // in the task's frame, which ends with the task
      thread = std::thread([&answer] { answer.complete(1); });
      co_return co_await answer;
    }
  };
  for (int round = 0; round != 200; ++round) {
    std::thread thread;
    Started<int> started(Waits::once(thread));
    CHECK(started.get() == 1);
    thread.join();
  }
}

}  // namespace
}  // namespace perigee
