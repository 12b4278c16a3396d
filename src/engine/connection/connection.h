// A connection of a server: one transport with its messages, and the requests in progress on it.
#pragma once

#include "engine/connection/agreement.h"
#include "engine/connection/cork_rule.h"
#include "engine/connection/hold_queue.h"
#include "engine/connection/home.h"
#include "engine/connection/inbound_requests.h"
#include "engine/connection/read_role.h"
#include "engine/connection/request_handler.h"
#include "engine/connection/stand_still.h"
#include "engine/connection/thread_frame.h"
#include "engine/memory/pace.h"
#include "orb/connection/connection.h"
#include "orb/connection/paused_reader.h"
#include <perigee/base/deadline.h>
#include <perigee/base/log.h>
#include <perigee/base/short_lock.h>
#include <perigee/messaging/protocol.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace perigee::engine {

/// A transport that was accepted, and the messages that it carries.
struct Accepted {
  std::unique_ptr<transport::Transport> transport;
  const messaging::MessagingProtocol* messaging = nullptr;  ///< lives as long as the ORB
};

/// Any thread, unless a function says otherwise. Counted: references are held by the registry of
/// its home, by events, by deferred requests and by its armed timer.
///
/// The thread that holds the read role reads. It lends the role for the length of a two-way upcall;
/// a thread that gets an event of the connection meanwhile takes the role over. Oneways run under
/// the role, in the order of their arrival. Each thread sends its own replies, and never waits for
/// the client: the home loop sends what the transport does not take.
///
/// The connection stops reading while the client does not read its replies, or has as many deferred
/// requests as allowed. This back-pressure reaches the client through the transport. A connection
/// whose client takes no octets for `send_timeout` is cut.
class Connection final : public Pollable, public HoldOwner, private orb::PausedReader {
 public:
  Connection(Home& home, Accepted accepted);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Enters the registry and the poller. False: the poller refuses it, and it has ended.
  [[nodiscard]] bool start() noexcept;
  void handle_event(const Event& event) noexcept override;
  /// Dispatches a request that was parked, again.
  void handle_parked(messaging::IncomingMessage& message, ThreadFrame& frame) noexcept;
  /// Admits nothing more; sends CloseConnection when nothing is in progress.
  void drain() noexcept;
  /// Ends the connection at once: the reading thread finds its end.
  void cut() noexcept;

  /// @name For the handler of requests
  /// @{
  /// Sends a message of the upcall that uses the frame; replies of one batch leave together.
  void send(const cdr::Buffer& message, ThreadFrame& frame) noexcept;
  /// Sends a reply to a deferred request.
  void send_deferred(const cdr::Buffer& message) noexcept;
  /// Parks the request until its hold point opens. False: it has to be refused.
  [[nodiscard]] bool park(IncomingRequest& request, const void* hold_point) noexcept;
  /// `later` answers the request from now on, and ends with `end_deferred`.
  void defer(IncomingRequest& request, DeferredRequest& later) noexcept {
    requests_.defer(request, later);
  }
  void end_deferred(DeferredRequest& request) noexcept { left(requests_.leave(request)); }
  [[nodiscard]] InboundRequests& requests() noexcept { return requests_; }
  [[nodiscard]] Agreement& agreement() noexcept { return agreement_; }
  [[nodiscard]] const messaging::Session& session() const noexcept { return io_.session(); }
  [[nodiscard]] const transport::Transport& transport() const noexcept { return io_.transport(); }
  [[nodiscard]] Home& home() const noexcept { return home_; }
  /// @}

  void add_reference() noexcept override { references_.fetch_add(1, std::memory_order_relaxed); }
  void drop_reference() noexcept override {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  [[nodiscard]] bool begin_parked(std::size_t octets) noexcept override;
  void end_parked(std::size_t octets) noexcept override;

  /// Before the calling thread runs nested turns in an upcall that uses `frame`: replies that wait
  /// leave, and nested turns may read.
  void before_nested_turns(ThreadFrame& frame) noexcept;
  /// For tests: asserts the invariants of the parts.
  void check_invariants() const noexcept;

 private:
  friend class Home;

  // finishing: no request is read, and nothing is sent behind what is queued. lingering: all is
  // sent; what the client still sends is dropped, until it closes.
  enum class State : std::uint8_t { open, finishing, lingering, closed };
  enum class Turn : std::uint8_t {
    over,  ///< nothing more to read now
    more,  ///< other connections have their turn first
    lost,  ///< another thread took the role over, or the connection is closed
  };
  enum class Kept : std::uint8_t { no, yes };

  class Watch final : public Timer {
   public:
    explicit Watch(Connection& connection) noexcept : Timer(&fire), connection_(connection) {}

   private:
    static void fire(Timer& timer) noexcept;
    Connection& connection_;
  };

  ~Connection();

  // Reading: connection_read.cpp. All of it by the thread that holds the read role.
  [[nodiscard]] bool take_over() noexcept;
  void read_turn(ThreadFrame& frame) noexcept;
  [[nodiscard]] Turn read_messages(ThreadFrame& frame);
  [[nodiscard]] Turn take_messages(ThreadFrame& frame);
  [[nodiscard]] orb::ReadStatus next_message(messaging::IncomingMessage& message,
                                             ThreadFrame& frame);
  [[nodiscard]] bool pauses() noexcept;
  [[nodiscard]] bool begin_pause() noexcept;
  [[nodiscard]] bool all_taken() const noexcept;
  [[nodiscard]] bool must_pause() const noexcept;
  [[nodiscard]] Turn drop_input(ThreadFrame& frame) noexcept;
  [[nodiscard]] Turn end_of_input() noexcept;
  /// False: the role is lost.
  [[nodiscard]] bool handle(messaging::IncomingMessage& message, ThreadFrame& frame);
  [[nodiscard]] bool handle_request(messaging::IncomingMessage& message, ThreadFrame& frame);
  [[nodiscard]] bool dispatch(IncomingRequest& request);
  [[nodiscard]] bool dispatch_alone(IncomingRequest& request);
  void upcall(IncomingRequest& request) noexcept;
  [[nodiscard]] Kept keep_behind_others(IncomingRequest& request) noexcept;
  void handle_cancel(const messaging::IncomingMessage& message, ThreadFrame& frame);
  void reject(ThreadFrame& frame) noexcept;
  void keep(messaging::IncomingMessage& message);
  void close() noexcept;
  void resume_reading() noexcept override { home_.reactor().mark_ready(*this); }

  // Sending and ending: connection.cpp.
  void begin_upcall(ThreadFrame& frame) noexcept;
  void uncork() noexcept;
  void send_now(const cdr::Buffer& message) noexcept;
  void after_send() noexcept;
  void update_interest() noexcept;
  void resume() noexcept;
  void left(InboundRequests::Left left) noexcept;
  void send_close() noexcept;
  void begin_finishing() noexcept;
  void check_output_end() noexcept;

  // The watch: connection_watch.cpp.
  struct Finding {
    Deadline next;      // of the next look
    bool idle = false;  // nothing has passed for `idle_timeout`
    bool slow = false;  // the client takes nothing
    bool late = false;  // the client takes less than the pace asks for
    bool over = false;  // the connection has to be cut
  };
  void look() noexcept;
  [[nodiscard]] Finding look_at_open(TimePoint now) noexcept;
  [[nodiscard]] Finding look_at_ending(TimePoint now) noexcept;
  void end_output_pace() noexcept;
  void count_late_client() noexcept;
  void log_client(log::Level level, const char* text) noexcept;

  Home& home_;
  orb::Connection io_;
  InboundRequests requests_;
  Agreement agreement_;
  ReadRole role_;
  Watch watch_{*this};
  std::atomic<std::uint32_t> references_{1};
  std::atomic<State> state_{State::open};
  std::atomic<bool> peer_ended_{false};   // an event has reported it; received octets may be unread
  std::atomic<bool> input_ended_{false};  // the end of the input was read
  std::atomic<bool> paused_{false};       // nothing is read until there is room

  // Guarded by the read role.
  std::optional<messaging::IncomingMessage> waiting_;  // a request that there is no room for

  CorkRule cork_rule_;  // used by the thread of a single-threaded loop only

  ShortLock output_lock_;  // guards the changes of what follows
  std::atomic<bool> output_armed_{false};
  bool removed_ = false;

  ShortLock watch_lock_;  // guards what follows
  bool watch_ended_ = false;
  Deadline watch_armed_;  // never: it is not armed
  StandStill idle_;
  StandStill output_;
  Pace output_pace_;  // since the output was blocked
  StandStill end_;

  // Guarded by the mutex of the home's registry.
  Connection* next_ = nullptr;
  Connection* previous_ = nullptr;
  std::uint64_t visit_ = 0;
};

}  // namespace perigee::engine
