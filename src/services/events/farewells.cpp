// A few tasks take farewells from a common queue, so that a service with many peers does not begin
// a call of each at the same time.
#include "services/events/farewells.h"

#include "services/events/start_detached.h"
#include <perigee/async/call.h>
#include <perigee/async/scope.h>
#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>
#include <perigee/base/log.h>

#include <exception>
#include <string>
#include <utility>

namespace perigee::events {

namespace {

constexpr int calls_at_once_max = 256;

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

task<void> Farewells::tell_some(TimePoint until) {
  while (steady_clock().now() < until) {
    std::optional<task<void>> farewell = take();
    if (!farewell) co_return;
    try {
      co_await std::move(*farewell);
    } catch (const std::exception& exception) {
      log::write(log::Level::debug, "events", exception.what());
    }
  }
}

task<void> Farewells::tell_kept(std::chrono::milliseconds time_max) {
  const Deadline until = Deadline::after(time_max, steady_clock().now());
  scope tellers;
  tellers.set_awaited_until(until);
  for (int teller = 0; teller < calls_at_once_max; ++teller) tellers.start(tell_some(until.time()));
  co_await tellers.join();
}

void Farewells::tell_all(const CORBA::object_reference<CORBA::ORB>& orb,
                         std::chrono::milliseconds time_max) {
  run(orb, tell_kept(time_max));
  std::deque<task<void>> untold;
  {
    const std::scoped_lock lock(mutex_);
    keeps_ = false;
    untold.swap(kept_);
  }
  if (!untold.empty())
    log::write(log::Level::warning, "events",
               std::to_string(untold.size()) +
                   " suppliers and consumers were not told about the end in " +
                   std::to_string(time_max.count()) + " ms");
}

}  // namespace perigee::events
