// Calls over one connection reach the consumer in the order in which they begin.
#include "services/events/push_window.h"

#include <perigee/orb/exceptions.h>

#include <utility>

namespace perigee::events {

namespace {

/// Of the calls in progress, unless there is only one.
constexpr std::size_t octets_max = 32 * 1024;

std::size_t octets_of(const Event& event) noexcept { return event.octets() + octets_per_event; }

void add(PushStep step, EventRef event, PushWindow::Rest& rest) {
  rest.ends_well = step == PushStep::delivered;
  switch (step) {
    case PushStep::again:
      return rest.again.push_back(std::move(event));
    case PushStep::delivered:
      ++rest.delivered;
      break;
    case PushStep::lost:
      ++rest.lost;
      break;
    case PushStep::gone:
      rest.is_gone = true;
      break;
  }
  rest.lost += rest.again.size();
  rest.again.clear();
}

}  // namespace

PushStep step_of_failure(std::string& reason) {
  try {
    throw;
  } catch (const CosEventComm::Disconnected& exception) {
    reason = exception.what();
    return PushStep::gone;
  } catch (const CORBA::OBJECT_NOT_EXIST& exception) {
    reason = exception.what();
    return PushStep::gone;
  } catch (const CORBA::SystemException& exception) {
    reason = exception.what();
    return exception.completed() == CORBA::COMPLETED_NO ? PushStep::again : PushStep::lost;
  }
}

task<PushStep> push_once(const PushConsumerRef& consumer, const EventRef& event,
                         std::string& reason) {
  try {
    co_await consumer->_async().push(event->data());
    co_return PushStep::delivered;
  } catch (const CORBA::Exception&) {
    co_return step_of_failure(reason);
  }
}

bool PushWindow::is_over(const Push& push) noexcept {
  return !push.in_progress || push.in_progress->is_over();
}

bool PushWindow::has_room(const Event& next, std::size_t pushes_max) const noexcept {
  if (pushes_.empty()) return true;
  return pushes_.size() < pushes_max && thread_ == std::this_thread::get_id() &&
         octets_ + octets_of(next) <= octets_max && !is_over(pushes_.back());
}

void PushWindow::start(EventRef event) {
  Push push{.event = std::move(event)};
  try {
    push.in_progress = consumer_->_async().push(push.event->data());
  } catch (const CORBA::Exception&) {
    push.failure = step_of_failure(push.reason);
  }
  push.was_refused = !pushes_.empty() && is_over(push);
  octets_ += octets_of(*push.event);
  thread_ = std::this_thread::get_id();
  pushes_.push_back(std::move(push));
}

EventRef PushWindow::take_oldest() {
  EventRef event = std::move(pushes_.front().event);
  pushes_.pop_front();
  octets_ -= octets_of(*event);
  return event;
}

task<PushStep> PushWindow::end_of(const Push& push, std::string& reason) {
  if (!push.in_progress) {
    reason = push.reason;
    co_return push.failure;
  }
  try {
    co_await *push.in_progress;
    co_return PushStep::delivered;
  } catch (const CORBA::Exception&) {
    co_return step_of_failure(reason);
  }
}

task<PushStep> PushWindow::end_of_oldest(std::string& reason) {
  const PushStep step = co_await end_of(pushes_.front(), reason);
  if (step == PushStep::delivered) (void)take_oldest();
  co_return step;
}

task<PushWindow::Rest> PushWindow::drain(PushStep failed, std::string& reason) {
  Rest rest;
  add(failed, take_oldest(), rest);
  while (!pushes_.empty()) {
    const PushStep step = co_await end_of(pushes_.front(), reason);
    add(step, take_oldest(), rest);
  }
  co_return rest;
}

}  // namespace perigee::events
