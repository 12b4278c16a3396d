// The queue of timers against a plain model, over random operations.
#include "event/timer_queue.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace perigee::event {
namespace {

/// Timers as a sorted map: what the heap must agree with.
class Model {
 public:
  void add(TimePoint time, int sequence, TimerId id) { timers_.emplace(Key{time, sequence}, id); }
  bool remove(TimerId id) {
    for (auto it = timers_.begin(); it != timers_.end(); ++it) {
      if (it->second != id) continue;
      timers_.erase(it);
      return true;
    }
    return false;
  }
  /// The sequence of the first timer if it is due, else -1.
  int take_due(TimePoint now) {
    if (timers_.empty() || timers_.begin()->first.first > now) return -1;
    const int sequence = timers_.begin()->first.second;
    timers_.erase(timers_.begin());
    return sequence;
  }
  [[nodiscard]] std::size_t size() const { return timers_.size(); }

 private:
  using Key = std::pair<TimePoint, int>;
  std::map<Key, TimerId> timers_;
};

TEST_CASE("the queue agrees with a sorted map over random operations") {
  const char* const given = std::getenv("PERIGEE_TEST_SEED");
  const auto seed = given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10))
                                     : std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  TimerQueue queue;
  Model model;
  std::vector<TimerId> ids;
  TimePoint now{};
  int last_run = -1;
  for (int step = 0; step < 20'000; ++step) {
    const auto choice = random() % 8;
    if (choice < 4) {
      const TimePoint time = now + Duration(random() % 100);
      ids.push_back(queue.schedule(time, [&last_run, step] { last_run = step; }));
      model.add(time, step, ids.back());
    } else if (choice < 6 && !ids.empty()) {
      const TimerId id = ids[random() % ids.size()];
      REQUIRE(queue.cancel(id) == model.remove(id));
    } else {
      now += Duration(random() % 30);
      last_run = -1;
      if (auto task = queue.take_due(now, queue.mark())) (*task)();
      REQUIRE(last_run == model.take_due(now));
    }
    REQUIRE(queue.size() == model.size());
    if (step % 64 == 0) REQUIRE(queue.check_invariants());
  }
}

TEST_CASE("an empty queue has no next time and nothing due") {
  TimerQueue queue;
  CHECK_FALSE(queue.next().has_value());
  CHECK_FALSE(queue.take_due(TimePoint::max(), queue.mark()).has_value());
}

TEST_CASE("what is scheduled after a mark is not due for it") {
  TimerQueue queue;
  const auto mark = queue.mark();
  queue.schedule(TimePoint{}, [] {});
  CHECK_FALSE(queue.take_due(TimePoint::max(), mark).has_value());
  CHECK(queue.take_due(TimePoint::max(), queue.mark()).has_value());
}

TEST_CASE("what is scheduled for the past is behind what is due already") {
  TimerQueue queue;
  const TimePoint now{Duration(100)};
  std::vector<int> order;
  queue.schedule(now - Duration(50), [&] { order.push_back(1); });
  queue.schedule(now - Duration(40), [&] { order.push_back(2); });
  const auto mark = queue.mark();
  (*queue.take_due(now, mark))();
  queue.schedule(now - Duration(50), [&] { order.push_back(3); });
  queue.schedule(now - Duration(60), [&] { order.push_back(4); });
  while (auto task = queue.take_due(now, mark)) (*task)();
  CHECK(order == std::vector{1, 2});
  while (auto task = queue.take_due(now, queue.mark())) (*task)();
  CHECK(order == std::vector{1, 2, 3, 4});
  CHECK(queue.check_invariants());
}

}  // namespace
}  // namespace perigee::event
