// The asynchronous calls of one loop: their connections, time limits and outcomes.
//
// A shard is driven by one thread at a time, and everything in it belongs to that thread. The shard
// of a server's loop is driven by the loop. That of all other threads has a reactor of its own but
// no thread: it is driven by who is in ORB::run or ORB::perform_work, or waits for a call; who only
// starts a call takes its place for a moment if it is free, and posts the call otherwise.
#pragma once

#include "orb/async/call_list.h"
#include <perigee/base/deadline.h>
#include <perigee/base/function_ref.h>
#include <perigee/cdr/buffer.h>
#include <perigee/event/reactor.h>
#include <perigee/event/signal.h>
#include <perigee/messaging/protocol.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace perigee::engine {

class Connects;

}  // namespace perigee::engine

namespace perigee::orb {

class AsyncConnection;
class AsyncInvocation;
class ClientEndpoint;
struct OrbContext;

class Shard final {
 public:
  using Task = std::move_only_function<void()>;

  /// Of a server's loop.
  Shard(const OrbContext& context, engine::Connects& connecting, event::Reactor& loop);
  /// Of all threads that run no loop.
  Shard(const OrbContext& context, engine::Connects& connecting,
        std::unique_ptr<event::Reactor> reactor);
  ~Shard();
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  /// @name Any thread
  /// @{
  [[nodiscard]] const OrbContext& context() const noexcept { return context_; }
  [[nodiscard]] engine::Connects& connecting() const noexcept { return connecting_; }
  [[nodiscard]] bool is_of(const event::Reactor& reactor) const noexcept {
    return &reactor_ == &reactor;
  }
  /// Whether the calling thread drives it.
  [[nodiscard]] bool on_thread() const noexcept {
    return (own_ == nullptr && reactor_.is_loop_thread()) ||
           driver_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }
  /// `task` is done at once if the calling thread drives, or nobody does; else by who does, soon.
  void submit(Task task);
  /// The same, but after all that was submitted before.
  void submit_behind(Task task);
  /// The same as `submit` for what a call does itself, one thing at a time. Takes no memory.
  using Step = void (AsyncInvocation::*)() noexcept;
  void submit(AsyncInvocation& call, Step step) noexcept;
  /// The same for a connection that a thread has made, or failed to make.
  void submit(AsyncConnection& connection) noexcept;
  /// Drives, or waits for the thread that does, until `done()`: asked after each turn, and after
  /// each `wake`. False if `nested_upcall_depth_max` already do so on this thread.
  [[nodiscard]] bool drive_until(function_ref<bool()> done);
  /// The same until the deadline at the latest. Not of a loop.
  [[nodiscard]] bool drive_until(function_ref<bool()> done, Deadline end);
  /// One turn without waiting, if nobody else drives.
  void perform_work();
  [[nodiscard]] bool work_pending();
  [[nodiscard]] int work_handle() noexcept { return reactor_.handle(); }
  /// Makes those who drive, or wait for it, ask again what they wait for.
  void wake() noexcept;
  /// What a thread waits for may have happened.
  void notify_waiters() noexcept;
  /// The loop drives this shard, too, from now on. The loop's thread.
  void nest_in(event::Reactor& loop);
  /// Ends all calls, with BAD_INV_ORDER, and all connections. Nothing begins afterwards. `own`
  /// shards: any thread, and waits for the driver to do it; of loops: after the loop has ended, or
  /// on its thread.
  void stop() noexcept;
  /// @}

  /// @name Who drives
  /// @{
  [[nodiscard]] event::Reactor& reactor() noexcept { return reactor_; }
  /// What is started will be followed by the end of a turn.
  [[nodiscard]] bool in_turn() const noexcept { return reactor_.is_loop_thread(); }
  [[nodiscard]] bool stopped() const noexcept { return stopped_.load(); }
  /// Finds a connection for a call that has a target.
  void begin(AsyncInvocation& call);
  /// The call's observer is told in this turn or the next: never by who only starts calls.
  void finish_later(AsyncInvocation& call);
  /// Until `servant_done` a collocated servant may answer the call.
  void await_servant(AsyncInvocation& call) noexcept;
  void servant_done(AsyncInvocation& call) noexcept;
  /// Sends what waits there when the turn ends.
  void flush_later(std::shared_ptr<AsyncConnection> connection);
  void forget(const AsyncConnection& connection) noexcept;
  /// For encoding one request.
  [[nodiscard]] cdr::Buffer& request_buffer() noexcept { return request_buffer_; }
  /// The same for the messages that go together.

  /// What a thread that reads needs. Observers may run nested turns, which read, too.
  struct ReadSpace {
    explicit ReadSpace(std::size_t size)
        : octets(std::make_unique_for_overwrite<std::byte[]>(size)), scratch(octets.get(), size) {}
    std::unique_ptr<std::byte[]> octets;
    MutableOctetSpan scratch;
    messaging::ContextStorage contexts;
  };
  class ReadLevel {
   public:
    explicit ReadLevel(Shard& shard) : shard_(shard), space_(shard.enter_level()) {}
    ~ReadLevel() { --shard_.depth_; }
    ReadLevel(const ReadLevel&) = delete;
    ReadLevel& operator=(const ReadLevel&) = delete;
    [[nodiscard]] ReadSpace& operator*() const noexcept { return space_; }
    [[nodiscard]] ReadSpace* operator->() const noexcept { return &space_; }

   private:
    Shard& shard_;
    ReadSpace& space_;
  };
  /// @}

 private:
  class Token;

  /// Is called at the end of a turn in which something was left for it.
  class TurnEnd final : public event::EventHandler {
   public:
    explicit TurnEnd(Shard& shard) noexcept : shard_(shard) {}
    void handle_ready(event::Readiness /*readiness*/) noexcept override { shard_.end_turn(); }

   private:
    Shard& shard_;
  };
  /// Tells of what was posted when there was no memory for a task that would.
  class Alarm final : public event::EventHandler {
   public:
    explicit Alarm(Shard& shard);
    void raise() const noexcept { signal_.raise(); }
    void end() noexcept;
    void handle_ready(event::Readiness /*readiness*/) noexcept override { shard_.run_posted(); }

   private:
    Shard& shard_;
    const event::Signal signal_;
  };
  /// Drives the shard when its reactor has something to do, as a part of a loop.
  class Nested final : public event::EventHandler {
   public:
    Nested(Shard& shard, event::Reactor& loop) noexcept : shard_(shard), loop_(loop) {}
    [[nodiscard]] bool begin();
    void end() noexcept;
    /// By the thread that has driven the shard. Any thread.
    void look_again() noexcept;
    void handle_ready(event::Readiness readiness) noexcept override;

   private:
    Shard& shard_;
    event::Reactor& loop_;
  };
  using Connections = std::vector<std::shared_ptr<AsyncConnection>>;

  void turn(Deadline deadline) noexcept;
  [[nodiscard]] bool may_be_taken() const noexcept { return own_ != nullptr || stopped(); }
  [[nodiscard]] bool try_take() noexcept;
  void give_back() noexcept;
  void give_back_to_loop() noexcept;
  void help() noexcept;
  void post(Task task);
  template <typename Put>
  void put_posted(const Put& put);
  [[nodiscard]] bool do_here(function_ref<void()> task);
  [[nodiscard]] bool has_taken() const noexcept {
    return running_index_ != running_.size() || !running_calls_.empty() ||
           !running_connections_.empty();
  }
  void run_posted() noexcept;
  void run_taken() noexcept;
  void end_turn() noexcept;
  void tell_finished() noexcept;
  void flush_all() noexcept;
  void stop_here() noexcept;
  void stop_of_ended_loop() noexcept;
  [[nodiscard]] AsyncConnection* choose(AsyncInvocation& call);
  [[nodiscard]] ReadSpace& enter_level();
  [[nodiscard]] bool leaves_work() const noexcept;
  [[nodiscard]] bool nested_turn(Deadline end) noexcept;
  void watch_idle() noexcept;
  void look_for_idle() noexcept;

  const OrbContext& context_;
  engine::Connects& connecting_;
  const std::unique_ptr<event::Reactor> own_;  // null: a server's loop
  event::Reactor& reactor_;

  // Of who drives, or drives for a moment.
  std::uint32_t nested_turns_ = 0;
  std::unordered_map<const ClientEndpoint*, Connections> connections_;
  std::vector<std::shared_ptr<AsyncConnection>> to_flush_;
  CallList<AsyncInvocation> finished_;
  CallList<AsyncInvocation> await_servants_;
  TurnEnd turn_end_{*this};
  event::MemberTimer<Shard, &Shard::look_for_idle> idle_timer_{*this};
  bool idle_watched_ = false;
  cdr::Buffer request_buffer_;
  std::vector<std::unique_ptr<ReadSpace>> levels_;
  std::size_t depth_ = 0;
  std::vector<Task> running_;  // taken from posted_; those before running_index_ are done
  std::size_t running_index_ = 0;
  CallQueue<AsyncInvocation> running_calls_;  // the same, of posted_calls_
  CallQueue<AsyncConnection> running_connections_;
  Alarm alarm_{*this};

  // The token of a shard with a reactor of its own. Sequentially consistent: who gives it back and
  // then looks for tasks and waiters cannot miss one that posts, or waits, and then tries to take
  // it.
  // Also of a loop's shard, once the loop has ended.
  std::atomic<bool> driven_{false};
  std::atomic<bool> stopped_{false};
  std::atomic<std::thread::id> driver_{};
  std::atomic<std::uint32_t> waiters_{0};
  std::atomic<bool> has_posted_{false};
  std::atomic<bool> missed_{false};     // the loop that this is nested in found it driven
  std::unique_ptr<Nested> own_nested_;  // of the loop's thread
  std::atomic<Nested*> nested_{nullptr};
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<Task> posted_;
  CallQueue<AsyncInvocation> posted_calls_;
  CallQueue<AsyncConnection> posted_connections_;
};

}  // namespace perigee::orb
