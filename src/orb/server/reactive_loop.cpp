// Adopting connections; nested turns; held requests; draining.
#include "orb/server/reactive_loop.h"

#include "orb/context/upcall_scope.h"
#include "orb/core/orb_core.h"
#include "orb/server/reactive_connection.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace perigee::orb {

namespace {

/// Notices that somebody else's handle has become readable.
class ReadableFlag final : public event::EventHandler {
 public:
  ReadableFlag(event::Reactor& reactor, int fd)
      : reactor_(reactor), registered_(reactor.add(fd, *this).has_value()) {}
  ~ReadableFlag() {
    if (registered_) reactor_.remove(*this);
  }
  [[nodiscard]] bool registered() const noexcept { return registered_; }
  void handle_ready(event::Readiness /*readiness*/) noexcept override { set_ = true; }
  [[nodiscard]] bool set() const noexcept { return set_; }

 private:
  event::Reactor& reactor_;
  const bool registered_;
  bool set_ = false;
};

/// Notices that a time has come.
class TimeFlag final {
 public:
  TimeFlag(event::Reactor& reactor, Deadline time) noexcept : reactor_(reactor) {
    if (!time.is_never()) reactor_.arm(timer_, time);
  }
  ~TimeFlag() { reactor_.cancel(timer_); }
  TimeFlag(const TimeFlag&) = delete;
  TimeFlag& operator=(const TimeFlag&) = delete;
  [[nodiscard]] bool set() const noexcept { return set_; }

 private:
  void set_flag() noexcept { set_ = true; }

  event::Reactor& reactor_;
  bool set_ = false;
  event::MemberTimer<TimeFlag, &TimeFlag::set_flag> timer_{*this};
};

}  // namespace

ReactiveLoop::ReactiveLoop(OrbCore& core, LoopOwner& owner, std::unique_ptr<event::Reactor> reactor)
    : core_(core),
      owner_(owner),
      reactor_(std::move(reactor)),
      held_(core.settings().held_requests_max) {}

ReactiveLoop::~ReactiveLoop() { reactor_->cancel(idle_timer_); }

void ReactiveLoop::adopt(Accepted accepted) {
  load_.fetch_add(1, std::memory_order_relaxed);
  if (on_thread()) return add_connection(std::move(accepted));
  try {
    reactor_->post(
        [this, adopted = std::move(accepted)]() mutable { add_connection(std::move(adopted)); });
  } catch (const std::exception& exception) {  // this connection ends, others go on
    log::write(log::Level::warning, "server", exception.what());
    connection_ended();
  }
}

// Known before it is registered: nothing may fail between the reactor and its owner.
void ReactiveLoop::add_connection(Accepted accepted) {
  std::shared_ptr<ReactiveConnection> connection;
  try {
    if (!draining_) {
      connection = std::make_shared<ReactiveConnection>(*this, std::move(accepted));
      connections_.emplace(connection.get(), connection);
      if (connection->start()) return begin_idle_watch();
    }
  } catch (const std::exception& exception) {  // this connection ends, others go on
    log::write(log::Level::warning, "server", exception.what());
  }
  connections_.erase(connection.get());
  connection_ended();
}

// One timer for all connections, as long as there are some.
void ReactiveLoop::begin_idle_watch() noexcept {
  const auto limit = core_.settings().idle_timeout;
  if (idle_watched_ || limit <= std::chrono::milliseconds::zero() || connections_.empty()) return;
  reactor_->arm(idle_timer_, Deadline::after(idle_watch_period(limit), core_.clock().now()));
  idle_watched_ = true;
}

void ReactiveLoop::watch_idle() noexcept {
  idle_watched_ = false;
  try {
    const TimePoint now = core_.clock().now();
    for (const auto& connection : connections()) connection->watch_idle(now);
  } catch (const std::exception& exception) {
    log::write(log::Level::warning, "server", exception.what());
  }
  begin_idle_watch();
}

void ReactiveLoop::connection_ended() noexcept {
  load_.fetch_sub(1, std::memory_order_relaxed);
  owner_.connection_ended();
}

void ReactiveLoop::forget(const ReactiveConnection& connection) noexcept {
  connections_.erase(&connection);
  connection_ended();
  tell_if_drained();
}

void ReactiveLoop::tell_if_drained() noexcept {
  if (drained() && !std::exchange(told_drained_, true)) owner_.loop_drained();
}

void ReactiveLoop::drain() {
  draining_ = true;
  held_.clear();  // unanswered: CloseConnection tells so
  for (const auto& connection : connections()) connection->drain();
  tell_if_drained();
}

std::vector<std::shared_ptr<ReactiveConnection>> ReactiveLoop::connections() const {
  std::vector<std::shared_ptr<ReactiveConnection>> all;
  for (const auto& [address, connection] : connections_) all.push_back(connection);
  return all;
}

void ReactiveLoop::resume_held() noexcept {
  try {
    reactor_->post([this] {
      if (held_.resume()) dispatch_held_later();
    });
  } catch (const std::exception& exception) {  // they wait for the next change of the manager
    log::write(log::Level::error, "server", exception.what());
  }
}

// It is over for the queue when it begins: on this thread only what it nests can overtake it.
void ReactiveLoop::dispatch_held() noexcept {
  auto request = held_.take();
  if (!request) return;
  const std::uint64_t number = request->place.number;
  held_.done(number);
  if (held_.any_due()) dispatch_held_later();
  auto& host = request->place.conversation->host();
  static_cast<ReactiveConnection&>(host).handle_held(request->message, number);
}

ServingThread& ReactiveLoop::buffers_of_level(std::size_t level) {
  while (levels_.size() <= level)
    levels_.push_back(std::make_unique<ServingThread>(core_.settings().server_read_buffer_size));
  return *levels_[level];
}

ReactiveLoop::Level::Level(ReactiveLoop& loop, ReactiveConnection& connection)
    : loop_(loop), buffers_(loop.buffers_of_level(loop.busy_.size())) {
  buffers_.held_as = 0;
  loop_.busy_.push_back(&connection);
}

ReactiveLoop::Level::~Level() { loop_.busy_.pop_back(); }

bool ReactiveLoop::may_nest() const noexcept {
  return busy_.size() <= core_.settings().nested_upcall_depth_max;
}

Server::Nested ReactiveLoop::wait_readable(int fd, Deadline until) {
  if (!may_nest()) return Server::Nested::too_deep;
  if (!busy_.empty()) busy_.back()->prepare_nesting();
  ReadableFlag readable(*reactor_, fd);
  if (!readable.registered()) return Server::Nested::not_here;
  const TimeFlag over(*reactor_, until);
  while (!readable.set() && !over.set()) nested_turn();
  return readable.set() ? Server::Nested::readable : Server::Nested::timed_out;
}

Server::Nested ReactiveLoop::serve_until(function_ref<bool()> done) {
  if (!may_nest()) return Server::Nested::too_deep;
  if (!busy_.empty()) busy_.back()->prepare_nesting();
  while (!done()) nested_turn();
  return Server::Nested::readable;
}

// What somebody else's task throws is not for who waits here.
void ReactiveLoop::nested_turn() noexcept {
  const UpcallScope none(UpcallScope::None::upcall);
  try {
    reactor_->run_once(Deadline::never());
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "server", exception.what());
  }
}

}  // namespace perigee::orb
