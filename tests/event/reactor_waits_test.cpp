// The waits of a reactor that only one thread runs. A wait with a time limit costs more than a wait
// without one.
#include "event/poller.h"
#include "event/polling_reactor.h"
#include <perigee/event/reactor.h>
#include <perigee/event/signal.h>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::event {
namespace {

using namespace std::chrono_literals;

/// A poller that notes the time limit of each wait.
class NotingPoller final : public Poller {
 public:
  explicit NotingPoller(std::vector<Duration>& limits) : limits_(limits) {}

  std::expected<void, IoError> add(int fd, std::uint64_t key) override {
    return epoll_->add(fd, key);
  }
  void want_writable(int fd, std::uint64_t key, WriteInterest interest) noexcept override {
    epoll_->want_writable(fd, key, interest);
  }
  void remove(int fd) noexcept override { epoll_->remove(fd); }
  std::span<PolledEvent> wait(std::span<PolledEvent> events, Duration left) noexcept override {
    limits_.push_back(left);
    return epoll_->wait(events, left);
  }
  [[nodiscard]] bool has_events() noexcept override { return epoll_->has_events(); }
  [[nodiscard]] int handle() noexcept override { return epoll_->handle(); }

 private:
  std::unique_ptr<Poller> epoll_ = make_epoll_poller().value();
  std::vector<Duration>& limits_;
};

/// A timer that notes when it fired.
struct NotingTimer final : Timer {
  NotingTimer()
      : Timer([](Timer& self) { static_cast<NotingTimer&>(self).fired = steady_clock().now(); }) {}

  [[nodiscard]] bool has_fired() const { return fired != TimePoint{}; }

  TimePoint fired;
};

struct Fixture {
  Fixture() { REQUIRE(reactor.begin().has_value()); }

  void run_until_fired(const NotingTimer& timer) {
    while (!timer.has_fired()) reactor.run_once(Deadline::never());
  }

  std::vector<Duration> limits;
  PollingReactor reactor{
      steady_clock(), std::make_unique<NotingPoller>(limits), Signal::make(), {}, Threads::one};
  const TimePoint start = steady_clock().now();
};

TEST_CASE("a wait for a timer that is not due soon has no time limit") {
  Fixture f;
  NotingTimer timer;
  f.reactor.arm(timer, Deadline::at(f.start + 60ms));
  f.run_until_fired(timer);
  CHECK(timer.fired >= f.start + 60ms);
  REQUIRE_FALSE(f.limits.empty());
  CHECK(f.limits.front() == Duration::max());
}

TEST_CASE("a wait for a timer that is due soon has the timer's time as its limit") {
  Fixture f;
  NotingTimer timer;
  f.reactor.arm(timer, Deadline::at(f.start + 5ms));
  f.run_until_fired(timer);
  CHECK(timer.fired >= f.start + 5ms);
  REQUIRE_FALSE(f.limits.empty());
  CHECK(f.limits.front() <= 5ms);
}

TEST_CASE("a timer that is armed after a wait for a later timer fires at its own time") {
  Fixture f;
  NotingTimer later;
  f.reactor.arm(later, Deadline::at(f.start + 1h));
  f.reactor.run_once(Deadline::at(f.start + 1ms));  // waits for the later timer, too
  NotingTimer timer;
  f.reactor.arm(timer, Deadline::at(f.start + 40ms));
  f.run_until_fired(timer);
  CHECK(timer.fired >= f.start + 40ms);
  CHECK_FALSE(later.has_fired());
  f.reactor.cancel(later);
}

TEST_CASE("after the first timer was cancelled, the next timer fires at its time") {
  Fixture f;
  NotingTimer first;
  NotingTimer second;
  f.reactor.arm(first, Deadline::at(f.start + 30ms));
  f.reactor.arm(second, Deadline::at(f.start + 90ms));
  f.reactor.run_once(Deadline::at(f.start + 1ms));  // waits for the first timer
  f.reactor.cancel(first);
  f.run_until_fired(second);
  CHECK(second.fired >= f.start + 90ms);
  CHECK_FALSE(first.has_fired());
}

TEST_CASE("a timer that another thread arms ends a wait for a later timer") {
  Fixture f;
  NotingTimer later;
  NotingTimer timer;
  f.reactor.arm(later, Deadline::at(f.start + 1h));
  std::jthread other([&f, &timer] {
    while (f.reactor.sleepers() == 0) std::this_thread::yield();
    f.reactor.arm(timer, Deadline::at(f.start));
  });
  f.run_until_fired(timer);
  CHECK_FALSE(later.has_fired());
  f.reactor.cancel(later);
}

TEST_CASE("timers fire one after the other, also while tasks are posted all the time") {
  Fixture f;
  std::vector<std::unique_ptr<NotingTimer>> timers;
  for (int number = 1; number <= 5; ++number) {
    timers.push_back(std::make_unique<NotingTimer>());
    f.reactor.arm(*timers.back(), Deadline::at(f.start + number * 25ms));
  }
  while (!timers.back()->has_fired()) {
    f.reactor.post([] {});
    f.reactor.run_once(Deadline::never());
  }
  for (int number = 1; number <= 5; ++number)
    CHECK(timers[static_cast<std::size_t>(number - 1)]->fired >= f.start + number * 25ms);
}

}  // namespace
}  // namespace perigee::event
