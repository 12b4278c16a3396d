// Accepting connections. A listener that runs out of handles or places waits without spinning; the
// connections stay in the system's queue meanwhile.
#pragma once

#include "engine/connection/connection.h"
#include "engine/loops/context.h"
#include "engine/loops/reactor.h"
#include "engine/server/sender_table.h"
#include <perigee/base/function_ref.h>
#include <perigee/messaging/protocol.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace perigee::engine {

/// A place where a server accepts, and the messages that its connections carry.
struct ListenPoint {
  transport::Acceptor& acceptor;
  const messaging::MessagingProtocol& messaging;
  bool datagrams = false;  ///< its transports carry datagrams, and may be virtual
};

/// A listener takes at most this many connections in one turn, since its thread has other work,
/// too.
inline constexpr std::uint32_t accepts_per_turn_max = 64;
/// At most this many connections are taken out of an acceptor's queue when it is closed.
inline constexpr std::uint32_t waiting_connections_max = 4096;

/// Gives `take` the connections that wait in the acceptor's queue. Stops if there is no memory.
void take_waiting(transport::Acceptor& acceptor,
                  function_ref<void(std::unique_ptr<transport::Transport>)> take) noexcept;

/// Ends accepting, for good. Connections that the system has accepted already are given to `take`:
/// closing the queue would reset them.
void stop_accepting(transport::Acceptor& acceptor,
                    function_ref<void(std::unique_ptr<transport::Transport>)> take) noexcept;

class Listeners;

/// One listen point in the reactor of the listeners. Accepts on the thread that runs the reactor.
class Listener final : public Pollable {
 public:
  Listener(Listeners& listeners, const ListenPoint& point) noexcept
      : listeners_(listeners), point_(point) {}

  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  [[nodiscard]] const ListenPoint& point() const noexcept { return point_; }
  void start() noexcept;
  /// Takes the connections that wait, then accepts no more.
  void stop() noexcept;
  /// Called after a connection has ended: accepts again, if the listener waits for a place.
  void place_is_free() noexcept;
  void handle_event(const Event& event) noexcept override;

 private:
  class Retry final : public Timer {
   public:
    explicit Retry(Listener& listener) noexcept : Timer(&fire), listener_(listener) {}

   private:
    static void fire(Timer& timer) noexcept;
    Listener& listener_;
  };

  class ReservedPlace;

  [[nodiscard]] Accepted accepted_of(std::unique_ptr<transport::Transport> transport);
  [[nodiscard]] bool reserve_place() noexcept;
  [[nodiscard]] bool add_datagrams(const transport::Transport& transport) noexcept;
  void accept_all() noexcept;
  void retry_later() noexcept;

  Listeners& listeners_;
  const ListenPoint point_;
  SenderTable senders_;  // of datagrams
  Retry retry_{*this};
  bool registered_ = false;
  bool stopped_ = false;
  std::atomic<bool> waits_for_place_{false};
};

/// The connections of a server, and their limit. Any thread.
class ConnectionCount {
 public:
  explicit ConnectionCount(std::uint32_t max) noexcept : max_(max) {}

  /// False if there are as many connections as allowed. A failed call never changes the count:
  /// otherwise another listener could find no place although a place is free.
  [[nodiscard]] bool try_add() noexcept {
    std::size_t count = count_.load();
    do {
      if (count >= max_) return false;
    } while (!count_.compare_exchange_weak(count, count + 1));
    return true;
  }
  /// Counts a connection, also beyond the limit.
  void add(Place place) noexcept { (place == Place::taken ? count_ : without_place_).fetch_add(1); }
  /// True if all places were taken before, so that a listener may wait for one.
  [[nodiscard]] bool remove(Place place) noexcept {
    if (place == Place::taken) return count_.fetch_sub(1) >= max_;
    without_place_.fetch_sub(1);
    return false;
  }
  /// The number of all connections, including connections without a place.
  [[nodiscard]] std::size_t count() const noexcept { return count_.load() + without_place_.load(); }

 private:
  const std::uint32_t max_;
  std::atomic<std::size_t> count_{0};  // connections that have a place
  std::atomic<std::size_t> without_place_{0};
};

/// The functions that the listeners of all reactors call for a connection. Any thread.
class ListenersOwner {
 public:
  /// The connection has its place in the count. If this throws, the caller gives the place back.
  virtual void take(Accepted accepted, Reactor& reactor) = 0;
  /// Gives a place back. Calls `place_is_free` for all listeners if no place was free before.
  virtual void give_place_back(Place place) noexcept = 0;

 protected:
  ~ListenersOwner() = default;
};

/// The listeners of one reactor. The functions that change listeners are called on the thread that
/// runs the reactor.
class Listeners final {
 public:
  Listeners(const EngineContext& context, Reactor& reactor, ConnectionCount& count,
            ListenersOwner& owner)
      : context_(context), reactor_(reactor), count_(count), owner_(owner) {}
  Listeners(const Listeners&) = delete;
  Listeners& operator=(const Listeners&) = delete;

  /// Accepts at a listen point, which must stay. Does nothing if the point is known already.
  void add(const ListenPoint& point) noexcept;
  void remove(const ListenPoint& point) noexcept;
  void stop() noexcept;
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

  /// @name Any thread
  /// @{
  /// Calls `add` or `remove` on the thread of the reactor. Throws bad_alloc.
  enum class Change : std::uint8_t { add, remove };
  void post(Change change, const ListenPoint& point);
  /// The same, and waits until the change is done, or `ended` is set. Another thread must run the
  /// reactor, and must set `ended` before it stops.
  void post_and_wait(Change change, const ListenPoint& point, const std::atomic<bool>& ended);
  /// Lets listeners that wait for a place try again.
  void place_is_free() noexcept { (void)reactor_.post(place_task_); }
  /// @}

  /// @name For its listeners
  /// @{
  [[nodiscard]] const EngineContext& context() const noexcept { return context_; }
  [[nodiscard]] Reactor& reactor() const noexcept { return reactor_; }
  [[nodiscard]] ConnectionCount& count() const noexcept { return count_; }
  [[nodiscard]] ListenersOwner& owner() const noexcept { return owner_; }
  /// The connection has its place already.
  void take(Accepted accepted) noexcept;
  /// @}

 private:
  class ChangeTask;
  class PlaceTask final : public Task {
   public:
    explicit PlaceTask(Listeners& listeners) noexcept : Task(&run), listeners_(listeners) {}

   private:
    static void run(Task& task) noexcept;
    Listeners& listeners_;
  };

  const EngineContext& context_;
  Reactor& reactor_;
  ConnectionCount& count_;
  ListenersOwner& owner_;
  PlaceTask place_task_{*this};
  bool stopped_ = false;
  std::vector<std::unique_ptr<Listener>> listeners_;
};

}  // namespace perigee::engine
