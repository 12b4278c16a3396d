// What the messages of one server connection mean, whichever threads read them: requests go to the
// dispatcher, their replies back. Reads nothing itself, and knows no threads and no sockets.
#pragma once

#include "orb/context/code_sets.h"
#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>
#include <perigee/base/octets.h>
#include <perigee/base/short_lock.h>
#include <perigee/cdr/buffer.h>
#include <perigee/event/timer.h>
#include <perigee/messaging/protocol.h>
#include <perigee/orb/server_request.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace perigee::event {
class Reactor;
}

namespace perigee::orb {

class AdmittedRequest;
class Conversation;
class DeferredReply;
class LatencyTimer;
class OrbCore;
class PendingReply;

/// What a thread uses while it serves: kept, so that nothing is allocated per request.
struct ServingThread {
  explicit ServingThread(std::size_t scratch_size)
      : scratch_octets(std::make_unique_for_overwrite<std::byte[]>(scratch_size)),
        scratch(scratch_octets.get(), scratch_size) {}

  std::unique_ptr<std::byte[]> scratch_octets;
  MutableOctetSpan scratch;
  cdr::Buffer reply;
  messaging::ContextStorage contexts;
  bool reading = false;       ///< holds the connection's read token
  std::uint64_t held_as = 0;  ///< the present message's number among those that were held, or 0
};

/// A request that waits for a gate (see RequestDispatcher::gate_of).
struct Waiting {
  messaging::IncomingMessage& message;
  const void* gate;
};

/// The connection under a conversation, as its thread strategy makes it.
class ConversationHost {
 public:
  /// Sends a finished message. Errors show when the connection is read.
  virtual void send(const cdr::Buffer& message) = 0;
  /// The same, but never blocks: what a peer that does not read would have to wait for is lost.
  virtual void send_without_waiting(const cdr::Buffer& message) = 0;
  /// Nothing is sent after this; what was sent before still gets out.
  virtual void end_output() noexcept = 0;
  /// The upcall comes next; the message's octets stay where they are until it is over.
  virtual void before_upcall(messaging::ResponseFlags response, ServingThread& thread) = 0;
  /// See ServerRequest::hold. Takes the message away if it returns `taken`.
  virtual ServerRequest::Hold hold(Waiting request, ServingThread& thread) = 0;
  /// The same for a request that may pass, if others of the connection wait at its gate that came
  /// before it; `wait` if there are none. Asked only while some are held.
  virtual ServerRequest::Hold hold_behind(Waiting request, ServingThread& thread) = 0;
  /// To look at: who is at the other end.
  [[nodiscard]] virtual const transport::Transport& transport() const noexcept = 0;

  /// @name Answers that come later. Any thread
  /// @{
  /// Its conversation, which the connection lives as long as.
  [[nodiscard]] virtual std::shared_ptr<Conversation> share() = 0;
  virtual void send_later(const cdr::Buffer& message) = 0;
  /// A request that was answered later is over. `drained`: the last one before
  /// Conversation::send_close, which is then to be called where the host likes.
  enum class Drained : std::uint8_t { no, yes };
  virtual void deferred_ended(Drained drained) noexcept = 0;
  /// The conversation was full, and is no more.
  virtual void resume_reading() noexcept = 0;
  /// Its timers expire deferred requests. Null: the host calls Conversation::cancel_expired itself,
  /// from time to time.
  [[nodiscard]] virtual event::Reactor* timers() noexcept = 0;
  /// @}

 protected:
  ~ConversationHost() = default;
};

/// Any thread, but one message at a time per ServingThread.
class Conversation final {
 public:
  enum class Verdict : std::uint8_t {
    go_on,
    close,  ///< read no further; what was sent must still reach the peer
  };

  /// `session` is that of the connection, which outlives the conversation.
  Conversation(OrbCore& core, const messaging::Session& session, ConversationHost& host) noexcept;

  /// Does what the message asks for. When it returns, a request is answered, deferred, held or
  /// dropped.
  [[nodiscard]] Verdict handle(messaging::IncomingMessage& message, ServingThread& thread);
  /// Answers MessageError with our highest version, and closes.
  [[nodiscard]] Verdict reject(ServingThread& thread);

  /// Takes no more requests; when the last one in progress is answered, sends CloseConnection,
  /// which tells the client that those unanswered were not executed. Any thread, any number of
  /// times.
  void drain();
  /// Requests are in progress.
  [[nodiscard]] bool busy() const;
  /// Does what `drain` does, if no request is in progress or held. False if one is, or if the
  /// conversation is drained already. Any thread.
  [[nodiscard]] bool drain_if_idle();
  /// CloseConnection has been sent.
  [[nodiscard]] bool closed() const;
  /// As many requests are in progress as may be, and some of them have only their answers to come.
  [[nodiscard]] bool full() const noexcept { return full_.load(std::memory_order_acquire); }
  /// False for a request while the conversation is full: it, and all behind it, have to wait for
  /// `resume_reading`. So it is the peer who waits, and not we who keep more and more. What takes
  /// no room, as the cancelling of a request, is still to be read before.
  [[nodiscard]] bool has_room_for(messaging::IncomingMessage& message) noexcept {
    return !full() || message.kind != messaging::MessageKind::request || !has_to_wait(message);
  }
  [[nodiscard]] ConversationHost& host() const noexcept { return host_; }
  [[nodiscard]] OrbCore& core() const noexcept { return core_; }
  /// The connection ends: tells those who are to answer later. They still may.
  void cancel_deferred() noexcept;
  /// Stops deferred requests whose clients no longer wait. They still may be answered. Costs little
  /// if it is called often.
  void cancel_expired(TimePoint now) noexcept;
  /// CloseConnection, when everything accepted is answered.
  void send_close() noexcept;

  /// @name For requests that are answered later
  /// @{
  /// `later` takes the place of the request in its upcall.
  void defer(PendingReply& upcall, DeferredReply& later) noexcept;
  void end_deferred(DeferredReply& request, const LatencyTimer& timer) noexcept;
  /// @}

  /// @name One of its requests is held, or no more
  /// @{
  /// False if as many octets are held in the server as may be.
  [[nodiscard]] bool begin_hold(std::size_t octets) noexcept;
  void end_hold(std::size_t octets) noexcept;
  /// Whether some are. Whoever sees none sees also what they have done.
  [[nodiscard]] bool holds() const noexcept {
    return held_count_.load(std::memory_order_acquire) != 0;
  }
  /// @}

 private:
  friend class AdmittedRequest;
  enum class Admission : std::uint8_t { admitted, too_many, too_many_in_all, draining };

  Verdict handle_request(messaging::IncomingMessage& message, ServingThread& thread);
  Verdict handle_locate(const messaging::IncomingMessage& message, ServingThread& thread);
  Verdict handle_cancel(const messaging::IncomingMessage& message, ServingThread& thread);
  void count(const AdmittedRequest& request, const LatencyTimer& timer) noexcept;
  void dispatch(PendingReply& request, ServingThread& thread, messaging::ResponseFlags response);
  void ask_for_key(const messaging::IncomingMessage& message, std::uint32_t request_id,
                   ServingThread& thread);
  [[nodiscard]] Admission admit(PendingReply& request);
  void finish(PendingReply& request) noexcept;
  enum class Answering : std::uint8_t { in_upcall, later };
  struct Removed {
    bool last = false;     // before CloseConnection
    bool resumes = false;  // what was full is not any more
  };
  [[nodiscard]] Removed remove(AdmittedRequest& request, Answering answering) noexcept;
  [[nodiscard]] bool is_full() const noexcept;
  [[nodiscard]] bool has_to_wait(messaging::IncomingMessage& message) noexcept;
  void take_place(PendingReply& upcall, DeferredReply& later) noexcept;
  void cancel_expired_before(TimePoint now);
  void limit_time_of(DeferredReply& later) noexcept;
  void watch_expiry() noexcept;
  void end_limit() noexcept;
  void expiry_fired() noexcept;

  OrbCore& core_;
  const messaging::Session& session_;
  ConversationHost& host_;
  engine::Agreement agreement_;
  AnnouncedCodeSets code_sets_;
  std::atomic<std::uint32_t> held_count_{0};
  std::atomic<bool> full_{false};  // changes under the lock
  std::atomic<bool> has_told_of_waiting_{false};

  mutable ShortLock lock_;              // guards what follows
  AdmittedRequest* pending_ = nullptr;  // requests in progress, a list through them
  std::uint32_t pending_count_ = 0;
  std::uint32_t deferred_count_ = 0;  // of these
  bool deferred_cancelled_ = false;
  Deadline expiry_watched_;          // when the timer fires, or the host is to look
  std::uint32_t limited_count_ = 0;  // deferred requests whose clients wait for a limited time
  bool draining_ = false;
  bool closed_ = false;

  std::mutex expiry_mutex_;  // guards what follows; taken before the lock
  event::MemberTimer<Conversation, &Conversation::expiry_fired> expiry_{*this};
  std::shared_ptr<Conversation> expiry_keeps_;  // while the timer is armed, until it has fired
};

}  // namespace perigee::orb
