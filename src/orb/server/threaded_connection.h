// A server connection under thread-per-connection: one thread reads with blocking calls and makes
// the upcalls; while it is in one, another may read, if the peer sends requests without waiting.
#pragma once

#include "engine/connection/stand_still.h"
#include "orb/connection/connection.h"
#include "orb/server/accepted.h"
#include "orb/server/conversation.h"
#include <perigee/transport/transport.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace perigee::orb {

class ThreadedServer;

/// Shared by its threads and by the server's list, which lets go when the last thread has left.
///
/// One thread at a time holds the read token and reads. It gives the token up before a two-way
/// upcall, and reads on afterwards unless another thread has taken it. Others take it
/// - at once, if requests had been received that were not looked at yet, or if that has happened
///   before;
/// - when the server's watch says so, if an upcall takes long: it may wait for a nested request.
/// Oneways are executed under the token, so in the order of their arrival. Who answers later never
/// waits for the peer: what it does not take is sent by another thread, until `send_timeout`.
class ThreadedConnection final : public ConversationHost,
                                 private OutputObserver,
                                 public std::enable_shared_from_this<ThreadedConnection> {
 public:
  ThreadedConnection(ThreadedServer& server, Accepted accepted);
  ~ThreadedConnection();

  /// Starts the first thread. False if there is none to be had.
  [[nodiscard]] bool start();
  /// Called periodically: finds a reader if nobody has been reading since the last call, and ends
  /// the connection if it has been idle for too long.
  void watch(TimePoint now);
  void drain() { conversation_.drain(); }
  /// Ends reading and writing, for good. Any thread.
  void interrupt() noexcept {
    connection_.close();
    resume_reading();
  }
  /// Called periodically while the server stops: ends a connection to which something was being
  /// sent at the last call, and is still.
  void interrupt_if_stuck() noexcept;
  /// Everything accepted is answered and CloseConnection sent, or the connection is broken.
  [[nodiscard]] bool finished() const;

  void send(const cdr::Buffer& message) override;
  void send_without_waiting(const cdr::Buffer& message) override;
  void end_output() noexcept override;
  void before_upcall(messaging::ResponseFlags response, ServingThread& thread) override;
  /// @name The thread may wait: it is this connection's own
  /// @{
  [[nodiscard]] ServerRequest::Hold hold(Waiting /*request*/, ServingThread& /*thread*/) override {
    return ServerRequest::Hold::wait;
  }
  [[nodiscard]] ServerRequest::Hold hold_behind(Waiting /*request*/,
                                                ServingThread& /*thread*/) override {
    return ServerRequest::Hold::wait;
  }
  /// @}
  [[nodiscard]] const transport::Transport& transport() const noexcept override {
    return connection_.transport();
  }
  [[nodiscard]] std::shared_ptr<Conversation> share() override {
    return {shared_from_this(), &conversation_};
  }
  void send_later(const cdr::Buffer& message) override;
  void deferred_ended(Drained drained) noexcept override {
    if (drained == Drained::yes) conversation_.send_close();
  }
  void resume_reading() noexcept override;
  /// The server's watch looks often enough.
  [[nodiscard]] event::Reactor* timers() noexcept override { return nullptr; }

 private:
  void run_thread();
  void work(ServingThread& thread);
  [[nodiscard]] bool await_token();
  /// By who holds the token, so that there is one writer at a time.
  void note_token_change() noexcept {
    token_changes_.store(token_changes_.load(std::memory_order_relaxed) + 1,
                         std::memory_order_relaxed);
  }
  [[nodiscard]] bool take_token(ServingThread& thread) noexcept;
  void read_requests(ServingThread& thread);
  void await_room(messaging::IncomingMessage& message);
  void watch_waiting(TimePoint now) noexcept;
  void output_changed() noexcept override;
  void forget_if_sent() noexcept;
  [[nodiscard]] bool handle(messaging::IncomingMessage& message, ServingThread& thread);
  void await_output();
  void linger(MutableOctetSpan scratch);
  void end();
  void call_helper();
  void watch_idle(TimePoint now);
  [[nodiscard]] bool spawn();

  ThreadedServer& server_;
  const std::shared_ptr<OutputFlusher> flusher_;
  Connection connection_;
  Conversation conversation_;
  std::atomic<bool> awaits_room_{false};  // the reader waits, and does not see the peer's end
  bool pipelining_ = false;  // under the read token: the peer has sent requests without waiting
  std::atomic<std::uint32_t> token_changes_{0};  // odd: somebody holds the read token
  std::uint32_t watched_changes_ = 0;            // of the watching thread
  engine::StandStill idle_;                      // of the watching thread
  bool idle_is_over_ = false;                    // of the watching thread
  bool was_sending_ = false;                     // of the stopping thread
  std::uint64_t sent_before_ = 0;                // of the stopping thread

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable wanted_;
  std::condition_variable room_;  // for one more request, or no need to look for one
  std::uint32_t thread_count_ = 0;
  std::uint32_t idle_count_ = 0;
  bool ended_ = false;  // nothing more will be read
};

}  // namespace perigee::orb
