// A few tasks take farewells from a common queue, so that a service with many peers does not call
// all of them at the same time.
#include "services/events/farewells.h"

#include "services/events/start_detached.h"
#include <perigee/async/call.h>
#include <perigee/async/scope.h>
#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>
#include <perigee/base/log.h>
#include <perigee/orb/exceptions.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace perigee::events {

namespace {

constexpr int calls_at_once_max = 1'024;
constexpr int shares = 8;  // each call has at most 1/8 of the time

/// Calls of the task end with TIMEOUT at the time `until`.
task<void> tell_until(task<void> farewell, TimePoint until) {
  scope one;
  one.set_awaited_until(Deadline::at(until));
  one.start(std::move(farewell));
  co_await one.join();
}

}  // namespace

void Farewells::tell(task<void> farewell) {
  {
    const std::scoped_lock lock(mutex_);
    if (keeps_) {
      kept_.push_back(std::move(farewell));
      return;
    }
  }
  start_detached(std::move(farewell));
}

void Farewells::keep() {
  const std::scoped_lock lock(mutex_);
  keeps_ = true;
}

std::optional<task<void>> Farewells::take() {
  const std::scoped_lock lock(mutex_);
  if (kept_.empty()) return std::nullopt;
  task<void> first = std::move(kept_.front());
  kept_.pop_front();
  return first;
}

task<void> Farewells::tell_some(TimePoint until, Duration time_of_each) {
  for (TimePoint now = steady_clock().now(); now < until; now = steady_clock().now()) {
    std::optional<task<void>> farewell = take();
    if (!farewell) co_return;
    try {
      co_await tell_until(std::move(*farewell), std::min(until, now + time_of_each));
    } catch (const CORBA::TIMEOUT& exception) {
      const std::scoped_lock lock(mutex_);
      ++timeouts_;
    } catch (const std::exception& exception) {
      log::write(log::Level::debug, "events", exception.what());
    }
  }
}

task<void> Farewells::tell_kept(std::shared_ptr<Farewells> self,
                                std::chrono::milliseconds time_max) {
  const TimePoint until = steady_clock().now() + time_max;
  scope tellers;
  for (int teller = 0; teller < calls_at_once_max; ++teller)
    tellers.start(self->tell_some(until, time_max / shares));
  co_await tellers.join();
}

void Farewells::tell_all(const CORBA::object_reference<CORBA::ORB>& orb,
                         std::chrono::milliseconds time_max) {
  try {
    run(orb, tell_kept(shared_from_this(), time_max));
  } catch (...) {
    end_keeping(time_max);
    throw;
  }
  end_keeping(time_max);
}

void Farewells::end_keeping(std::chrono::milliseconds time_max) {
  std::deque<task<void>> dropped;
  std::size_t untold = 0;
  {
    const std::scoped_lock lock(mutex_);
    keeps_ = false;
    dropped.swap(kept_);
    untold = dropped.size() + std::exchange(timeouts_, 0);
  }
  if (untold != 0)
    log::write(log::Level::warning, "events",
               std::to_string(untold) + " suppliers and consumers were not told about the end in " +
                   std::to_string(time_max.count()) + " ms");
}

}  // namespace perigee::events
