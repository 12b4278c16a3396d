// The connections of the asynchronous calls of one loop.
#pragma once

#include "engine/client/connects.h"
#include "engine/connection/connection_ref.h"
#include "engine/connection/home.h"
#include "engine/connection/replies_only.h"
#include "engine/loops/loop.h"
#include "engine/loops/supervision.h"
#include "orb/async/call_list.h"
#include "orb/connection/invocation_error.h"
#include <perigee/base/deadline.h>
#include <perigee/base/short_lock.h>
#include <perigee/event/task.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace perigee::orb {

class ClientEndpoint;
struct OrbContext;

/// A call that waits for a connection, as LoopCalls sees it.
class LoopCall {
 public:
  /// Names the line of a call: calls with the same key wait for the same connection.
  struct LineKey {
    const ClientEndpoint* endpoint;
    bool both_directions;  ///< on a connection that is offered to the peer
    friend bool operator==(const LineKey&, const LineKey&) = default;
  };

  [[nodiscard]] virtual LineKey line_key() const noexcept = 0;
  [[nodiscard]] virtual std::shared_ptr<ClientEndpoint> endpoint() const noexcept = 0;
  /// Whether the call needs a connection that has brought no reply yet, because the last connection
  /// that it used was stale.
  [[nodiscard]] virtual bool needs_fresh() const noexcept = 0;
  /// How many octets the request has. May throw bad_alloc.
  [[nodiscard]] virtual std::size_t request_size() = 0;
  /// From now on the call waits for a connection, until `connect_until`.
  virtual void begin_connecting() noexcept = 0;
  [[nodiscard]] virtual Deadline connect_until() const noexcept = 0;
  /// The time limit of a connect that this call starts without waiting for it.
  [[nodiscard]] virtual Deadline longest_connect() noexcept = 0;
  virtual void keep() noexcept = 0;  ///< adds an owner, until `release`
  virtual void release() noexcept = 0;
  /// @name Called by the thread that has taken the call out of its line
  /// @{
  virtual void connected(const engine::ConnectionRef& connection) noexcept = 0;
  /// `tried_until` is the limit of the connect. An earlier call may have set it.
  virtual void connect_failed(const IoError& error, Deadline tried_until) noexcept = 0;
  virtual void refused(FailureCause cause) noexcept = 0;
  /// @}
  /// Ends the call, since its loop or the ORB ends. Any thread.
  virtual void shut_down() noexcept = 0;

  CallLink<LoopCall> link;            ///< in a line, or in the list of calls of collocated servants
  LoopCall* next_in_queue = nullptr;  ///< in a queue of calls that were taken out of a line
  std::size_t waiting_size = 0;       ///< of the request; 0: it was not measured yet

 protected:
  ~LoopCall() = default;
};

/// Any thread. Calls that begin on threads of the loop use connections of the loop, so their
/// outcomes come to the threads of the loop. A connection is made when a call needs it. Calls that
/// wait for it keep no encoded request. The number of waiting calls is limited to the number that
/// the connections could have in flight, and the size of their requests to `write_queue_size_max`
/// octets. The calls that have waited start first, in their order, unless other threads start calls
/// faster than the loop can send the calls that wait. A connection without calls ends after
/// `client_idle_timeout`.
class LoopCalls final : private engine::RepliesOnly {
 public:
  /// How the loop is run. Functions are for any thread.
  struct Running {
    engine::Ticks* ticks = nullptr;  ///< of the supervisor; null: there is none
    /// Called after a task was posted to a loop that may have no running thread: connections were
    /// made, or the loop has ended.
    std::function<void()> posted;
  };
  LoopCalls(const OrbContext& context, engine::Connects& connects, engine::Loop& loop,
            Running running);
  ~LoopCalls();
  LoopCalls(const LoopCalls&) = delete;
  LoopCalls& operator=(const LoopCalls&) = delete;

  [[nodiscard]] engine::Loop& loop() const noexcept { return home_.loop(); }
  [[nodiscard]] engine::Home& home() noexcept { return home_; }
  /// Runs the task soon, on a thread of the loop or in `stop`.
  void post(event::Task& task) noexcept;

  using LineKey = LoopCall::LineKey;
  /// The result of `choose`.
  struct Choice {
    engine::ConnectionRef connection;           ///< null: the call waits, or is refused
    FailureCause refused = FailureCause::none;  ///< none: the call waits
  };
  /// The first connection to the call's target with room for one more call. If there is none, the
  /// call waits for a new connection and gets one more owner. Another thread may take the call
  /// before this function returns. May throw bad_alloc.
  [[nodiscard]] Choice choose(LoopCall& call);
  /// Lets the call wait no longer for a connection. False: another thread has taken it.
  [[nodiscard]] bool withdraw(LoopCall& call) noexcept;
  /// The error of a call whose time for connecting is over.
  [[nodiscard]] IoError timed_out(const LoopCall& call);

  /// @name Calls that wait for collocated servants: `stop` ends them
  /// @{
  /// False: `stop` was called.
  [[nodiscard]] bool await_servant(LoopCall& call) noexcept;
  void servant_done(LoopCall& call) noexcept;
  /// @}

  /// Whether connections were made, or could not be made, for calls that wait.
  [[nodiscard]] bool has_made() noexcept;
  /// Lets the calls that wait for these connections go on. Called by one thread at a time, which
  /// serves the loop.
  void use_made() noexcept;

  /// Ends all calls, with BAD_INV_ORDER, and all connections. Nothing begins afterwards.
  void stop() noexcept;

 private:
  using Made = engine::Connects::Made;
  using Waiting = CallQueue<LoopCall>;

  /// The connections of one endpoint, and the calls that wait for the next one.
  struct Line {
    std::shared_ptr<ClientEndpoint> endpoint;
    std::vector<engine::ConnectionRef> connections;
    CallList<LoopCall> waiting;
    std::size_t waiting_octets = 0;
    int batches = 0;  // of calls that were started on the connection that was made last
    bool connecting = false;
    // The last connect failed, or the last connection ended without a reply. While this is true,
    // the line opens no spare connection.
    bool has_enough = false;
    Deadline connecting_until;
    std::optional<Made> made;  // to be used by a thread of the loop
    LineKey key{};
    Line* next_made = nullptr;
  };
  struct LineHash {
    [[nodiscard]] std::size_t operator()(const LineKey& key) const noexcept {
      return std::hash<const void*>()(key.endpoint) * 2 + (key.both_directions ? 1 : 0);
    }
  };

  using Lines = std::unordered_map<LineKey, Line, LineHash>;

  [[nodiscard]] engine::ConnectionRef usable_in(const Line& line, bool wants_fresh) const noexcept;
  [[nodiscard]] std::size_t connections_max() const noexcept;
  [[nodiscard]] std::size_t wanted_connections() const noexcept;
  [[nodiscard]] engine::ConnectionRef find(LineKey key, bool wants_fresh) const noexcept;
  [[nodiscard]] Line& line_of(const LoopCall& call, LineKey key);
  /// Sets `connects_until` if the caller has to connect. Returns nullopt if the call has to wait,
  /// and its request was not measured yet.
  [[nodiscard]] std::optional<Choice> choose_in(Line& line, LoopCall& call,
                                                std::optional<Deadline>& connects_until);
  void connect(LineKey key, const std::shared_ptr<ClientEndpoint>& endpoint,
               Deadline until) noexcept;
  void give_up_connecting(LineKey key) noexcept;
  [[nodiscard]] static Waiting take_waiting(Line& line) noexcept;
  void note_made(LineKey key, Made made) noexcept;
  [[nodiscard]] bool use_next_made() noexcept;
  [[nodiscard]] engine::ConnectionRef open(LineKey key, ClientEndpoint& endpoint,
                                           std::unique_ptr<transport::Transport> made);
  /// The calls that waited for a connect, after the connect has ended.
  struct Connected {
    Waiting calls;
    Deadline tried_until;
    bool last = true;  ///< no more batches: later calls find the connection by themselves
  };
  [[nodiscard]] Connected next_connected(LineKey key,
                                         const engine::ConnectionRef& connection) noexcept;
  [[nodiscard]] bool has_room(const engine::Connection& connection) const noexcept;
  [[nodiscard]] bool may_wait(const Line& line, const LoopCall& call) const noexcept;
  [[nodiscard]] std::optional<Choice> try_choose(LoopCall& call);
  /// The line is destroyed without the lock.
  [[nodiscard]] Lines::node_type take_if_empty(LineKey key) noexcept;

  // Connections in `home_` refuse requests (RepliesOnly). A connection that is offered for both
  // directions is not in `home_`: the server owns it.
  void end(engine::Connection& connection) noexcept override;

  const OrbContext& context_;
  engine::Connects& connects_;
  const Running running_;
  engine::Home home_;
  event::MemberTask<LoopCalls, &LoopCalls::use_made> made_task_{*this};

  ShortLock lock_;  // guards the members below
  Lines lines_;
  Line* first_made_ = nullptr;  // the lines with `made`; not removed while they are connecting
  CallList<LoopCall> await_servants_;
  std::atomic<bool> stopped_{false};  // changes under the lock
};

}  // namespace perigee::orb
