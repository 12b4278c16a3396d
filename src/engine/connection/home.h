// The data that the connections of one loop share.
#pragma once

#include "engine/connection/hold_queue.h"
#include "engine/connection/read_role.h"
#include "engine/connection/request_handler.h"
#include "engine/loops/context.h"
#include "engine/loops/loop.h"
#include "engine/loops/supervision.h"
#include <perigee/base/deadline.h>
#include <perigee/base/export.h>
#include <perigee/base/function_ref.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace perigee::engine {

class Connection;
class TrafficLedger;

/// Whether a connection counts against `server_connections_max`. Virtual transports share a socket,
/// and their acceptor limits them: forged addresses cannot use up the places of other clients.
enum class Place : bool { none, taken };

[[nodiscard]] inline Place place_of(const transport::Transport& transport) noexcept {
  return transport.features().is_virtual ? Place::none : Place::taken;
}

/// The owner of a home: a server, or the client connections of one loop. Any thread.
class HomeOwner {
 public:
  /// A connection has ended and left its home.
  virtual void connection_ended(Place place) noexcept = 0;
  /// Starts a dedicated reader, which holds the read role from now on. False: the plan allows no
  /// further one, or there is no thread.
  [[nodiscard]] virtual bool dedicate(Connection& connection) noexcept = 0;
  /// Whether `dedicate` would find a place now.
  [[nodiscard]] virtual bool may_dedicate() const noexcept { return true; }
  /// Threads of the application run the loops.
  [[nodiscard]] virtual bool run_by_application() const noexcept { return false; }
  /// If the application runs the loop: runs it on the calling thread, or waits for the thread that
  /// runs it, until `done()` or the deadline. False: threads of the owner run the loops.
  [[nodiscard]] virtual bool run_until(function_ref<bool()> /*done*/,
                                       Deadline /*deadline*/) noexcept {
    return false;
  }
  /// Lets threads in `run_until` call `done` again.
  virtual void wake_waiters() noexcept {}

 protected:
  ~HomeOwner() = default;
};

/// Any thread. A connection belongs to one home for its life. The home's registry holds one
/// reference to it until the connection has ended.
///
/// As a pollable, a home dispatches parked requests whose hold point has opened. Each free thread
/// takes one request at a time. Oneways of a connection keep their order.
class PERIGEE_INTERNAL_API Home final : public Pollable {
 public:
  Home(const EngineContext& context, RequestHandler& handler, HomeOwner& owner, Loop& loop,
       TrafficLedger& traffic, Ticks* ticks = nullptr) noexcept
      : context_(context),
        handler_(handler),
        owner_(owner),
        loop_(loop),
        traffic_(traffic),
        ticks_(ticks),
        requests_share_(context.requests),
        parked_(context.settings.parked_requests_max) {}

  ~Home() { reactor().remove(*this); }

  [[nodiscard]] const EngineContext& context() const noexcept { return context_; }
  [[nodiscard]] const EngineSettings& settings() const noexcept { return context_.settings; }
  [[nodiscard]] const Clock& clock() const noexcept { return context_.clock; }
  [[nodiscard]] RequestHandler& handler() const noexcept { return handler_; }
  [[nodiscard]] Loop& loop() const noexcept { return loop_; }
  [[nodiscard]] Reactor& reactor() const noexcept { return loop_.reactor(); }
  [[nodiscard]] TrafficLedger& traffic() const noexcept { return traffic_; }
  [[nodiscard]] HomeOwner& owner() const noexcept { return owner_; }
  /// The loop's share of the limit of requests in progress.
  [[nodiscard]] RequestShare& requests_share() noexcept { return requests_share_; }
  /// Whether a supervisor looks at upcalls that take long, and at held requests.
  [[nodiscard]] bool has_ticks() const noexcept { return ticks_ != nullptr; }
  /// Starts the ticks of the supervisor, if there is one. Called after an upcall has begun, and
  /// after a message was held.
  void need_ticks() noexcept {
    if (ticks_ != nullptr) ticks_->need();
  }

  /// True once: for the first call that was dropped because its endpoint sends no replies.
  [[nodiscard]] bool is_first_unwanted_call() noexcept {
    return !unwanted_call_seen_.exchange(true, std::memory_order_relaxed);
  }

  /// @name Registry
  /// @{
  void add(Connection& connection) noexcept;
  /// Removes a connection that has ended.
  void remove(Connection& connection) noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
  /// Calls `action` for each connection that is registered now, without the lock.
  void for_each(function_ref<void(Connection&)> action) noexcept;
  /// Looks at each connection. If its thread has been in the same upcall since the last look, calls
  /// the loop to take over the read role. The thread is a dedicated reader, or is in an observer
  /// (`StartedCall::ended`). Also sends messages that were held at the last look, if no upcall has
  /// begun since. True if such a thread has begun an upcall since the last look, if the loop was
  /// called now, or if messages are held. Takes time for each connection.
  [[nodiscard]] bool look_at_lent_roles() noexcept;
  /// Sends the messages that threads of the loop hold for their next turn. True if there were any.
  /// Looks at each connection, under the lock.
  [[nodiscard]] bool send_held() noexcept;
  /// @}

  /// @name Parked requests
  /// @{
  [[nodiscard]] HoldQueue& parked() noexcept { return parked_; }
  /// Called when hold points have changed their state: dispatches the parked requests again.
  void resume_parked() noexcept;
  /// Lets threads of the loop dispatch the requests that are due.
  void dispatch_parked() noexcept { reactor().mark_ready(*this); }
  /// Called by the thread that dispatches a parked request, after the request was admitted and
  /// before its upcall: lets other threads, or nested turns, take the next parked request.
  void lend_parked(ThreadFrame& frame) noexcept;
  void handle_event(const Event& event) noexcept override;
  /// @}

 private:
  /// Calls `wanted` under the lock for each connection that is registered now. If `wanted` returns
  /// true, calls `action` without the lock.
  void visit(function_ref<bool(Connection&)> wanted,
             function_ref<void(Connection&)> action) noexcept;
  /// The connections in front of `first` become the last ones.
  void move_to_back_before(Connection& first) noexcept;
  void end_parked_turn() noexcept;

  const EngineContext& context_;
  RequestHandler& handler_;
  HomeOwner& owner_;
  Loop& loop_;
  TrafficLedger& traffic_;
  Ticks* const ticks_;  // null: there is no supervisor
  RequestShare requests_share_;
  HoldQueue parked_;
  ReadRole parked_role_;  // the right to take the next parked request
  std::atomic<std::size_t> size_{0};
  std::atomic<bool> unwanted_call_seen_{false};

  std::mutex visiting_;          // one `visit` at a time
  mutable std::mutex mutex_;     // guards the members below, and the links of the connections
  Connection* first_ = nullptr;  // during a visit, connections that were visited are the last ones
  Connection* last_ = nullptr;
  std::uint64_t visits_ = 0;
};

}  // namespace perigee::engine
