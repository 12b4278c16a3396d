// The threads of a pool: spare ones for those that wait, their limit, and their retiring.
#include "orb/server/pool_threads.h"

#include <doctest/doctest.h>

#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <utility>

using namespace perigee;

namespace {

using event::SharedPoll;

/// Runs a function on a thread of the pool.
class FunctionTask final : public orb::PoolTask {
 public:
  FunctionTask(SharedPoll& poll, std::function<void()> function)
      : poll_(poll), function_(std::move(function)) {
    REQUIRE(poll.add(-1, *this).has_value());
  }
  void start() { poll_.notify(*this, event::Readiness::readable); }
  void serve(event::Readiness /*readiness*/, orb::PoolWorker& /*worker*/) noexcept override {
    const auto done = done_;  // whoever waits for it ends this object
    function_();
    poll_.remove(*this);
    done->set_value();
  }
  void give_up() override {}
  void await() { done_->get_future().wait(); }

 private:
  SharedPoll& poll_;
  std::function<void()> function_;
  std::shared_ptr<std::promise<void>> done_ = std::make_shared<std::promise<void>>();
};

/// Is served twice, and waits in a call of its own the first time: like a connection on which a
/// oneway makes a call, and on which something has come meanwhile.
class CallingTask final : public orb::PoolTask {
 public:
  CallingTask(SharedPoll& poll, orb::PoolThreads& threads, std::function<void()> call)
      : poll_(poll), threads_(threads), call_(std::move(call)) {
    REQUIRE(poll.add(-1, *this).has_value());
  }
  void start() { poll_.notify(*this, event::Readiness::readable); }
  void serve(event::Readiness /*readiness*/, orb::PoolWorker& /*worker*/) noexcept override {
    if (std::exchange(called_, true)) {
      const auto done = done_;  // whoever waits for it ends this object
      poll_.remove(*this);
      return done->set_value();
    }
    if (threads_.begin_wait()) {
      call_();
      threads_.end_wait();
    }
    poll_.requeue(*this, SharedPoll::Next::wait);
  }
  void give_up() override {}
  void await() { done_->get_future().wait(); }

 private:
  SharedPoll& poll_;
  orb::PoolThreads& threads_;
  std::function<void()> call_;
  bool called_ = false;  // the owner's
  std::shared_ptr<std::promise<void>> done_ = std::make_shared<std::promise<void>>();
};

struct Pool {
  explicit Pool(orb::PoolSize size) : threads(*poll, size) { REQUIRE(threads.start()); }
  ~Pool() {
    poll->stop();
    threads.join();
  }
  /// A thread that waits until it is told to go on.
  struct Waiting {
    explicit Waiting(Pool& pool)
        : task(*pool.poll, [this, &pool] {
            began.set_value(pool.threads.begin_wait());
            leave.get_future().wait();
            if (admitted) pool.threads.end_wait();
          }) {
      task.start();
      admitted = began.get_future().get();
    }
    void end() {
      leave.set_value();
      task.await();
    }
    std::promise<bool> began;
    std::promise<void> leave;
    bool admitted = false;
    FunctionTask task;
  };
  void run_a_task() {
    FunctionTask task(*poll, [] {});
    task.start();
    task.await();
  }

  std::unique_ptr<SharedPoll> poll = event::make_shared_poll().value();
  orb::PoolThreads threads;
};

constexpr std::size_t buffer_size = 4096;

}  // namespace

TEST_CASE("a pool of one thread serves while that one waits, and then as one again") {
  Pool pool({.threads = 1, .spares_max = 2, .read_buffer_size = buffer_size});
  pool.run_a_task();
  CHECK(pool.threads.thread_count() == 1);
  {
    Pool::Waiting waiting(pool);
    CHECK(waiting.admitted);
    CHECK(pool.threads.serving_count() == 1);
    CHECK(pool.threads.thread_count() == 2);
    pool.run_a_task();
    waiting.end();
  }
  // Of two that serve, the next to finish something steps back.
  while (pool.threads.serving_count() != 1) pool.run_a_task();
  CHECK(pool.threads.thread_count() == 2);
  Pool::Waiting again(pool);
  CHECK(again.admitted);
  CHECK(pool.threads.thread_count() == 2);  // the spare one was called, no third made
  again.end();
}

TEST_CASE("a pool with another thread left needs no spare one") {
  Pool pool({.threads = 2, .spares_max = 2, .read_buffer_size = buffer_size});
  Pool::Waiting waiting(pool);
  CHECK(waiting.admitted);
  CHECK(pool.threads.thread_count() == 2);
  CHECK(pool.threads.serving_count() == 1);
  pool.run_a_task();
  waiting.end();
  CHECK(pool.threads.thread_count() == 2);
}

TEST_CASE("when all spare threads are used, the last one that serves may not wait") {
  Pool pool({.threads = 1, .spares_max = 2, .read_buffer_size = buffer_size});
  Pool::Waiting first(pool);
  Pool::Waiting second(pool);
  CHECK(first.admitted);
  CHECK(second.admitted);
  Pool::Waiting third(pool);
  CHECK_FALSE(third.admitted);
  CHECK(pool.threads.thread_count() == 3);
  third.end();
  second.end();
  Pool::Waiting fourth(pool);
  CHECK(fourth.admitted);
  fourth.end();
  first.end();
}

TEST_CASE("a spare thread that is not called again ends") {
  Pool pool({.threads = 1,
             .spares_max = 1,
             .read_buffer_size = buffer_size,
             .spare_kept = std::chrono::milliseconds(1)});
  {
    Pool::Waiting waiting(pool);
    pool.run_a_task();
    waiting.end();
  }
  while (pool.threads.thread_count() != 1) pool.run_a_task();
  pool.run_a_task();
}

TEST_CASE("a thread that steps back leaves what it has released to one that sleeps") {
  Pool pool({.threads = 1, .spares_max = 1, .read_buffer_size = buffer_size});
  for (int round = 0; round < 200; ++round) {
    CallingTask task(*pool.poll, pool.threads, [&pool] {
      pool.run_a_task();  // by the other thread, which sleeps then
      for (int turn = 0; turn < 100; ++turn) std::this_thread::yield();
    });
    task.start();
    task.await();
  }
}

TEST_CASE("threads of other pools, and of none, are not of this one") {
  Pool pool({.threads = 1, .spares_max = 0, .read_buffer_size = buffer_size});
  CHECK_FALSE(pool.threads.on_thread());
  bool inside = false;
  FunctionTask task(*pool.poll, [&] { inside = pool.threads.on_thread(); });
  task.start();
  task.await();
  CHECK(inside);
}
