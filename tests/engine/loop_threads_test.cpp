// The threads of a loop: spare threads for upcalls that wait, their limit, and their end.
#include "engine/loops/loop_threads.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

using namespace perigee;
using namespace perigee::engine;

namespace {

/// Runs a function on a thread of the loop, once for each `start`. Has a count of references, like
/// a connection.
class Work final : public Pollable {
 public:
  static Work& make(Reactor& reactor, std::function<void(Work&)> function) {
    return *new Work(reactor, std::move(function));
  }
  void start() noexcept { reactor_.mark_ready(*this); }
  /// The function calls this when the work is over.
  void end() noexcept {
    reactor_.remove(*this);
    done_.set_value();
  }
  /// Waits for `end`, and releases the work.
  void await() {
    done_.get_future().wait();
    drop_reference();
  }
  void handle_event(const Event& /*event*/) noexcept override { function_(*this); }
  void add_reference() noexcept override { references_.fetch_add(1); }
  void drop_reference() noexcept override {
    if (references_.fetch_sub(1) == 1) delete this;
  }

 private:
  Work(Reactor& reactor, std::function<void(Work&)> function)
      : Pollable(Counted::yes), reactor_(reactor), function_(std::move(function)) {}

  Reactor& reactor_;
  std::function<void(Work&)> function_;
  std::promise<void> done_;
  std::atomic<int> references_{1};
};

std::unique_ptr<Reactor> make_shared() {
  return std::move(*event::make_reactor(steady_clock(), {}, event::Threads::several));
}

struct Pool {
  Pool(std::uint32_t planned, std::uint32_t spares_max,
       std::chrono::milliseconds standby = LoopThreads::standby_time)
      : spares(spares_max),
        loop(steady_clock(), make_shared(), timers.get()),
        threads(loop, planned, spares, standby) {
    loop.set_threads(threads);
    REQUIRE(threads.start());
  }
  ~Pool() {
    loop.reactor().stop();
    threads.join();
  }
  /// A thread of the loop that waits until it is told to go on.
  struct Waiting {
    explicit Waiting(Pool& pool)
        : work(Work::make(pool.loop.reactor(), [this, &pool](Work& self) {
            began.set_value(pool.threads.begin_wait());
            leave.get_future().wait();
            if (admitted) pool.threads.end_wait();
            self.end();
          })) {
      work.start();
      admitted = began.get_future().get();
    }
    void end() {
      leave.set_value();
      work.await();
    }
    std::promise<bool> began;
    std::promise<void> leave;
    bool admitted = false;
    Work& work;
  };
  void run_work() {
    Work& work = Work::make(loop.reactor(), [](Work& self) { self.end(); });
    work.start();
    work.await();
  }

  std::unique_ptr<Reactor> timers = std::move(*event::make_reactor());
  SpareThreads spares;
  Loop loop;
  LoopThreads threads;
};

}  // namespace

TEST_CASE(
    "a spare thread serves a loop while its only thread waits, and then one thread serves again") {
  Pool pool(1, 2);
  pool.run_work();
  CHECK(pool.threads.thread_count() == 1);
  {
    Pool::Waiting waiting(pool);
    CHECK(waiting.admitted);
    CHECK(pool.threads.serving_count() == 1);
    CHECK(pool.threads.thread_count() == 2);
    pool.run_work();
    waiting.end();
  }
  // Two threads serve now. The next idle thread steps back.
  while (pool.threads.serving_count() != 1) pool.run_work();
  CHECK(pool.threads.thread_count() == 2);
  Pool::Waiting again(pool);
  CHECK(again.admitted);
  CHECK(pool.threads.thread_count() == 2);  // the thread on stand-by serves again
  again.end();
}

TEST_CASE("nested waits of one thread count once") {
  Pool pool(1, 4);
  std::promise<void> leave;
  std::promise<void> waits;
  Work& work = Work::make(pool.loop.reactor(), [&](Work& self) {
    CHECK(pool.threads.begin_wait());
    CHECK(pool.threads.begin_wait());
    CHECK(pool.threads.begin_wait());
    pool.threads.end_wait();
    waits.set_value();
    leave.get_future().wait();
    pool.threads.end_wait();
    pool.threads.end_wait();
    self.end();
  });
  work.start();
  waits.get_future().wait();
  CHECK(pool.threads.serving_count() == 1);
  CHECK(pool.threads.thread_count() == 2);  // one spare thread
  CHECK(pool.spares.left() == 3);
  pool.run_work();
  leave.set_value();
  work.await();
  while (pool.threads.serving_count() != 1) pool.run_work();
  CHECK(pool.threads.thread_count() == 2);
}

TEST_CASE("a loop with another thread left needs no spare thread") {
  Pool pool(2, 2);
  Pool::Waiting waiting(pool);
  CHECK(waiting.admitted);
  CHECK(pool.threads.thread_count() == 2);
  CHECK(pool.threads.serving_count() == 1);
  pool.run_work();
  waiting.end();
  CHECK(pool.threads.thread_count() == 2);
}

TEST_CASE("when all spare threads are used, the last thread that serves may not wait") {
  Pool pool(1, 2);
  Pool::Waiting first(pool);
  Pool::Waiting second(pool);
  CHECK(first.admitted);
  CHECK(second.admitted);
  CHECK(pool.spares.left() == 0);
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

TEST_CASE("threads return to the plan after a burst of upcalls that wait") {
  constexpr std::uint32_t spares = 10;
  Pool pool(2, spares, std::chrono::milliseconds(1));
  {
    std::vector<std::unique_ptr<Pool::Waiting>> burst;
    for (std::uint32_t count = 0; count < spares + 1; ++count) {
      burst.push_back(std::make_unique<Pool::Waiting>(pool));
      CHECK(burst.back()->admitted);
      CHECK(pool.threads.thread_count() <= 2 + spares);
    }
    for (const auto& waiting : burst) waiting->end();
  }
  while (pool.threads.thread_count() != 2) pool.run_work();
  CHECK(pool.spares.left() == spares);
  pool.run_work();
}

namespace {

/// Work that keeps a thread without saying that it waits.
struct Blocking {
  explicit Blocking(Pool& pool)
      : work(Work::make(pool.loop.reactor(), [this](Work& self) {
          began.set_value();
          leave.get_future().wait();
          self.end();
        })) {
    work.start();
  }
  void end() {
    leave.set_value();
    work.await();
  }
  std::promise<void> began;
  std::promise<void> leave;
  Work& work;
};

// Does what the supervisor does: if the loop looks stuck within a few ticks, it adds spare threads.
// Returns false if no thread was added.
bool add_spare_if_stuck(Pool& pool) {
  const std::chrono::milliseconds tick(1);
  for (int look = 0; look < 5; ++look) {
    if (engine::is_stuck(pool.threads.look(tick))) return pool.threads.add_spares();
    std::this_thread::sleep_for(tick);
  }
  return false;
}

}  // namespace

TEST_CASE("a loop gets a spare thread for each blocked thread, and returns to the plan") {
  Pool pool(1, 2, std::chrono::milliseconds(1));
  Blocking first(pool);
  first.began.get_future().wait();
  CHECK_FALSE(add_spare_if_stuck(pool));  // no work waits
  Blocking second(pool);
  CHECK(add_spare_if_stuck(pool));
  second.began.get_future().wait();
  CHECK(pool.threads.serving_count() == 2);
  Blocking third(pool);
  CHECK(add_spare_if_stuck(pool));
  third.began.get_future().wait();
  CHECK(pool.spares.left() == 0);
  Work& more = Work::make(pool.loop.reactor(), [](Work& self) { self.end(); });
  more.start();
  CHECK_FALSE(add_spare_if_stuck(pool));  // the plan allows no further thread
  CHECK(pool.threads.thread_count() == 3);
  third.end();
  second.end();
  first.end();
  more.await();
  while (pool.threads.look(LoopThreads::extra_time).has_extra) pool.run_work();
  while (pool.threads.thread_count() != 1) pool.run_work();
  CHECK(pool.threads.serving_count() == 1);
  CHECK(pool.spares.left() == 2);
}

TEST_CASE("a loop whose upcalls block has a hundred threads after a few calls of add_spares") {
  Pool pool(2, 300);
  int remedies = 0;
  for (; pool.threads.serving_count() < 128; ++remedies) REQUIRE(pool.threads.add_spares());
  CHECK(remedies <= 20);
  CHECK(pool.threads.serving_count() <= 128 + 128 / 4);
}

TEST_CASE("a loop beside 300 blocked threads ends when their upcalls end, and joins all threads") {
  constexpr std::uint32_t spares = 300;
  Pool pool(2, spares);
  std::vector<std::unique_ptr<Blocking>> upcalls;
  for (std::uint32_t count = 0; count < spares + 2; ++count)
    upcalls.push_back(std::make_unique<Blocking>(pool));
  while (pool.threads.add_spares()) {
  }
  CHECK(pool.threads.thread_count() == spares + 2);
  for (const auto& upcall : upcalls) upcall->began.get_future().wait();
  pool.loop.reactor().stop();
  std::atomic<bool> joined{false};
  std::thread joining([&] {
    pool.threads.join();
    joined.store(true);
  });
  for (const auto& upcall : upcalls) {
    CHECK_FALSE(joined.load());
    upcall->end();
  }
  joining.join();
  CHECK(pool.threads.thread_count() == 0);
  CHECK_FALSE(pool.threads.add_spares());
}

TEST_CASE("extra threads stay while upcalls go on blocking") {
  Pool pool(1, 2, std::chrono::milliseconds(1));
  Blocking first(pool);
  first.began.get_future().wait();
  Blocking second(pool);
  CHECK(add_spare_if_stuck(pool));
  second.began.get_future().wait();
  first.end();
  second.end();
  for (int round = 0; round < 10; ++round) {
    pool.run_work();
    CHECK(pool.threads.serving_count() == 2);
  }
  CHECK(pool.threads.look(LoopThreads::extra_time - std::chrono::milliseconds(100)).has_extra);
  CHECK_FALSE(pool.threads.look(std::chrono::milliseconds(100)).has_extra);
}

TEST_CASE("an extra thread that sleeps ends when the loop no longer needs it") {
  Pool pool(1, 2, std::chrono::milliseconds(1));
  Blocking first(pool);
  first.began.get_future().wait();
  Blocking second(pool);
  CHECK(add_spare_if_stuck(pool));
  second.began.get_future().wait();
  first.end();
  second.end();
  CHECK_FALSE(pool.threads.look(2 * LoopThreads::extra_time).has_extra);
  while (pool.threads.thread_count() != 1)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(pool.spares.left() == 2);
}

TEST_CASE("spare threads are limited for all loops of a server together") {
  Pool pool(1, 1);
  Loop other_loop(steady_clock(), make_shared(), pool.timers.get());
  LoopThreads other(other_loop, 1, pool.spares);
  REQUIRE(other.start());
  Pool::Waiting first(pool);
  CHECK(first.admitted);
  CHECK_FALSE(other.add_spares());
  first.end();
  other_loop.reactor().stop();
  other.join();
}

TEST_CASE("an object that a thread marks before it steps back is served by a sleeping thread") {
  Pool pool(1, 1);
  for (int round = 0; round < 200; ++round) {
    bool called = false;
    Work& work = Work::make(pool.loop.reactor(), [&](Work& self) {
      if (std::exchange(called, true)) return self.end();
      if (pool.threads.begin_wait()) {
        pool.run_work();  // by the other thread, which sleeps then
        for (int turn = 0; turn < 100; ++turn) std::this_thread::yield();
        pool.threads.end_wait();
      }
      self.start();
    });
    work.start();
    work.await();
  }
}

TEST_CASE("the last thread of a stopped loop runs the tasks that are posted in its last turn") {
  std::atomic<int> left = 3;
  struct Posting {
    Pool& pool;
    std::atomic<int>& left;
    void operator()() const {
      pool.loop.reactor().stop();
      if (--left != 0) pool.loop.reactor().post(*this);
    }
  };
  for (const std::uint32_t planned : {1u, 4u}) {
    left = 3;
    Pool pool(planned, 0);
    pool.loop.reactor().post(Posting{pool, left});
    pool.threads.join();
    CHECK(left == 0);
  }
}

TEST_CASE("a thread knows the loop that it serves") {
  Pool pool(1, 0);
  CHECK_FALSE(pool.loop.on_thread());
  bool inside = false;
  Work& work = Work::make(pool.loop.reactor(), [&](Work& self) {
    inside = pool.loop.on_thread();
    self.end();
  });
  work.start();
  work.await();
  CHECK(inside);
}
