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

ShutdownWatch::ShutdownWatch(CORBA::object_reference<CORBA::ORB> orb,
                             std::function<void()> end_requests)
    : orb_(std::move(orb)), end_requests_(std::move(end_requests)) {}

ShutdownWatch::Waiting::Waiting(std::shared_ptr<ShutdownWatch> watch) : watch_(std::move(watch)) {
  ++watch_->waiting_;
  if (!watch_->is_running_.exchange(true)) start_detached(run(watch_));
}

bool ShutdownWatch::goes_on() noexcept {
  if (waiting_ != 0) return true;
  is_running_ = false;
  return waiting_ != 0 && !is_running_.exchange(true);  // a request came meanwhile
}

// During a shutdown, an ORB resolves no initial references.
bool ShutdownWatch::shutdown_has_begun() const {
  try {
    return orb_->resolve_initial_references("RootPOA") == nullptr;
  } catch (const CORBA::BAD_INV_ORDER&) {
    return true;
  }
}

task<void> ShutdownWatch::run(std::shared_ptr<ShutdownWatch> self) {
  while (self->goes_on()) {
    const bool slept = co_await sleep_for(self->orb_, interval);
    if (slept && !self->shutdown_has_begun()) continue;
    self->end_requests_();
    co_return;
  }
}

}  // namespace perigee::events
