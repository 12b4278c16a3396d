// The invocation state machine: choose a target, get a connection, send, wait, classify the reply,
// and again where the rules allow it. Returns errors as values; the caller decides what they
// become.
#pragma once

#include "orb/client/call_buffers.h"
#include "orb/client/client_connection.h"
#include "orb/client/endpoint_table.h"
#include "orb/client/invocation_error.h"
#include "orb/reference.h"
#include "orb/server.h"
#include <perigee/cdr/decoder.h>
#include <perigee/messaging/message.h>
#include <perigee/orb/stub.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::orb {

class OrbCore;

/// What to ask. Everything outlives the invocation.
struct InvocationRequest {
  std::string_view operation;
  messaging::ResponseFlags response = messaging::ResponseFlags::with_target;
  stub::ArgumentEncoder encode = nullptr;   ///< null: no arguments. Called once per try.
  std::chrono::microseconds time_limit{0};  ///< for all of it, from `run` on; zero: none
  std::chrono::microseconds send_limit{0};  ///< the same, until it is sent
  /// For connecting to one address, instead of the ORB's `connect_timeout`; zero: none.
  std::optional<std::chrono::milliseconds> connect_limit = std::nullopt;
  /// Of a oneway: it may wait to be sent together with others.
  std::optional<BufferingLimits> buffering = std::nullopt;
  /// Of protocols; null: the nearest first. Shared with the policy, which another may replace.
  std::shared_ptr<const ProtocolPreference> protocols = nullptr;
};

/// Says to the server, for as long as it is engaged, that the thread waits in a call out of an
/// upcall.
class NestedWait final {
 public:
  NestedWait() noexcept = default;
  ~NestedWait() { end(); }
  NestedWait(const NestedWait&) = delete;
  NestedWait& operator=(const NestedWait&) = delete;

  /// False if the server does not want it.
  [[nodiscard]] bool begin(Server& server) noexcept {
    if (server_ == nullptr && server.begin_wait()) server_ = &server;
    return server_ != nullptr;
  }
  void end() noexcept {
    if (Server* const server = std::exchange(server_, nullptr)) server->end_wait();
  }

 private:
  Server* server_ = nullptr;
};

/// One call. Lives on the caller's stack, one thread. After `run` has succeeded, `status` and
/// `body` are valid until it is destroyed: they refer to the connection's read buffer.
class Invocation final {
 public:
  Invocation(Reference& reference, const InvocationRequest& request);
  ~Invocation();
  Invocation(const Invocation&) = delete;
  Invocation& operator=(const Invocation&) = delete;

  /// Blocks until there is a reply (of status no_exception, user_exception or system_exception),
  /// or, for a oneway, until the transport has taken the request. Null on success.
  [[nodiscard]] const InvocationError* run();

  [[nodiscard]] messaging::ReplyStatus status() const noexcept { return status_; }
  /// After an exception of `run`: whether the server may have got the request.
  [[nodiscard]] bool request_sent() const noexcept { return request_sent_; }
  /// Stands at the results, or at the exception's repository id.
  [[nodiscard]] cdr::Decoder& body() noexcept { return body_; }

 private:
  enum class State : std::uint8_t { choose, connect, transmit, collocated, classify, done, failed };

  [[nodiscard]] State choose();
  [[nodiscard]] State connect();
  [[nodiscard]] State transmit();
  [[nodiscard]] State call_collocated();
  [[nodiscard]] State classify();
  [[nodiscard]] State address_as_asked();
  [[nodiscard]] State follow_forward(Permanence permanence);
  [[nodiscard]] State after_failure(const TransactResult& result);
  State fail(InvocationStage stage, FailureCause cause);
  void fail_without_target();
  void begin_time_limits() noexcept;
  /// Before the request is sent, or sent again.
  [[nodiscard]] bool expired() const noexcept {
    return slot_.send_deadline != nullptr && slot_.send_deadline->expired();
  }
  [[nodiscard]] bool encode_request();
  [[nodiscard]] TransactResult send_oneway();
  void limit_first_reply();
  [[nodiscard]] bool forwarded_object_is_gone() const;
  [[nodiscard]] bool return_to_forwarded() noexcept;
  [[nodiscard]] bool return_to_base();
  void use(const Binding& binding) noexcept;
  void remember_answer() noexcept;
  void leave_connection() noexcept;

  Reference& reference_;
  OrbCore& core_;
  const InvocationRequest& request_;
  std::optional<CallDeadline> deadline_;
  std::optional<CallDeadline> send_deadline_;

  const std::shared_ptr<MProfile> profiles_;  // the reference's
  /// Whose targets are tried: from `first` on, round.
  struct Round {
    const Binding* binding = nullptr;
    std::uint32_t first = 0;
    std::uint32_t tried = 0;
  };
  Round round_;
  std::vector<Round> forwarded_;  // where to go on when a list of forwarded profiles is through
  std::vector<std::unique_ptr<Binding>> own_bindings_;  // forwards that are not remembered
  const Target* target_ = nullptr;
  Freshness freshness_ = Freshness::any;
  std::uint32_t hops_ = 0;
  std::uint32_t addressing_changes_ = 0;
  bool returned_to_base_ = false;
  bool request_sent_ = false;  // it, or the present try of it, may be

  CallBuffer request_buffer_;
  std::optional<CallBuffer> reply_buffer_;  // of collocated calls
  ConnectionLease lease_;
  ReplySlot slot_;
  NestedWait nested_wait_;
  messaging::ReplyStatus status_ = messaging::ReplyStatus::no_exception;
  cdr::Decoder body_;
  InvocationError error_;
};

}  // namespace perigee::orb
