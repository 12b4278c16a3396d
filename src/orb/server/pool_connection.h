// A server connection of a thread pool: any worker reads it, one at a time, and answers on it.
#pragma once

#include "orb/connection/connection.h"
#include "orb/connection/idle_watch.h"
#include "orb/server/accepted.h"
#include "orb/server/held_queue.h"
#include "orb/server/pool_task.h"
#include <perigee/transport/transport.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace perigee::orb {

class PoolServer;

/// Shared by the server's list, by the workers that serve it and by the requests that are held.
///
/// Its owner (see SharedPoll) reads. It gives ownership up before a two-way upcall, so that further
/// requests of the connection, and their cancelling, are seen by other workers meanwhile; oneways
/// are executed under it, so in the order of their arrival. Each worker sends its own reply; what
/// the transport does not take is queued, and sent by the owner when it does.
///
/// A peer that does not read its replies is not read from, and one that is owed too many but for
/// what takes no room and one request more: TCP then stops it, not our memory. After
/// `send_timeout` a peer that does not read is cut off; when no more will be sent than what is
/// queued, after `drain_timeout`. No worker ever waits for a peer.
class PoolConnection final : public ConversationHost,
                             public PoolTask,
                             public std::enable_shared_from_this<PoolConnection> {
 public:
  PoolConnection(PoolServer& server, Accepted accepted);
  ~PoolConnection();

  /// False if the poll does not take it.
  [[nodiscard]] bool start();

  /// @name Any thread
  /// @{
  /// Answers what was accepted and ends; see Conversation::drain.
  void drain() { conversation_.drain(); }
  /// Cuts the connection: its owner finds it ended.
  void interrupt() noexcept { connection_.close(); }
  /// Cuts the connection if its peer has taken nothing since `drained_octets` was that.
  void check_output(std::uint64_t drained_before) noexcept;
  /// On the housekeeping thread, from time to time: sends CloseConnection when nothing has passed
  /// for `idle_timeout`, and cuts the connection if the peer does not close it then.
  void watch_idle(TimePoint now) noexcept;
  /// Dispatches a message that was held; `worker.held_as` is its number.
  void handle_held(messaging::IncomingMessage& message, PoolWorker& worker) noexcept;
  /// @}

  void serve(event::Readiness readiness, PoolWorker& worker) noexcept override;
  void give_up() override;
  void send(const cdr::Buffer& message) override;
  void send_without_waiting(const cdr::Buffer& message) override;
  void end_output() noexcept override;
  void before_upcall(messaging::ResponseFlags response, ServingThread& thread) override;
  [[nodiscard]] ServerRequest::Hold hold(Waiting request, ServingThread& thread) override;
  [[nodiscard]] ServerRequest::Hold hold_behind(Waiting request, ServingThread& thread) override;
  [[nodiscard]] const transport::Transport& transport() const noexcept override {
    return connection_.transport();
  }
  [[nodiscard]] std::shared_ptr<Conversation> share() override {
    return {shared_from_this(), &conversation_};
  }
  void send_later(const cdr::Buffer& message) override { send(message); }
  void deferred_ended(Drained drained) noexcept override;
  void resume_reading() noexcept override { look_again(event::Readiness::readable); }
  [[nodiscard]] event::Reactor* timers() noexcept override;

 private:
  enum class State : std::uint8_t {
    serving,
    ending,  ///< reads and drops, until the peer closes or a timer ends it
    closed,
  };
  enum class More : std::uint8_t { no, yes };

  void note(event::Readiness readiness);
  [[nodiscard]] More read_messages(PoolWorker& worker);
  [[nodiscard]] ReadStatus next_message(messaging::IncomingMessage& message,
                                        MutableOctetSpan scratch);
  void take(messaging::IncomingMessage& message, PoolWorker& worker);
  [[nodiscard]] bool must_pause() const noexcept;
  [[nodiscard]] bool drop_input(MutableOctetSpan scratch);
  void release(More more);
  void end_of_input();
  void end_gently();
  void close() noexcept;
  void after_send();
  void update_interest();
  void look_again(event::Readiness readiness) noexcept;
  void watch_output() noexcept;
  void finish_output() noexcept;
  void watch_end() noexcept;
  [[nodiscard]] HeldPlace place_of(Waiting request, const ServingThread& thread);

  PoolServer& server_;
  Connection connection_;
  Conversation conversation_;
  std::optional<messaging::IncomingMessage> waiting_;  // the owner's: there is no room for it
  bool peer_ended_ = false;               // the owner's: no more comes; what came may be unread
  IdleWatch idle_;                        // the housekeeping thread's
  IdleWatch end_;                         // the same, after the first look
  State state_ = State::serving;          // the owner's
  std::atomic<bool> input_ended_{false};  // set by the owner
  std::atomic<bool> output_ends_{false};
  std::atomic<bool> output_watched_{false};  // a timer looks whether the peer goes on reading
  std::atomic<bool> end_watched_{false};     // the same, and whether it closes when it has all

  std::mutex output_mutex_;  // guards the changes of what follows
  std::atomic<bool> output_armed_{false};
  bool removed_ = false;
};

}  // namespace perigee::orb
