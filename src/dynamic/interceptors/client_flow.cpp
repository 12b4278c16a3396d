// The flow rules of the client. Source: CORBA 3.0, 21.3.3.
#include "dynamic/interceptors/client_flow.h"

#include "orb/context/orb_context.h"
#include "orb/invocation/call_ends.h"
#include "orb/values/system_exceptions.h"
#include <perigee/orb/make_reference.h>

#include <new>
#include <utility>

namespace perigee::interceptors {

using messaging::ReplyStatus;
using messaging::ResponseFlags;
using Next = orb::CallInterception::Next;

/// The flow is at a point, as long as this object lives.
class ClientFlow::AtPoint {
 public:
  AtPoint(ClientFlow& flow, const orb::InterceptedTry* last) noexcept : flow_(flow) {
    flow_.try_ = last;
  }
  ~AtPoint() {
    flow_.point_ = client_point::none;
    flow_.try_ = nullptr;
  }
  AtPoint(const AtPoint&) = delete;
  AtPoint& operator=(const AtPoint&) = delete;

 private:
  ClientFlow& flow_;
};

ClientFlow::ClientFlow(OrbInterceptors& owner, ListsRef lists,
                       const counted_ptr<orb::Reference>& target, const stub::Operation& operation)
    : owner_(owner),
      lists_(std::move(lists)),
      target_(target),
      operation_(operation),
      id_(next_request_number()),
      slots_(orb::thread_slots()),
      policy_contexts_(orb::contexts_of(*target)),
      info_(make_counted<ClientInfo>(*this)) {}

ClientFlow::~ClientFlow() { info_->end(); }

Next ClientFlow::send(const orb::InterceptedTry& next) noexcept {
  if (open_) {
    if (!try_failed_ && binding_.get() == next.binding.get()) return Next::go_on;
    const orb::BindingRef binding = binding_;
    if (const Next ended = retry({binding, profile_index_, next.response}); ended != Next::go_on)
      return ended;
  }
  open_ = true;
  try_failed_ = false;
  binding_ = next.binding;
  profile_index_ = next.profile_index;
  request_contexts_.clear();
  reply_contexts_.clear();
  outcome_ = {};
  const AtPoint at(*this, &next);
  begin_points();
  return outcome_.replaced ? end_try(&next) : Next::go_on;
}

void ClientFlow::begin_points() noexcept {
  point_ = client_point::send_request;
  try {
    if (policy_contexts_) request_contexts_.assign(policy_contexts_->contexts());
    for (const auto& interceptor : lists_->client) {
      interceptor->send_request(info_);
      ++depth_;
    }
  } catch (...) {
    outcome_.ending = Ending::other;
    outcome_.replace_by_current();
  }
}

void ClientFlow::call_ending(std::size_t index) {
  const auto& interceptor = lists_->client[index];
  switch (outcome_.ending) {
    case Ending::reply:
      point_ = client_point::receive_reply;
      return interceptor->receive_reply(info_);
    case Ending::exception:
      point_ = client_point::receive_exception;
      return interceptor->receive_exception(info_);
    case Ending::other:
      point_ = client_point::receive_other;
      return interceptor->receive_other(info_);
  }
}

// Runs the ending points. The next try, if there is one, begins with an empty flow stack.
Next ClientFlow::end_try(const orb::InterceptedTry* last) noexcept {
  const AtPoint at(*this, last);
  run_endings(depth_, outcome_, [this](std::size_t index) { call_ending(index); });
  open_ = false;
  if (!outcome_.replaced) return Next::go_on;
  return outcome_.ending == Ending::exception ? Next::fail : Next::forward;
}

Next ClientFlow::retry(const orb::InterceptedTry& last) noexcept {
  if (!open_) return Next::go_on;
  outcome_.ending = Ending::other;
  outcome_.status = PortableInterceptor::TRANSPORT_RETRY;
  return end_try(&last);
}

Next ClientFlow::forwarded(const orb::InterceptedTry& last, const iop::Ior& target) noexcept {
  if (!open_) return Next::go_on;
  try {
    outcome_.forward_to(owner_.core().make_object(target));
  } catch (...) {  // out of memory
    outcome_.replace_by_current();
  }
  return end_try(&last);
}

Next ClientFlow::ended(const orb::InterceptedEnd& end) noexcept {
  if (outcome_.replaced) return outcome_.ending == Ending::exception ? Next::fail : Next::forward;
  if (!open_) return Next::go_on;
  try {
    take_end(end);
  } catch (...) {  // out of memory
    outcome_.replace_by_current();
  }
  return end_try(end.last);
}

void ClientFlow::take_end(const orb::InterceptedEnd& end) {
  if (end.error != nullptr || end.status == ReplyStatus::user_exception ||
      end.status == ReplyStatus::system_exception) {
    outcome_.exception = exception_of(end);
    outcome_.ending = Ending::exception;
    outcome_.status = outcome_.exception.status;
    return;
  }
  outcome_.ending = end.response == ResponseFlags::none ? Ending::other : Ending::reply;
  outcome_.status = PortableInterceptor::SUCCESSFUL;
}

// Makes the exception that the caller gets. The body is decoded a second time for the caller.
SeenException ClientFlow::exception_of(const orb::InterceptedEnd& end) const {
  try {
    if (end.error != nullptr) orb::raise_invocation_error(*end.error);
    cdr::Decoder body = end.body;
    if (end.status == ReplyStatus::user_exception) orb::raise_user_exception(operation_, body);
    orb::decode_and_raise_system_exception(body, end.server_text);
  } catch (...) {
    return see(std::current_exception());
  }
}

void ClientFlow::keep_reply_contexts(std::span<const iop::ServiceContext> contexts) noexcept try {
  reply_contexts_.assign(contexts);
} catch (const std::bad_alloc&) {
  reply_contexts_.clear();
}

iop::Ior ClientFlow::take_forward() noexcept try {
  const auto target = std::exchange(outcome_.forward, nullptr);
  outcome_ = {};
  return target->_reference()->ior();
} catch (const std::bad_alloc&) {
  return {};
}

}  // namespace perigee::interceptors
