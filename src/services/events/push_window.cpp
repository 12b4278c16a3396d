// Calls over one connection reach the consumer in the order in which they begin.
#include "services/events/push_window.h"

#include <perigee/orb/exceptions.h>

#include <utility>

namespace perigee::events {

namespace {

/// With so many octets in progress, no further call begins.
constexpr std::size_t octets_max = 32 * 1024;

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

task<PushStep> end_of_push(const call<void>& push, std::string& reason) {
  try {
    co_await push;
    co_return PushStep::delivered;
  } catch (const CosEventComm::Disconnected& exception) {
    reason = exception.what();
    co_return PushStep::gone;
  } catch (const CORBA::OBJECT_NOT_EXIST& exception) {
    reason = exception.what();
    co_return PushStep::gone;
  } catch (const CORBA::SystemException& exception) {
    reason = exception.what();
    co_return exception.completed() == CORBA::COMPLETED_NO ? PushStep::again : PushStep::lost;
  }
}

bool PushWindow::has_room() const noexcept {
  if (pushes_.empty()) return true;
  return pushes_.size() < pushes_max_ && octets_ < octets_max &&
         !pushes_.back().in_progress.is_over();
}

void PushWindow::start(EventRef event) {
  call<void> push = consumer_->_async().push(event->data());
  octets_ += event->octets();
  pushes_.push_back({std::move(event), std::move(push)});
}

EventRef PushWindow::take_oldest() {
  EventRef event = std::move(pushes_.front().event);
  pushes_.pop_front();
  octets_ -= event->octets();
  return event;
}

task<PushStep> PushWindow::end_of_oldest(std::string& reason) {
  const PushStep step = co_await end_of_push(pushes_.front().in_progress, reason);
  if (step == PushStep::delivered) (void)take_oldest();
  co_return step;
}

task<PushWindow::Rest> PushWindow::drain(PushStep failed, std::string& reason) {
  Rest rest;
  add(failed, take_oldest(), rest);
  while (!pushes_.empty()) {
    const PushStep step = co_await end_of_push(pushes_.front().in_progress, reason);
    add(step, take_oldest(), rest);
  }
  co_return rest;
}

}  // namespace perigee::events
