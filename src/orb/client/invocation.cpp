// The states of one call; those that each call goes through are inlined into `run`, which then
// knows what comes next. What may be tried again: anything, as long as the server cannot have
// executed the request (interop facts 19, 21, 24).
#include "orb/client/invocation.h"

#include "orb/code_sets.h"
#include "orb/collocated.h"
#include "orb/orb_core.h"
#include "orb/orb_metrics.h"
#include <perigee/base/probe.h>

#include <string>
#include <utility>

namespace perigee::orb {

using messaging::ReplyStatus;
using messaging::ResponseFlags;

Invocation::Invocation(Reference& reference, const InvocationRequest& request)
    : reference_(reference),
      core_(reference.core()),
      request_(request),
      profiles_(reference.profiles(request.protocols)) {}

Invocation::~Invocation() { leave_connection(); }

const InvocationError* Invocation::run() {
  if (request_.time_limit.count() != 0 || request_.send_limit.count() != 0) [[unlikely]]
    begin_time_limits();
  use(profiles_->current());
  probe::stamp(probe::Point::initialised);
  State state = State::choose;
  for (;;) {
    switch (state) {
      case State::choose:
        state = choose();
        break;
      case State::connect:
        state = connect();
        break;
      case State::transmit:
        state = transmit();
        break;
      case State::collocated:
        state = call_collocated();
        break;
      case State::classify:
        state = classify();
        break;
      case State::done:
        return nullptr;
      case State::failed:
        return &error_;
    }
  }
}

// What ends first ends sending.
void Invocation::begin_time_limits() noexcept {
  if (request_.time_limit.count() != 0)
    slot_.deadline = slot_.send_deadline = &deadline_.emplace(request_.time_limit, core_.clock());
  if (request_.send_limit.count() == 0) return;
  const CallDeadline& limit = send_deadline_.emplace(request_.send_limit, core_.clock());
  if (slot_.deadline == nullptr || limit.end() < slot_.deadline->end())
    slot_.send_deadline = &limit;
}

void Invocation::use(const Binding& binding) noexcept {
  round_ = {&binding, binding.preferred.load(std::memory_order_relaxed), 0};
  target_ = nullptr;  // none of its targets is tried yet
}

// Starts with the target that answered last, so that a dead first profile costs only one call.
[[gnu::always_inline]] inline Invocation::State Invocation::choose() {
  const std::size_t count = round_.binding->targets.size();
  if (round_.tried < count) {
    target_ = &round_.binding->targets[(round_.first + round_.tried++) % count];
    freshness_ = Freshness::any;
    const bool here = target_->collocated && core_.dispatcher() != nullptr;
    if (here) return State::collocated;
    if (target_->compatible) return State::connect;
    fail(InvocationStage::resolving, FailureCause::code_sets);
    return State::choose;
  }
  if (count == 0) fail_without_target();
  if (return_to_forwarded() || return_to_base()) return State::choose;
  return State::failed;  // with the last target's error
}

void Invocation::fail_without_target() {
  const Binding& binding = *round_.binding;
  const auto cause = !binding.excluded.empty()      ? FailureCause::protocols_excluded
                     : !binding.other_hosts.empty() ? FailureCause::other_host
                                                    : FailureCause::no_usable_profile;
  fail(InvocationStage::resolving, cause);
  error_.endpoint = !binding.excluded.empty() ? binding.excluded : binding.other_hosts;
}

// The profiles where a server has forwarded us to are through: on with those after its own (the
// order of the paper's figure 12).
bool Invocation::return_to_forwarded() noexcept {
  if (forwarded_.empty()) return false;
  profiles_->forget(*round_.binding);
  round_ = forwarded_.back();
  forwarded_.pop_back();
  return true;
}

// Once per call: when a forward fails, the object may have moved on. And protocols may have come
// since a base was found to lead nowhere.
bool Invocation::return_to_base() {
  if (std::exchange(returned_to_base_, true)) return false;
  if (hops_ == 0 && round_.binding->kind == Binding::Kind::base) {
    const Binding* const renewed =
        round_.binding->targets.empty() ? profiles_->renew_base() : nullptr;
    if (renewed != nullptr) use(*renewed);
    return renewed != nullptr;
  }
  forwarded_.clear();
  profiles_->forget(*round_.binding);
  use(profiles_->base());
  return true;
}

[[gnu::always_inline]] inline Invocation::State Invocation::connect() {
  if (expired()) return fail(InvocationStage::connecting, FailureCause::deadline);
  const ThreadStrategy strategy = core_.settings().thread_strategy;
  const bool nested =
      strategy != ThreadStrategy::thread_per_connection && UpcallScope::inside(core_);
  if (nested && !nested_wait_.begin(*core_.server()))
    return fail(InvocationStage::sending, FailureCause::nested_too_deep);
  // On the thread of a loop others are served while this call waits.
  const bool serves = nested && strategy != ThreadStrategy::thread_pool;
  slot_.nested_server = serves ? core_.server() : nullptr;
  const bool oneway = request_.response == ResponseFlags::none;
  auto lease = target_->endpoint->checkout(
      freshness_,
      serves   ? Sharing::forbidden
      : oneway ? Sharing::in_order
               : Sharing::allowed,
      {slot_.send_deadline, request_.connect_limit.value_or(core_.settings().connect_timeout)});
  if (lease) {
    lease_ = std::move(*lease);
    if (lease_.reused() || !expired()) return State::transmit;
  }
  if (expired()) return fail(InvocationStage::connecting, FailureCause::deadline);
  error_.io = std::move(lease.error());
  error_.endpoint = to_string(target_->endpoint->endpoint());
  error_.request_accepted = false;
  error_.stage = InvocationStage::connecting;
  error_.cause = FailureCause::connect;
  return State::choose;
}

[[gnu::always_inline]] inline bool Invocation::encode_request() {
  probe::stamp(probe::Point::connection_found);
  const messaging::Protocol& protocol = target_->endpoint->messaging();
  slot_.request_id = lease_->take_request_id();
  request_buffer_->clear();
  cdr::Encoder encoder(*request_buffer_, std::endian::native, cdr::Encoder::Borrowing::yes);
  messaging::RequestHeader header{slot_.request_id,
                                  request_.response,
                                  target_->object_key,
                                  request_.operation,
                                  {},
                                  round_.binding->addressing.load(std::memory_order_relaxed),
                                  &round_.binding->ior,
                                  target_->profile_index};
  if (!lease_->answered()) header.contexts = target_->endpoint->announcement();
  protocol.begin_request(encoder, target_->version, header,
                         request_.encode ? messaging::Body::present : messaging::Body::empty);
  encoder.set_code_sets(target_->endpoint->code_sets());
  probe::stamp(probe::Point::request_begun);
  if (request_.encode) request_.encode(encoder);
  probe::stamp(probe::Point::arguments_encoded);
  if (encoder.ok()) protocol.finish(encoder);  // may fail: the message is too large
  probe::stamp(probe::Point::request_finished);
  if (encoder.ok()) return true;
  error_.cdr = encoder.error();
  return false;
}

[[gnu::always_inline]] inline Invocation::State Invocation::transmit() {
  if (!encode_request()) return fail(InvocationStage::sending, FailureCause::encode);
  slot_.state = ReplySlot::State::waiting;
  if (slot_.nested_server != nullptr) limit_first_reply();
  const bool oneway = request_.response == ResponseFlags::none;
  request_sent_ = true;
  const TransactResult result = oneway ? send_oneway() : lease_->transact(*request_buffer_, slot_);
  nested_wait_.end();
  if (result.cause != FailureCause::none) return after_failure(result);
  if (oneway) return State::done;
  status_ = slot_.reply->header.status;
  body_ = slot_.reply->body;
  body_.set_code_sets(target_->endpoint->code_sets());
  return State::classify;
}

// On the thread of a loop the connection may be for this call only.
TransactResult Invocation::send_oneway() {
  if (request_.buffering && slot_.nested_server == nullptr)
    return lease_->send_soon(*request_buffer_, *request_.buffering, slot_.send_deadline);
  return lease_->send_only(*request_buffer_, slot_.send_deadline);
}

// Where the connection's own time-out does not, since others are served meanwhile.
void Invocation::limit_first_reply() {
  const auto limit = core_.settings().first_reply_timeout;
  const bool limited = limit > std::chrono::milliseconds::zero() && !lease_->answered();
  slot_.mute_until = limited ? core_.clock().now() + limit : Server::for_ever;
}

// A request that was not accepted as a whole, or that the server said it would not execute, may be
// sent again: on a fresh connection if this one may have been stale, then at the next target.
Invocation::State Invocation::after_failure(const TransactResult& result) {
  const bool may_be_stale = lease_.reused() || result.cause == FailureCause::closed_by_peer;
  const bool not_executed =
      !result.request_accepted || result.cause == FailureCause::closed_by_peer;
  error_.request_accepted = request_sent_ = !not_executed;
  error_.stage = result.stage;
  error_.cause = result.cause;
  lease_->describe(error_);
  leave_connection();
  if (!not_executed || result.cause == FailureCause::deadline) return State::failed;
  if (expired())
    return fail(result.stage, FailureCause::deadline);  // a request cut by its own time
  core_.metrics().retries.fetch_add(1, std::memory_order_relaxed);
  if (!may_be_stale || freshness_ == Freshness::fresh) return State::choose;
  freshness_ = Freshness::fresh;
  return State::connect;
}

Invocation::State Invocation::call_collocated() {
  if (!reply_buffer_) reply_buffer_.emplace();
  request_buffer_->clear();
  cdr::Encoder encoder(*request_buffer_);
  encoder.set_code_sets(collocated_code_sets(core_.settings().code_sets));
  if (request_.encode) request_.encode(encoder);
  if (!encoder.ok()) {
    error_.cdr = encoder.error();
    return fail(InvocationStage::sending, FailureCause::encode);
  }
  RequestDispatcher* const dispatcher = core_.dispatcher();
  if (dispatcher == nullptr) return State::connect;  // the ORB is being destroyed
  const CollocatedCall call{*dispatcher, request_.operation, target_->object_key,
                            request_.response != ResponseFlags::none, *request_buffer_};
  status_ = dispatch_collocated(core_, call, **reply_buffer_);
  if (request_.response == ResponseFlags::none) return State::done;
  body_ = cdr::Decoder((*reply_buffer_)->own_octets(), std::endian::native, 0,
                       core_.messaging().limits().values);
  body_.set_code_sets(collocated_code_sets(core_.settings().code_sets));
  return State::classify;
}

[[gnu::always_inline]] inline void Invocation::remember_answer() noexcept {
  const auto answered = static_cast<std::uint32_t>(target_ - round_.binding->targets.data());
  if (round_.binding->preferred.load(std::memory_order_relaxed) != answered)
    round_.binding->preferred.store(answered, std::memory_order_relaxed);
}

[[gnu::always_inline]] inline Invocation::State Invocation::classify() {
  body_.set_environment(&core_);
  switch (status_) {
    case ReplyStatus::no_exception:
    case ReplyStatus::user_exception:
      break;
    case ReplyStatus::system_exception:
      if (!forwarded_object_is_gone() || !return_to_base()) break;
      leave_connection();
      return State::choose;
    case ReplyStatus::location_forward:
      return follow_forward(Permanence::temporary);
    case ReplyStatus::location_forward_perm:
      return follow_forward(Permanence::permanent);
    case ReplyStatus::needs_addressing_mode:
      return address_as_asked();
  }
  remember_answer();
  return State::done;
}

// OBJECT_NOT_EXIST where we were forwarded to: the base knows better (CORBA 3.0, 15.6). Unless an
// operation says so of another object, that has been executed.
bool Invocation::forwarded_object_is_gone() const {
  if (round_.binding->kind != Binding::Kind::forward) return false;
  cdr::Decoder body = body_;
  if (body.read_string_view() != "IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0") return false;
  (void)body.read<std::uint32_t>();  // minor
  const auto completed = body.read<std::uint32_t>();
  return body.ok() && completed == static_cast<std::uint32_t>(CORBA::COMPLETED_NO);
}

// The server wants to know more of the target than the key: again, to the same place. The binding
// remembers it. A server that never has enough is given up (CORBA 3.0, 15.4.3.1).
Invocation::State Invocation::address_as_asked() {
  const auto asked = static_cast<messaging::AddressingMode>(body_.read<std::int16_t>());
  const bool known = body_.ok() && asked >= messaging::AddressingMode::key &&
                     asked <= messaging::AddressingMode::reference;
  leave_connection();
  if (!known || ++addressing_changes_ > 2)
    return fail(InvocationStage::awaiting, FailureCause::addressing_mode);
  round_.binding->addressing.store(asked, std::memory_order_relaxed);
  return State::connect;
}

Invocation::State Invocation::follow_forward(Permanence permanence) {
  iop::Ior ior;
  iop::decode(body_, ior, core_.settings().reference_limits);
  error_.cdr = body_.error();
  const bool decoded = body_.ok();
  leave_connection();
  if (!decoded) return fail(InvocationStage::forwarding, FailureCause::bad_forward);
  if (ior.is_nil()) return fail(InvocationStage::forwarding, FailureCause::nil_forward);
  if (++hops_ > core_.settings().forward_hops_max)
    return fail(InvocationStage::forwarding, FailureCause::forward_hops);
  core_.metrics().forwards.fetch_add(1, std::memory_order_relaxed);
  if (permanence == Permanence::permanent && profiles_->preference() != nullptr)
    reference_.replace(ior);
  auto forward =
      make_binding(core_, std::move(ior), Binding::Kind::forward, profiles_->preference());
  remember_answer();
  const Binding* adopted = profiles_->adopt(forward, permanence);
  if (adopted == nullptr) adopted = own_bindings_.emplace_back(std::move(forward)).get();
  forwarded_.push_back(round_);
  use(*adopted);
  return State::choose;
}

Invocation::State Invocation::fail(InvocationStage stage, FailureCause cause) {
  error_.stage = stage;
  error_.cause = cause;
  error_.request_accepted = false;
  error_.endpoint = target_ != nullptr ? to_string(target_->endpoint->endpoint()) : std::string();
  return State::failed;
}

void Invocation::leave_connection() noexcept {
  if (!lease_) return;
  lease_->finish(slot_);
  lease_.reset();
}

}  // namespace perigee::orb
