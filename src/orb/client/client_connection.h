// A connection that a client opened: sends requests, and finds the waiting call of each reply. The
// first calling thread reads (the leader). It hands other calls their replies. When it has its own
// reply, it passes the read role on.
#pragma once

#include "engine/connection/channel.h"
#include "engine/connection/message_place.h"
#include "engine/connection/outbound_calls.h"
#include "engine/connection/waiting_call.h"
#include "orb/connection/invocation_error.h"
#include "orb/connection/oneway_buffer.h"
#include "orb/context/server.h"
#include <perigee/base/short_lock.h>
#include <perigee/messaging/protocol.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

namespace perigee::orb {

/// A blocking call, and the place for its reply. On the stack of the calling thread.
struct ReplySlot final : engine::WaitingCall {
  bool delivered = false;           // the leading thread has read its own reply
  Server* nested_server = nullptr;  // serves other requests on this thread while the caller waits
  Deadline mute_until;              // with a nested server: end of the wait for the first reply
  Deadline send_deadline;           // for sending the request; not later than `deadline`
  Deadline deadline;                // for the reply; while `queued_as` is set, `send_deadline`
  std::uint64_t queued_as = 0;      // the position of a queued request; 0: not queued, or sent
  Deadline reply_deadline;          // becomes `deadline` when the queued request was sent
  // The call holds the read role. Views in `message` are valid until the call passes the role on.
  bool holds_token = false;
  messaging::IncomingMessage message;
  messaging::ContextStorage contexts;
  std::optional<messaging::Parsed<messaging::ReplyHeader>> reply;
  FailureCause failure = FailureCause::none;  // the cause, if the call was completed as failed
};

/// Any thread. Must not be destroyed while a call is in progress.
class ClientConnection final {
 public:
  ClientConnection(std::unique_ptr<transport::Transport> transport,
                   const messaging::MessagingProtocol& protocol, engine::ChannelLimits limits,
                   std::chrono::milliseconds first_reply_timeout,
                   engine::TrafficLedger* ledger = nullptr, WakeTimer* flush_timer = nullptr);

  [[nodiscard]] const messaging::Session& session() const noexcept { return connection_.session(); }
  /// An even number, since this side has opened the connection (interop fact 16 of
  /// docs/interop.md).
  [[nodiscard]] std::uint32_t take_request_id() noexcept { return calls_.next_id(); }
  /// True: the server has answered. So it knows the code sets that earlier requests have announced.
  [[nodiscard]] bool answered() const noexcept {
    return answered_id_.load(std::memory_order_relaxed) != no_id;
  }
  /// False once anything has failed: no new call should use the connection.
  [[nodiscard]] bool usable() const noexcept {
    return !failed_.load(std::memory_order_acquire) && !connection_.broken();
  }

  /// The memory in which the calling thread encodes its next request. The place must end before the
  /// ConnectionLease. A request that will be held back is encoded in the buffer's own memory.
  [[nodiscard]] engine::MessagePlace place_for(cdr::Buffer& request, bool held_back) noexcept {
    return engine::MessagePlace(connection_, request, connection_.encodes_in_place() && !held_back);
  }
  /// Sends a request and blocks until its reply is in the slot, or until the slot's deadline has
  /// passed. After the deadline, a late reply is dropped, and other calls are not affected. Call
  /// `finish` when the views in the slot are no longer needed. bad_alloc ends the connection.
  TransactResult transact(const cdr::Buffer& request, ReplySlot& slot);
  void finish(ReplySlot& slot) noexcept;
  /// Sends a request that gets no reply; returns when the transport has taken it.
  TransactResult send_only(const cdr::Buffer& request, Deadline deadline = {});
  /// The same, but the request may wait to be sent together with others. A request that `transact`
  /// or `send_only` sends later is sent after it.
  TransactResult send_soon(const cdr::Buffer& request, const BufferingLimits& limits,
                           Deadline deadline = {});
  /// Whether oneways were sent or wait, and no call that was sent after them has its reply. A
  /// request on another connection could reach the servant before these oneways.
  [[nodiscard]] bool has_unconfirmed_oneways() const noexcept;
  /// The oneways that wait to be sent together.
  [[nodiscard]] OnewayBuffer& oneways() noexcept { return oneways_; }
  [[nodiscard]] const OnewayBuffer& oneways() const noexcept { return oneways_; }
  /// Whether messages are queued or held back, and can still be sent.
  [[nodiscard]] bool output_waits() const noexcept {
    return !connection_.idle_output() && !connection_.broken();
  }

  /// Reads what the server has sent while no call waits for it: CloseConnection, the end of the
  /// stream, late replies. Does not block; does nothing while callers read. bad_alloc ends the
  /// connection.
  void look_for_close();
  /// Grows with each request.
  [[nodiscard]] std::uint64_t requests() const noexcept { return calls_.ids(); }

  /// Ends the connection: calls in progress fail.
  void close() noexcept { connection_.close(); }
  /// Adds errno, peer and framing error to an error of this connection.
  void describe(InvocationError& error, InvocationStage stage) const;

 private:
  /// Calls that ran out of time since the last octet came.
  struct MuteDeadlines {
    std::uint64_t received = 0;  ///< octets before the first of them
    std::uint32_t count = 0;
    TimePoint last;
  };

  TransactResult exchange(const cdr::Buffer& request, ReplySlot& slot);
  [[nodiscard]] bool enlist(ReplySlot& slot);
  [[nodiscard]] bool delist(ReplySlot& slot) noexcept;
  void leave_table(ReplySlot& slot) noexcept;
  TransactResult send_failed(ReplySlot* slot, engine::SendStatus status);
  [[nodiscard]] FailureCause read_early_answer(ReplySlot& slot);
  [[nodiscard]] bool may_be_executed(const engine::SendResult& sent, FailureCause cause) noexcept;
  FailureCause lead(ReplySlot& slot);
  FailureCause follow(ReplySlot& slot);
  [[nodiscard]] FailureCause await_completion(ReplySlot& slot);
  [[nodiscard]] FailureCause after_completion(ReplySlot& slot, engine::WaitingCall::End end);
  FailureCause await_queued(ReplySlot& slot, std::uint64_t position, bool leads);
  [[nodiscard]] bool goes_on_as_sent(ReplySlot& slot) noexcept;
  [[nodiscard]] FailureCause read_one(ReplySlot& slot);
  [[nodiscard]] FailureCause read_message(ReplySlot& slot);
  [[nodiscard]] FailureCause read_blocking(ReplySlot& slot);
  [[nodiscard]] FailureCause take_message(ReplySlot& slot);
  [[nodiscard]] FailureCause take_reply(ReplySlot& slot);
  void read_unasked(ReplySlot& none);
  void note_oneway() noexcept;
  void deliver(std::uint32_t request_id, messaging::IncomingMessage& message);
  void complete_first_reply();
  [[nodiscard]] bool parse(ReplySlot& slot) const;
  void pass_role_on() noexcept;
  void release_role() noexcept {
    while (connection_.read_role().release() == engine::ReadRole::Release::again) {
    }
  }
  [[nodiscard]] bool hand_role_over() noexcept;
  void note_deadline(const ReplySlot& slot) noexcept;
  FailureCause fail(FailureCause cause, messaging::FramingError framing) noexcept;
  void log_flood() const noexcept;
  [[nodiscard]] FailureCause cause_for(const ReplySlot& slot, FailureCause cause) const noexcept;

  static constexpr std::uint32_t no_id = 1;  // the ids of a client are even

  engine::Channel connection_;
  OnewayBuffer oneways_;
  // The call that leads is not in this table. The table needs no limit, since a thread waits for
  // each call in it.
  engine::OutboundCalls calls_{messaging::Role::opener, std::numeric_limits<std::uint32_t>::max()};
  const Clock& clock_;
  std::atomic<bool> failed_{false};
  std::atomic<std::uint32_t> answered_id_{no_id};      // of the last reply
  std::atomic<std::uint32_t> id_after_oneway_{no_id};  // of the first call after the last oneway
  bool first_reply_awaited_ = false;                   // guarded by the read role
  std::atomic<FailureCause> failure_{FailureCause::none};  // the first
  std::atomic<messaging::FramingError> framing_{messaging::FramingError::bad_header};

  ShortLock mute_lock_;  // guards the members below
  MuteDeadlines mute_;
};

}  // namespace perigee::orb
