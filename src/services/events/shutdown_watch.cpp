// The task runs on the loop of the thread that serves the first waiting request: this loop runs
// until all requests have ended.
#include "services/events/shutdown_watch.h"

#include "services/events/start_detached.h"
#include <perigee/async/on_orb.h>
#include <perigee/orb/exceptions.h>

#include <chrono>
#include <utility>

namespace perigee::events {

namespace {

constexpr std::chrono::milliseconds interval(250);

}  // namespace

ShutdownWatch::ShutdownWatch(CORBA::object_reference<CORBA::ORB> orb, const Clock& clock,
                             std::function<void()> end_requests)
    : orb_(std::move(orb)), clock_(clock), end_requests_(std::move(end_requests)) {}

// If the start of the task fails, the request is not counted.
ShutdownWatch::Waiting::Waiting(std::shared_ptr<ShutdownWatch> watch, Duration time_max)
    : watch_(std::move(watch)) {
  watch_->start();
  request_ = watch_->add(time_max);
}

ShutdownWatch::Waiting::~Waiting() {
  const std::scoped_lock lock(watch_->mutex_);
  watch_->requests_.erase(request_);
}

std::list<ShutdownWatch::Request>::iterator ShutdownWatch::add(Duration time_max) {
  const TimePoint now = clock_.now();
  const TimePoint until = time_max < TimePoint::max() - now ? now + time_max : TimePoint::max();
  const std::scoped_lock lock(mutex_);
  return requests_.insert(requests_.end(), Request{.until = until, .expiry = {}});
}

// The task sleeps first, so it finds the request that has started it.
void ShutdownWatch::start() {
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(is_running_, true)) return;
  }
  try {
    start_detached(run(shared_from_this()));
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    is_running_ = false;
    throw;
  }
}

bool ShutdownWatch::goes_on() {
  const std::scoped_lock lock(mutex_);
  is_running_ = !requests_.empty();
  return is_running_;
}

void ShutdownWatch::end_late_requests() {
  const TimePoint now = clock_.now();
  std::vector<std::stop_source> late;
  {
    const std::scoped_lock lock(mutex_);
    for (const Request& request : requests_)
      if (request.until <= now && !request.expiry.stop_requested()) late.push_back(request.expiry);
  }
  for (std::stop_source& expiry : late) expiry.request_stop();
}

// The sign of a shutdown: the ORB resolves no initial references.
bool ShutdownWatch::shutdown_has_begun() const {
  try {
    return orb_->resolve_initial_references("RootPOA") == nullptr;
  } catch (const CORBA::BAD_INV_ORDER&) {
    return true;
  }
}

task<void> ShutdownWatch::run(std::shared_ptr<ShutdownWatch> self) {
  do {
    const bool slept = co_await sleep_for(self->orb_, interval);
    if (!slept || self->shutdown_has_begun()) {
      self->end_requests_();
      co_return;
    }
    self->end_late_requests();
  } while (self->goes_on());
}

}  // namespace perigee::events
