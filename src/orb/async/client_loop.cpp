// Running the loop, and its end.
#include "orb/async/client_loop.h"

#include "engine/connection/wait.h"
#include "orb/context/orb_context.h"
#include "orb/context/upcall_scope.h"
#include <perigee/base/log.h>
#include <perigee/orb/exceptions.h>

#include <utility>

namespace perigee::orb {
namespace {

std::unique_ptr<event::Reactor> make_reactor(const OrbContext& context) {
  auto reactor = event::make_reactor(context.clock, context.settings.busy_poll);
  if (!reactor) throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO, to_string(reactor.error()));
  return std::move(*reactor);
}

}  // namespace

ClientLoop::ClientLoop(const OrbContext& context, engine::Connects& connects)
    : context_(context),
      loop_(context.clock, make_reactor(context), nullptr),
      runner_(loop_, context.clock, never_ends_),
      calls_(context, connects, loop_, {.posted = [this] { after_turns(); }}) {}

ClientLoop::~ClientLoop() = default;

bool ClientLoop::drive_until(function_ref<bool()> done, Deadline until) {
  const UpcallScope none(UpcallScope::None::upcall);
  if (on_thread()) {
    const std::uint32_t depth_max = context_.settings.nested_upcall_depth_max;
    const auto asked = [&] {
      runner_.wake();  // another thread may wait for a call that a nested turn has ended
      return done();
    };
    return engine::wait_in_turns(loop_, depth_max, asked, until) != engine::WaitEnd::too_deep;
  }
  runner_.run_until(done, until);
  after_turns();
  return true;
}

// The task ends the wait of a nested turn.
bool ClientLoop::turn() {
  if (on_thread()) {
    (void)loop_.reactor().post(wake_task_);
    bool turned = false;
    return drive_until([&turned] { return std::exchange(turned, true); }, Deadline::never());
  }
  const UpcallScope none(UpcallScope::None::upcall);
  (void)perform_work();
  return true;
}

bool ClientLoop::perform_work(Deadline until) {
  const bool ran = runner_.perform_work(until);
  after_turns();
  return ran;
}

bool ClientLoop::work_pending() {
  return on_thread() ? loop_.reactor().has_work() : runner_.work_pending();
}

// The thread that runs the loop calls `done` after its current turn anyway.
void ClientLoop::wake() noexcept {
  if (!on_thread()) (void)loop_.reactor().post(wake_task_);
  runner_.wake();
}

// Called by a thread that has posted work that cannot wait until a thread runs the loop. Also
// called by a thread that leaves the loop: it may have overlooked work that was posted just then.
void ClientLoop::do_posted() noexcept {
  while (calls_.has_made() && runner_.visit([this] { calls_.use_made(); })) {
  }
  const auto left = [this] { return closed_.load() && loop_.reactor().has_work(); };
  while (left() && runner_.perform_work()) {
  }
}

// Lets the outer loop run this loop again if it has found this thread in the loop, or if this
// thread leaves work undone. The outer loop might get no event for that work.
void ClientLoop::after_turns() noexcept {
  if (on_thread()) return;
  do_posted();
  Nested* const nested = nested_.load();
  if (nested == nullptr) return;
  if (missed_.exchange(false) || loop_.reactor().has_work()) nested->look_again();
}

void ClientLoop::tell_outer_loop() noexcept {
  Nested* const nested = nested_.load();
  if (nested != nullptr && on_thread() && loop_.reactor().has_work()) nested->look_again();
}

void ClientLoop::nest_in(event::Reactor& outer) {
  if (closed_.load()) return;
  owned_nested_ = std::make_unique<Nested>(*this, outer);
  if (owned_nested_->begin()) nested_.store(owned_nested_.get());
}

bool ClientLoop::Nested::begin() {
  const auto added = outer_.add(loop_.reactor().handle(), *this);
  if (!added) log::write(log::Level::warning, "orb", to_string(added.error()));
  if (added) outer_.mark_ready(*this);  // events that came before
  return added.has_value();
}

// A turn handles a limited number of events. The outer loop is not told again of the remaining
// events.
void ClientLoop::Nested::handle_ready(event::Readiness /*readiness*/) noexcept {
  loop_.missed_.store(true);
  if (!loop_.runner_.perform_work()) return;  // the thread in the loop looks at `missed_`
  loop_.missed_.store(false);
  loop_.do_posted();
  if (loop_.reactor().has_work()) outer_.mark_ready(*this);
}

// The thread that runs the loop closes it. If no thread runs it, this thread does.
void ClientLoop::stop() noexcept {
  calls_.stop();
  if (on_thread()) return close();
  (void)loop_.reactor().post(close_task_);
  runner_.run_until([this] { return closed_.load(); }, Deadline::never());
  after_turns();
}

// Closing the reactor fires all timers and runs the posted tasks. So tasks that sleep go on, and
// observers are told.
void ClientLoop::close() noexcept {
  if (Nested* const nested = nested_.exchange(nullptr)) nested->end();
  loop_.reactor().close();
  runner_.end_waits();
  closed_.store(true);
}

}  // namespace perigee::orb
