// A connection for asynchronous calls: any number of requests in flight, replies in any order.
//
// Requests that are started within a turn of the reactor leave together at its end. They are
// encoded only then, so nothing is copied while a connection is being made, or while the peer does
// not read: the calls wait with their arguments, and are certainly not executed.
#pragma once

#include "engine/connection/channel.h"
#include "engine/connection/outbound_calls.h"
#include "engine/connection/stand_still.h"
#include "orb/client/endpoint_table.h"
#include "orb/connection/invocation_error.h"
#include <perigee/event/reactor.h>
#include <perigee/messaging/message.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>

namespace perigee::orb {

class AsyncInvocation;
class Shard;

/// Belongs to who drives its shard. Owned by the shard; shared with who works on it just now, and
/// with what will be called back.
class AsyncConnection final : public event::EventHandler,
                              public std::enable_shared_from_this<AsyncConnection> {
 public:
  AsyncConnection(Shard& shard, std::shared_ptr<ClientEndpoint> endpoint);
  ~AsyncConnection();
  AsyncConnection(const AsyncConnection&) = delete;
  AsyncConnection& operator=(const AsyncConnection&) = delete;

  [[nodiscard]] ClientEndpoint& endpoint() const noexcept { return *endpoint_; }
  /// For one more call.
  [[nodiscard]] bool has_room() const noexcept;
  /// It is being made, or has just been: the peer cannot have closed it long ago.
  [[nodiscard]] bool is_fresh() const noexcept { return !answered_; }

  [[nodiscard]] bool is_connecting() const noexcept { return state_ == State::connecting; }

  /// Connects on another thread.
  void connect(Deadline until);
  /// Called by the shard when the connecting thread has made the connection, or has failed.
  void connected() noexcept;
  AsyncConnection* next_in_queue = nullptr;  ///< of the connections posted to the shard
  /// The call waits no longer for the connection that is being made; others may.
  void connect_timed_out(AsyncInvocation& call) noexcept;
  /// There is room. Sends the call's request, now or at the end of the turn, or when it can.
  void submit(AsyncInvocation& call) noexcept;
  /// Nobody wants the reply any longer, and a late one is dropped: tells the server. Says whether
  /// the server may have got the request.
  [[nodiscard]] bool abandon(AsyncInvocation& call) noexcept;
  void flush_at_end_of_turn() noexcept;
  void close_if_idle(TimePoint now) noexcept;
  /// Ends the connection and all calls on it, of which those that were not executed may go on
  /// elsewhere.
  void lose(FailureCause cause) noexcept;

  void handle_ready(event::Readiness readiness) noexcept override;

 private:
  enum class State : std::uint8_t { connecting, open, closed };

  using Made = std::expected<std::unique_ptr<transport::Transport>, IoError>;
  void made(Made transport) noexcept;
  [[nodiscard]] bool open(std::unique_ptr<transport::Transport> transport);
  void connect_failed(const IoError& error) noexcept;
  void bound(AsyncInvocation& call) noexcept;
  void flush();
  [[nodiscard]] bool encode(AsyncInvocation& call) noexcept;
  void put(AsyncInvocation& call);
  void after_send() noexcept;
  void tell_oneways() noexcept;
  void read_messages();
  [[nodiscard]] const messaging::Session& session();
  [[nodiscard]] bool read_message(messaging::ContextStorage& contexts, MutableOctetSpan scratch);
  void take(messaging::IncomingMessage& message, messaging::ContextStorage& contexts);
  void take_reply(messaging::IncomingMessage& message, messaging::ContextStorage& contexts);
  void watch_first_reply();
  void look_for_first_reply();
  void send_cancel_request(const AsyncInvocation& call);
  [[nodiscard]] bool accepted(const AsyncInvocation& call) const noexcept;
  void fail(AsyncInvocation& call, FailureCause cause, bool request_accepted) noexcept;
  void remove_unsent(AsyncInvocation& call) noexcept;

  Shard& shard_;
  const std::shared_ptr<ClientEndpoint> endpoint_;  // shared with the table and with references
  std::optional<engine::Channel> connection_;       // from `open` on
  std::unique_ptr<messaging::Session> measuring_session_;  // until then, if requests wait
  State state_ = State::connecting;
  Deadline connecting_until_;
  // What the connecting thread has made, until the shard takes it: no memory is needed for that.
  Made made_;
  std::shared_ptr<AsyncConnection> kept_;
  bool answered_ = false;
  bool first_reply_watched_ = false;
  event::MemberTimer<AsyncConnection, &AsyncConnection::look_for_first_reply> first_reply_{*this};
  bool flush_scheduled_ = false;
  std::uint32_t reading_ = 0;  // levels of the stack that read
  std::uint64_t submitted_ = 0;
  engine::StandStill idle_;
  messaging::FramingError framing_ = messaging::FramingError::bad_magic;

  engine::OutboundCalls calls_;  // all are AsyncInvocations
  std::size_t unsent_size_ = 0;  // octets of unsent calls that wait for longer than this turn
};

}  // namespace perigee::orb
