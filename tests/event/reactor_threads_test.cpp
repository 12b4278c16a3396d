// A reactor that several threads run: each entry is called once, on a free thread.
#include "event/handles.h"
#include "event/pollers.h"
#include <perigee/event/reactor.h>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

namespace perigee::event {
namespace {

using namespace std::chrono_literals;
using test::make_handle_pair;
using test::send_octet;

/// An object with a reference count, like a connection.
class CountedPollable final : public Pollable {
 public:
  explicit CountedPollable(std::atomic<int>& alive) : Pollable(Counted::yes), alive_(alive) {
    ++alive_;
  }
  ~CountedPollable() { --alive_; }
  void handle_event(const Event& event) noexcept override {
    CHECK(event.target == this);
    if (!has(event.readiness, Readiness::readable)) return;
    ++calls;
    calls.notify_all();
    if (entered != nullptr) {
      entered->release();
      leave->acquire();
    }
  }
  void add_reference() noexcept override { references_.fetch_add(1); }
  void drop_reference() noexcept override {
    if (references_.fetch_sub(1) == 1) delete this;
  }

  std::atomic<int> calls = 0;
  std::counting_semaphore<>* entered = nullptr;  ///< the call releases it, then awaits `leave`
  std::counting_semaphore<>* leave = nullptr;

 private:
  std::atomic<int>& alive_;
  std::atomic<int> references_ = 1;
};

struct CountingTimer final : Timer {
  CountingTimer() : Timer([](Timer& timer) { ++static_cast<CountingTimer&>(timer).fires; }) {}
  std::atomic<int> fires = 0;
};

struct CountingTask final : Task {
  CountingTask() : Task([](Task& task) { ++static_cast<CountingTask&>(task).runs; }) {}
  std::atomic<int> runs = 0;
};

/// A reactor, and threads that run it until the end of the test.
struct Shared {
  explicit Shared(int count) {
    for (int index = 0; index < count; ++index) threads.emplace_back([this] { reactor->run(); });
  }
  ~Shared() {
    reactor->stop();
    threads.clear();
    reactor->close();
    CHECK(reactor->timers_armed() == 0);
  }
  void await_sleepers(std::uint32_t count) const {
    while (reactor->sleepers() != count) std::this_thread::yield();
  }

  std::unique_ptr<Reactor> reactor = test::make_test_reactor(steady_clock(), Threads::several);
  std::vector<std::jthread> threads;
  std::atomic<int> alive = 0;
};

void await(const std::atomic<int>& count, int wanted) {
  while (count.load() < wanted) std::this_thread::yield();  // a failure hangs here
}

}  // namespace

TEST_CASE("an object that becomes ready during a thread's call goes to another thread") {
  std::counting_semaphore<> entered(0);
  std::counting_semaphore<> leave(0);
  Shared shared(2);
  auto* const slow = new CountedPollable(shared.alive);
  auto* const quick = new CountedPollable(shared.alive);
  slow->entered = &entered;
  slow->leave = &leave;
  shared.reactor->mark_ready(*slow);
  entered.acquire();
  shared.reactor->mark_ready(*quick);
  await(quick->calls, 1);
  CountingTask task;
  CHECK(shared.reactor->post(task));
  await(task.runs, 1);
  CountingTimer timer;
  shared.reactor->arm(timer, Deadline::after(1ms, steady_clock().now()));
  await(timer.fires, 1);
  leave.release();
  slow->drop_reference();
  quick->drop_reference();
}

TEST_CASE("objects that become ready at once are called by several threads") {
  constexpr int count = 3;
  std::counting_semaphore<> entered(0);
  std::counting_semaphore<> leave(0);
  Shared shared(count);
  std::vector<CountedPollable*> all;
  for (int index = 0; index < count; ++index) {
    all.push_back(new CountedPollable(shared.alive));
    all.back()->entered = &entered;
    all.back()->leave = &leave;
    shared.reactor->mark_ready(*all.back());
  }
  for (int index = 0; index < count; ++index) entered.acquire();  // all calls have begun
  leave.release(count);
  for (CountedPollable* const one : all) one->drop_reference();
}

TEST_CASE("no event of a handle is lost, and an object lives until its call has returned") {
  Shared shared(3);
  constexpr int rounds = 300;
  for (int round = 0; round < rounds; ++round) {
    auto pair = make_handle_pair();
    auto* const one = new CountedPollable(shared.alive);
    REQUIRE(shared.reactor->add(pair.far.handle(), *one).has_value());
    send_octet(pair.near);
    await(one->calls, 1);
    send_octet(pair.near);
    if (round % 2 == 0) await(one->calls, 2);
    shared.reactor->mark_ready(*one);
    shared.reactor->remove(*one);
    one->drop_reference();  // a thread may be in its call
  }
  while (shared.alive != 0) std::this_thread::yield();
  CHECK(shared.alive == 0);
}

TEST_CASE("an object marked for its own thread's next turn wakes no other thread") {
  Shared shared(1);
  shared.await_sleepers(1);
  auto* const one = new CountedPollable(shared.alive);
  shared.reactor->mark_ready(*one, Reactor::Next::turn);
  CHECK(one->calls == 0);
  shared.reactor->leave();  // the thread starts a long call after all
  await(one->calls, 1);
  one->drop_reference();
}

TEST_CASE("a timer that moves to an earlier time wakes a thread in time") {
  Shared shared(2);
  CountingTimer later;
  CountingTimer timer;
  shared.reactor->arm(later, Deadline::after(1h, steady_clock().now()));
  for (int round = 1; round <= 50; ++round) {
    shared.reactor->arm(timer, Deadline::after(1h, steady_clock().now()));
    shared.reactor->arm(timer, Deadline::after(100us, steady_clock().now()));
    await(timer.fires, round);
  }
  CHECK(shared.reactor->cancel(later));
}

TEST_CASE("while a timer's function runs for long, later timers fire on another thread") {
  std::counting_semaphore<> leave(0);
  struct BlockingTimer final : Timer {
    explicit BlockingTimer(std::counting_semaphore<>& out)
        : Timer([](Timer& timer) { static_cast<BlockingTimer&>(timer).leave.acquire(); }),
          leave(out) {}
    std::counting_semaphore<>& leave;
  } blocking(leave);
  CountingTimer later;
  Shared shared(2);
  const auto now = steady_clock().now();
  CHECK(shared.reactor->arm(blocking, Deadline::after(std::chrono::milliseconds(1), now)));
  CHECK(shared.reactor->arm(later, Deadline::after(std::chrono::milliseconds(5), now)));
  await(later.fires, 1);
  leave.release();
}

TEST_CASE("a timer fires although another timer for the same time was cancelled") {
  Shared shared(1);
  CountingTimer cancelled;
  struct CancellingTimer final : Timer {
    CancellingTimer(Reactor& loop, Timer& timer)
        : Timer([](Timer& self) { static_cast<CancellingTimer&>(self).arm_and_cancel(); }),
          reactor(loop),
          other(timer) {}
    void arm_and_cancel() {
      CHECK(reactor.arm(other, Deadline::immediately()));
      CHECK(reactor.cancel(other));
      ++fires;
    }
    Reactor& reactor;
    Timer& other;
    std::atomic<int> fires = 0;
  } cancelling(*shared.reactor, cancelled);
  CountingTimer last;
  for (int round = 1; round <= 100; ++round) {
    CHECK(shared.reactor->arm(cancelling, Deadline::immediately()));
    await(cancelling.fires, round);
    shared.await_sleepers(1);
    CHECK(shared.reactor->arm(last, Deadline::immediately()));
    await(last.fires, round);
  }
  CHECK(cancelled.fires == 0);
}

TEST_CASE("timers that many threads arm, move and cancel fire at most once each") {
  Shared shared(2);
  constexpr int threads = 3;
  constexpr int rounds = 500;
  std::vector<std::jthread> users;
  for (int index = 0; index < threads; ++index) {
    users.emplace_back([&] {
      CountingTimer timer;
      int expected = 0;
      for (int round = 0; round < rounds; ++round) {
        const auto now = steady_clock().now();
        const auto soon = Deadline::after(std::chrono::microseconds(round % 7), now);
        if (shared.reactor->arm(timer, soon)) ++expected;
        if (round % 3 == 0 && shared.reactor->arm(timer, Deadline::immediately()))
          ++expected;  // it had fired
        if (round % 2 == 0 && shared.reactor->cancel(timer)) --expected;
        await(timer.fires, expected);
      }
      CHECK(timer.fires == expected);
    });
  }
  users.clear();
}

TEST_CASE("tasks that many threads post run once each") {
  Shared shared(3);
  std::atomic<int> ran = 0;
  constexpr int posts = 1000;
  {
    std::vector<std::jthread> posters;
    for (int thread = 0; thread < 3; ++thread)
      posters.emplace_back([&] {
        for (int count = 0; count < posts; ++count) shared.reactor->post([&] { ++ran; });
      });
  }
  await(ran, 3 * posts);
  CHECK(ran == 3 * posts);
}

TEST_CASE("stop ends the run of all threads, and later runs return at once") {
  const auto reactor = test::make_test_reactor(steady_clock(), Threads::several);
  std::vector<std::jthread> threads;
  for (int index = 0; index < 3; ++index) threads.emplace_back([&] { reactor->run(); });
  while (reactor->sleepers() == 0) std::this_thread::yield();
  reactor->stop();
  threads.clear();
  CHECK(reactor->stopped());
  reactor->run();
}

}  // namespace perigee::event
