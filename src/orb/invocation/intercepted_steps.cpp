// The steps of calls that have interceptors. Other calls do not use these functions.
#include "orb/context/orb_context.h"
#include "orb/invocation/call_steps.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace perigee::orb {

using Next = CallInterception::Next;

// Called when a target was chosen. If the last try has not ended, its connect has failed: then the
// interceptors are not asked again.
CallSteps::State CallSteps::begin_intercepted_try() {
  if (!is_collocated() && !target_->compatible) {
    fail(InvocationStage::resolving, FailureCause::code_sets);
    return State::choose;
  }
  return send_intercepted() ? (is_collocated() ? State::collocated : State::connect)
                            : fail_intercepted();
}

InterceptedTry CallSteps::intercepted_try() const noexcept {
  return {round_.binding, target_->profile_index, request_.response};
}

bool CallSteps::send_intercepted() noexcept {
  return interception_->send(intercepted_try()) == Next::go_on;
}

// The ORB sends the request again: another try for the interceptors.
bool CallSteps::retry_intercepted() noexcept {
  if (interception_ == nullptr) return true;
  return interception_->retry(intercepted_try()) == Next::go_on && send_intercepted();
}

CallSteps::State CallSteps::fail_intercepted() {
  return fail(InvocationStage::sending, FailureCause::intercepted);
}

Next CallSteps::end_interception(bool failed) {
  CallInterception& interception = *interception_;
  const InvocationError* const error = failed ? &failure() : nullptr;
  const bool has_text = !failed && status_ == messaging::ReplyStatus::system_exception;
  const std::string_view text = has_text ? failure().server_text : std::string_view();
  std::optional<InterceptedTry> last;
  if (target_ != nullptr) last.emplace(intercepted_try());
  const Next next =
      interception.ended({last ? &*last : nullptr, error, status_, request_.response, body_, text});
  if (next != Next::fail) return next;
  fail_intercepted();
  failure().thrown = interception.thrown();
  failure().request_accepted = request_sent_;
  return next;
}

// The call leaves its reference: failures and forwards of the new target do not concern the
// reference. Takes the target first, also if it is not used: the interceptors have ended their try.
CallSteps::State CallSteps::follow_interceptor() {
  iop::Ior target = interception_->take_forward();
  if (++hops_ > context_.settings.forward_hops_max)
    return fail(InvocationStage::forwarding, FailureCause::forward_hops);
  forwarded_.clear();
  profiles_ = std::make_shared<MProfile>(context_, std::move(target), request_.protocols);
  left_reference_ = true;
  returned_to_base_ = false;
  use(profiles_->current());
  return State::choose;
}

}  // namespace perigee::orb
