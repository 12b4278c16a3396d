// The decisions of blocking and asynchronous calls: which target comes next, what a reply means,
// and whether to try again. Does no input or output.
#pragma once

#include "orb/bidirectional/bidirectional.h"
#include "orb/client/endpoint_table.h"
#include "orb/connection/invocation_error.h"
#include "orb/context/orb_context.h"
#include "orb/invocation/call_interception.h"
#include "orb/invocation/collocated.h"
#include "orb/references/reference.h"
#include "orb/values/reference_factory.h"
#include <perigee/cdr/buffer.h>
#include <perigee/cdr/decoder.h>
#include <perigee/messaging/message.h>
#include <perigee/orb/stub.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::orb {

/// The request of a call. All objects that it refers to outlive the call.
struct InvocationRequest {
  std::string_view operation;
  messaging::ResponseFlags response = messaging::ResponseFlags::with_target;
  stub::ArgumentEncoder encode = nullptr;  ///< null: no arguments. Called once per try.
  /// The time limit of the whole call; zero: no limit; negative: the time is over.
  std::chrono::microseconds time_limit{0};
  std::chrono::microseconds send_limit{0};  ///< the same until the request is sent
  /// The time limit for connecting to all addresses together, instead of the ORB's
  /// `connect_timeout`; zero: no limit.
  std::optional<std::chrono::milliseconds> connect_limit = std::nullopt;
  /// Set for a oneway that may wait to be sent together with others.
  std::optional<BufferingLimits> buffering = std::nullopt;
  /// The preferred protocols; null: the nearest target first. Shared with the policy, which another
  /// policy may replace.
  std::shared_ptr<const ProtocolPreference> protocols = nullptr;
  /// BidirectionalPolicy: true is BOTH; without a value the options of the ORB decide.
  std::optional<bool> bidirectional = std::nullopt;
  bool no_rebind = false;  ///< NO_REBIND: a forward fails once the reference is bound
  /// Arguments of at least this many octets are not copied; without a value the option of the ORB
  /// decides.
  std::optional<std::uint32_t> link_size_min = std::nullopt;
};

/// The state of one call between its steps. One thread at a time uses it. Derived classes send and
/// wait.
class CallSteps {
 public:
  CallSteps(const CallSteps&) = delete;
  CallSteps& operator=(const CallSteps&) = delete;

 protected:
  enum class State : std::uint8_t { choose, connect, transmit, collocated, classify, done, failed };

  CallSteps(Reference& reference, const InvocationRequest& request)
      : reference_(reference),
        context_(reference.context()),
        request_(request),
        profiles_(reference.profiles(request.protocols)),
        connecting_(request.connect_limit.value_or(context_.settings.connect_timeout)) {}
  ~CallSteps() = default;

  /// Begins with the reference's present binding.
  void begin() { use(profiles_->current()); }
  /// Chooses the next target. The next state is `collocated`, `connect` or `failed`, or `choose`
  /// if that target cannot be used.
  [[nodiscard]] State choose();
  /// Classifies `status_` and `body_`. The next state is `done`, a state that tries again, or
  /// `failed`. The call needs the body afterwards only if this state is `done`.
  [[nodiscard]] State classify();
  /// Calls the servant on this thread. `request` and `reply` are for the bodies; `body_` then
  /// refers to `reply`. The next state is `classify`, `done` or `failed`, or `connect` if the ORB
  /// is being destroyed.
  [[nodiscard]] State call_collocated(cdr::Buffer& request, cdr::Buffer& reply, Deadline deadline);
  /// The same without waiting for a deferred reply. If the servant defers its reply, the next state
  /// is `collocated`, and the caller calls `take_collocated` when `later` has the reply. `until`:
  /// the time limit of the caller.
  [[nodiscard]] State begin_collocated(cdr::Buffer& request, cdr::Buffer& reply,
                                       std::shared_ptr<CollocatedWait>& later, Deadline until);
  [[nodiscard]] State take_collocated(messaging::ReplyStatus status, const cdr::Buffer& reply);
  /// Called after a failed connect. Goes to the next target.
  [[nodiscard]] State after_failed_connect(IoError io);
  /// Called after a request that failed on a connection. The connection has already described the
  /// error in `failure()`. `reused`: the connection existed before this try. `expired`: returns
  /// whether there is no time for another try.
  template <typename Expired>
  [[nodiscard]] State after_failed_request(const TransactResult& result, bool reused,
                                           const Expired& expired);
  /// The same after a request over a connection of the engine. If it carried callbacks, the next
  /// state is `failed`.
  template <typename Expired>
  [[nodiscard]] State after_failed_request(const engine::Connection& connection,
                                           const TransactResult& result, bool reused,
                                           const Expired& expired);
  State fail(InvocationStage stage, FailureCause cause);
  [[nodiscard]] messaging::RequestHeader header(std::uint32_t request_id) const noexcept;
  /// Encodes the whole request, with these contexts and the time that is left until `deadline`.
  /// False if it cannot be encoded: `failure()` says why.
  [[nodiscard]] bool write_request(const messaging::Session& session, cdr::Buffer& buffer,
                                   std::uint32_t request_id,
                                   std::span<const iop::ServiceContext> announced,
                                   Deadline deadline);
  /// The same over a connection of the engine. Until its first reply, requests announce the code
  /// sets and, on a connection that is offered to the peer, the addresses of this ORB.
  [[nodiscard]] bool write_request_over(const engine::Connection& connection, cdr::Buffer& buffer,
                                        std::uint32_t request_id, Deadline deadline);
  /// Whether -ORBCallTimeout limits the call. Also true if a policy sets the same time.
  [[nodiscard]] bool has_default_limit() const noexcept {
    return request_.time_limit.count() != 0 &&
           request_.time_limit == context_.settings.call_timeout;
  }
  /// Whether the call may go over a connection for both directions (GIOP 1.2: CORBA 3.0, 15.8).
  [[nodiscard]] bool may_use_both_directions() const noexcept {
    return context_.bidirectional.concerns(request_.bidirectional) &&
           target_->version >= messaging::Version{1, 2};
  }
  /// The limits of the present connect. `deadline`: of the call.
  [[nodiscard]] CheckoutLimits checkout_limits(Deadline deadline) noexcept {
    const auto count = static_cast<std::uint32_t>(round_.binding->targets.size());
    return {deadline, &connecting_, count - round_.tried + 1};
  }

  /// Tells the interceptors about the end of an intercepted call. `failed`: there is no reply, and
  /// `failure()` says why. After `fail`, `failure()` has the exception for the caller.
  [[nodiscard]] CallInterception::Next end_interception(bool failed);
  /// Called after `forward`. The call starts again with the target that an interceptor has given.
  [[nodiscard]] State follow_interceptor();
  /// Called when the interceptors have ended the call, or want another target: `end_interception`
  /// says which.
  State fail_intercepted();

  /// Notes in `failure()` why the request cannot be encoded.
  [[gnu::cold]] void note_encode_error(cdr::Encoder& encoder, const messaging::Session& session);
  [[nodiscard]] std::size_t link_size_min() const noexcept {
    return request_.link_size_min ? *request_.link_size_min : context_.settings.link_size_min;
  }
  /// Subtracts a connect that did not use `checkout_limits` from the call's time for connecting.
  void spend(Duration connecting) noexcept { connecting_.spend(connecting); }
  [[nodiscard]] bool may_connect() const noexcept { return !connecting_.is_spent(); }

  Reference& reference_;
  const OrbContext& context_;
  const InvocationRequest& request_;
  // The profiles of the reference. After a forward of an interceptor, those of the new target.
  std::shared_ptr<MProfile> profiles_;
  const Target* target_ = nullptr;
  CallInterception* interception_ = nullptr;  // null: the call has no interceptors
  Freshness freshness_ = Freshness::any;
  bool request_sent_ = false;  // the server may have received the request
  messaging::ReplyStatus status_ = messaging::ReplyStatus::no_exception;
  cdr::DecodedMemory decoded_memory_;  // of the results
  cdr::Decoder body_;
  /// The server's text about its system exception, whose body is `body_`: the text of the reply. If
  /// the reply has none, the object key of an OBJECT_NOT_EXIST.
  [[nodiscard]] std::string server_text(std::span<const iop::ServiceContext> contexts) const;
  /// Why the call fails. Made at the first use, since most calls do not fail.
  [[nodiscard]] InvocationError& failure() noexcept { return error_ ? *error_ : error_.emplace(); }

 private:
  std::optional<InvocationError> error_;

  /// The targets of one binding that are tried, in a circle that begins at `first`.
  struct Round {
    BindingRef binding = nullptr;
    std::uint32_t first = 0;
    std::uint32_t tried = 0;
    std::uint32_t chosen = 0;  ///< the index of the target that was tried last
  };

  void use(BindingRef binding) noexcept;
  [[nodiscard]] bool is_collocated() const noexcept {
    return target_->collocated && context_.dispatcher.load(std::memory_order_acquire) != nullptr;
  }
  void fail_without_target();
  [[nodiscard]] static bool was_not_executed(const TransactResult& result) noexcept {
    return !result.request_accepted || result.cause == FailureCause::closed_by_peer;
  }
  [[nodiscard]] std::string endpoint_text() const noexcept;
  [[nodiscard]] bool encode_collocated(cdr::Buffer& request);
  [[nodiscard]] CollocatedCall collocated_call(RequestDispatcher& dispatcher,
                                               const cdr::Buffer& request,
                                               Deadline deadline) const noexcept;
  [[nodiscard]] State address_as_asked();
  [[nodiscard]] State follow_forward(Permanence permanence);
  [[nodiscard]] State try_again(bool may_be_stale);
  [[nodiscard]] State begin_intercepted_try();
  [[nodiscard]] InterceptedTry intercepted_try() const noexcept;
  [[nodiscard]] bool send_intercepted() noexcept;
  [[nodiscard]] bool retry_intercepted() noexcept;
  /// Whether the reply of `_non_existent` is TRUE.
  [[nodiscard]] bool says_that_object_is_gone() const noexcept;
  [[nodiscard]] bool forwarded_object_is_gone() const;
  [[nodiscard]] bool return_to_forwarded() noexcept;
  [[nodiscard]] bool return_to_base();
  /// Whether the RebindPolicy forbids other targets than the present one.
  [[nodiscard]] bool may_not_rebind() const noexcept {
    return request_.no_rebind && profiles_->is_bound();
  }
  void remember_answer() noexcept;

  Round round_;
  std::vector<Round> forwarded_;  // to go on with, when all targets of a forward have failed
  ConnectBudget connecting_;
  std::uint32_t hops_ = 0;
  std::uint32_t addressing_changes_ = 0;
  bool returned_to_base_ = false;
  bool left_reference_ = false;  // an interceptor has forwarded the call
};

inline void CallSteps::use(BindingRef binding) noexcept {
  const std::uint32_t first = binding->preferred.load(std::memory_order_relaxed);
  round_ = {std::move(binding), first, 0};
  target_ = nullptr;  // none of its targets is tried yet
}

// Starts with the target that answered last, so that a first profile without a server delays only
// one call.
[[gnu::always_inline]] inline CallSteps::State CallSteps::choose() {
  const std::size_t count = round_.binding->targets.size();
  if (round_.tried < count) {
    std::size_t next = round_.first + round_.tried++;
    if (next >= count) next -= count;
    round_.chosen = static_cast<std::uint32_t>(next);
    target_ = &round_.binding->targets[next];
    freshness_ = Freshness::any;
    if (interception_ != nullptr) [[unlikely]]
      return begin_intercepted_try();
    if (target_->remote) [[likely]]
      return State::connect;
    if (is_collocated()) return State::collocated;
    if (target_->compatible) return State::connect;
    fail(InvocationStage::resolving, FailureCause::code_sets);
    return State::choose;
  }
  if (count == 0) fail_without_target();
  if (return_to_forwarded() || return_to_base()) return State::choose;
  return State::failed;  // with the last target's error
}

[[gnu::always_inline]] inline messaging::RequestHeader CallSteps::header(
    std::uint32_t request_id) const noexcept {
  return {request_id,
          request_.response,
          target_->object_key,
          request_.operation,
          {},
          round_.binding->addressing.load(std::memory_order_relaxed),
          &round_.binding->ior,
          target_->profile_index};
}

[[gnu::always_inline]] inline void CallSteps::remember_answer() noexcept {
  if (round_.binding->preferred.load(std::memory_order_relaxed) != round_.chosen)
    round_.binding->preferred.store(round_.chosen, std::memory_order_relaxed);
}

[[gnu::always_inline]] inline CallSteps::State CallSteps::classify() {
  using messaging::ReplyStatus;
  body_.set_environment(&context_.references);
  body_.set_decoded_memory(decoded_memory_);
  switch (status_) {
    case ReplyStatus::no_exception:
      if (round_.binding->kind != Binding::Kind::forward) [[likely]]
        break;
      if (!says_that_object_is_gone() || !return_to_base()) break;
      return State::choose;
    case ReplyStatus::user_exception:
      break;
    case ReplyStatus::system_exception:
      if (!forwarded_object_is_gone() || !return_to_base()) break;
      return State::choose;
    case ReplyStatus::location_forward:
      return follow_forward(Permanence::temporary);
    case ReplyStatus::location_forward_perm:
      return follow_forward(Permanence::permanent);
    case ReplyStatus::needs_addressing_mode:
      return address_as_asked();
  }
  remember_answer();
  if (request_.no_rebind && status_ != ReplyStatus::system_exception) [[unlikely]]
    profiles_->note_bound();
  return State::done;
}

// A request may be sent again if it was not accepted as a whole, or if the server said that it
// would not execute it. The next try uses a fresh connection if this one may have been stale, then
// the next target.
template <typename Expired>
CallSteps::State CallSteps::after_failed_request(const TransactResult& result, bool reused,
                                                 const Expired& expired) {
  const bool not_executed = was_not_executed(result);
  failure().request_accepted = request_sent_ = !not_executed;
  failure().stage = result.stage;
  failure().cause = result.cause;
  if (!not_executed || result.cause == FailureCause::deadline) return State::failed;
  if (expired()) return fail(result.stage, FailureCause::deadline);  // no time for another try
  return try_again(reused || result.cause == FailureCause::closed_by_peer);
}

template <typename Expired>
CallSteps::State CallSteps::after_failed_request(const engine::Connection& connection,
                                                 const TransactResult& result, bool reused,
                                                 const Expired& expired) {
  const bool lost = context_.bidirectional.lose_callbacks(*target_->endpoint, connection);
  if (!lost || !was_not_executed(result)) return after_failed_request(result, reused, expired);
  request_sent_ = false;
  return fail(result.stage, FailureCause::callbacks_lost);
}

}  // namespace perigee::orb
