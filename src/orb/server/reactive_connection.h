// A server connection on a reactor: reads what there is, answers, waits for more.
#pragma once

#include "orb/connection/connection.h"
#include "orb/connection/idle_watch.h"
#include "orb/server/accepted.h"
#include "orb/server/conversation.h"
#include "orb/server/held_queue.h"
#include <perigee/event/reactor.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace perigee::orb {

class ReactiveLoop;

/// The loop's thread only, but for answers that come later. Shared by the loop's list, by the
/// handlers of it on the stack, and by the requests that are held or deferred.
///
/// A peer that does not read its replies is not read from, and one that is owed too many but for
/// what takes no room and one request more: TCP then stops it, not our memory. After
/// `send_timeout` a peer that does not read is cut off; when no more will be sent than what is
/// queued, after `drain_timeout`. Replies to requests of one read batch leave together: with the
/// batch's last one, before a nested call, or behind an upcall that took long (then, and for a
/// while after it, each by itself).
class ReactiveConnection final : public ConversationHost,
                                 public event::EventHandler,
                                 public std::enable_shared_from_this<ReactiveConnection> {
 public:
  ReactiveConnection(ReactiveLoop& loop, Accepted accepted);
  ~ReactiveConnection();

  /// False if the reactor does not take it.
  [[nodiscard]] bool start();
  /// Answers what was accepted and ends; see Conversation::drain.
  void drain();
  void close() noexcept;
  /// Called periodically: ends the connection if it has been idle for too long.
  void watch_idle(TimePoint now) noexcept;
  /// Dispatches a message that was held, under its number.
  void handle_held(messaging::IncomingMessage& message, std::uint64_t number) noexcept;
  /// Before a nested turn: sends what is to be sent, and lets others use the scratch space.
  void prepare_nesting();

  void handle_ready(event::Readiness readiness) noexcept override;
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
  void send_later(const cdr::Buffer& message) override;
  void deferred_ended(Drained drained) noexcept override;
  void resume_reading() noexcept override;
  [[nodiscard]] event::Reactor* timers() noexcept override;

 private:
  enum class State : std::uint8_t {
    serving,
    ending,  ///< reads and drops, until the peer closes or a timer ends it
    closed,
  };

  void read_batch();
  [[nodiscard]] bool read_messages(ServingThread& buffers);
  [[nodiscard]] ReadStatus next_message(messaging::IncomingMessage& message,
                                        MutableOctetSpan scratch);
  [[nodiscard]] bool must_pause() const noexcept;
  [[nodiscard]] bool may_resume() noexcept;
  void take_or_keep(messaging::IncomingMessage& message, ServingThread& buffers);
  void take(messaging::IncomingMessage& message, ServingThread& buffers);
  [[nodiscard]] bool drop_input(MutableOctetSpan scratch);
  void end_of_input();
  void end_gently();
  void flush_batch();
  void send_now(const cdr::Buffer& message);
  void after_send();
  void post_look_again(Drained drained) noexcept;
  void look_again() noexcept;
  void update_output() noexcept;
  void watch_output() noexcept;
  void check_output(std::uint64_t drained_before) noexcept;
  void output_ended() noexcept;
  void watch_end() noexcept;
  [[nodiscard]] HeldPlace place_of(Waiting request, const ServingThread& thread);

  ReactiveLoop& loop_;
  Connection connection_;
  Conversation conversation_;
  State state_ = State::serving;
  IdleWatch idle_;
  IdleWatch end_;
  std::optional<messaging::IncomingMessage> waiting_;  // a request that there is no room for
  bool peer_ended_ = false;      // sends no more; what came before that may be unread
  bool paused_ = false;          // nothing is read while replies wait to be read, or to be given
  bool output_watched_ = false;  // a timer looks whether the peer goes on reading
  bool output_ends_ = false;
  bool end_watched_ = false;  // a timer looks whether the peer takes the rest, and closes
  bool input_ended_ = false;
  std::atomic<bool> hears_of_deferred_{false};  // the loop waits for the last one to end
  TimePoint upcall_began_;                      // none: the first of a read batch
  std::uint32_t unjoined_upcalls_ = 0;          // so many more, as one took long
};

}  // namespace perigee::orb
