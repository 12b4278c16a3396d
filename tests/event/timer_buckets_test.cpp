// Compares the armed timers of a reactor with a sorted map, over random operations.
#include "event/timer_buckets.h"

#include "support/allocations.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace perigee::event {
namespace {

struct TestTimer final : Timer {
  TestTimer() : Timer([](Timer& timer) { ++static_cast<TestTimer&>(timer).fired; }) {}
  int fired = 0;
};

/// Timers as a sorted map: the buckets must agree with it.
class Model {
 public:
  /// A timer with a time in the past comes after the timers that are already due.
  void arm(TestTimer& timer, Deadline deadline) {
    cancel(timer);
    const Key key{std::max(deadline, collected_), sequence_++};
    timers_.emplace(key, &timer);
    keys_.emplace(&timer, key);
  }
  bool cancel(TestTimer& timer) {
    const auto known = keys_.find(&timer);
    if (known == keys_.end()) return false;
    timers_.erase(known->second);
    keys_.erase(known);
    return true;
  }
  void collect(TimePoint now) { collected_ = std::max(collected_, Deadline::at(now)); }
  TestTimer* take_due(std::uint64_t mark) {
    if (timers_.empty() || timers_.begin()->first.first > collected_) return nullptr;
    if (timers_.begin()->first.second >= mark) return nullptr;
    TestTimer* const timer = timers_.begin()->second;
    cancel(*timer);
    return timer;
  }
  [[nodiscard]] std::uint64_t mark() const { return sequence_; }
  [[nodiscard]] std::size_t size() const { return timers_.size(); }
  [[nodiscard]] Deadline first() const {
    return timers_.empty() ? Deadline::never() : timers_.begin()->first.first;
  }

 private:
  using Key = std::pair<Deadline, std::uint64_t>;
  std::map<Key, TestTimer*> timers_;
  std::map<TestTimer*, Key> keys_;
  std::uint64_t sequence_ = 0;
  Deadline collected_ = Deadline::immediately();
};

unsigned seed_of_test() {
  const char* const given = std::getenv("PERIGEE_TEST_SEED");
  return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10))
                          : std::random_device{}();
}

/// Near and far deadlines that differ in all bits, the past, and never.
Deadline random_deadline(std::mt19937_64& random, TimePoint now) {
  switch (random() % 8) {
    case 0:
      return Deadline::never();
    case 1:
      return Deadline::at(now - Duration(random() % 1000));
    case 2:
    case 3:
      return Deadline::at(now + Duration(random() % 100));
    default:
      return Deadline::after(Duration(random() >> (1 + random() % 63)), now);
  }
}

TEST_CASE("timers agree with a sorted map over random operations, and allocate nothing") {
  const unsigned seed = seed_of_test();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::deque<TestTimer> timers(200);
  TimerBuckets buckets;
  Model model;
  TimePoint now{};
  std::size_t allocated = 0;
  const auto counted = [&](auto&& work) { allocated += test::allocations_of(work).count; };
  for (int step = 0; step < 20'000; ++step) {
    TestTimer& timer = timers[random() % timers.size()];
    const auto choice = random() % 8;
    if (choice < 4) {
      const Deadline deadline = random_deadline(random, now);
      bool armed = false;
      counted([&] { armed = buckets.arm(timer, deadline); });
      REQUIRE(armed != model.cancel(timer));
      model.arm(timer, deadline);
    } else if (choice < 6) {
      bool cancelled = false;
      counted([&] { cancelled = buckets.cancel(timer); });
      REQUIRE(cancelled == model.cancel(timer));
    } else {
      now = Deadline::after(Duration(random() >> (34 + random() % 29)), now).time();
      counted([&] { buckets.collect(now); });
      model.collect(now);
      const std::uint64_t mark = model.mark();
      for (;;) {
        TestTimer* taken = nullptr;
        counted([&] { taken = static_cast<TestTimer*>(buckets.take_due()); });
        REQUIRE(taken == model.take_due(mark));
        if (taken == nullptr) break;
        if (random() % 4 != 0) continue;  // a timer that arms itself again
        const Deadline again = random_deadline(random, now);
        buckets.arm(*taken, again);
        model.arm(*taken, again);
      }
    }
    REQUIRE(buckets.size() == model.size());
    REQUIRE(buckets.next() <= model.first());
    if (step % 16 == 0) REQUIRE(buckets.check_invariants());
  }
  CHECK(allocated == 0);
}

TEST_CASE("without timers there is no next deadline, and nothing is due") {
  TimerBuckets buckets;
  CHECK(buckets.next().is_never());
  buckets.collect(TimePoint{});
  CHECK(buckets.take_due() == nullptr);
  TestTimer timer;
  CHECK_FALSE(buckets.cancel(timer));
  buckets.arm(timer, Deadline::never());
  CHECK(buckets.next().is_never());
  CHECK(buckets.cancel(timer));
}

TEST_CASE("a cancelled timer's deadline is forgotten at that deadline at the latest") {
  TimerBuckets buckets;
  TestTimer first;
  TestTimer second;
  const TimePoint start{std::chrono::hours(1)};
  buckets.arm(first, Deadline::at(start + Duration(10)));
  buckets.arm(second, Deadline::at(start + Duration(1000)));
  CHECK(buckets.cancel(first));
  buckets.collect(start + Duration(10));
  CHECK_FALSE(buckets.has_due());
  CHECK(buckets.next() == Deadline::at(start + Duration(1000)));
  CHECK(buckets.cancel(second));
}

TEST_CASE("a million timers that are cancelled in time leave no memory, and none fires") {
  std::mt19937_64 random(1);
  std::vector<std::unique_ptr<TestTimer>> timers;
  TimerBuckets buckets;
  TimePoint now{std::chrono::hours(1)};
  // 1,000 calls in flight; each has a limit of 30 s and ends after a millisecond.
  for (int count = 0; count < 1000; ++count) timers.push_back(std::make_unique<TestTimer>());
  std::size_t due = 0;
  for (int count = 0; count < 1'000'000; ++count) {
    now += std::chrono::microseconds(1);
    TestTimer& timer = *timers[static_cast<std::size_t>(count) % timers.size()];
    buckets.cancel(timer);
    buckets.arm(timer, Deadline::after(std::chrono::seconds(30), now));
    buckets.collect(now);
    while (buckets.take_due() != nullptr) ++due;
  }
  CHECK(due == 0);
  CHECK(buckets.size() == timers.size());
  CHECK(buckets.check_invariants());
  for (const auto& timer : timers) CHECK(buckets.cancel(*timer));
  CHECK(buckets.size() == 0);
}

}  // namespace
}  // namespace perigee::event
