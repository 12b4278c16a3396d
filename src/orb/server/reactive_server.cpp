// The loop and its life; accepting; nested turns; draining.
#include "orb/server/reactive_server.h"

#include "orb/orb_core.h"
#include "orb/server/reactive_acceptor.h"
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
      : reactor_(reactor), fd_(fd), registered_(reactor.add(fd, *this).has_value()) {}
  ~ReadableFlag() {
    if (registered_) reactor_.remove(fd_, *this);
  }
  [[nodiscard]] bool registered() const noexcept { return registered_; }
  void handle_ready(event::Readiness /*readiness*/) noexcept override { set_ = true; }
  [[nodiscard]] bool set() const noexcept { return set_; }

 private:
  event::Reactor& reactor_;
  const int fd_;
  const bool registered_;
  bool set_ = false;
};

/// Notices that a time has come.
class TimeFlag final {
 public:
  TimeFlag(event::Reactor& reactor, TimePoint time) : reactor_(reactor) {
    if (time != Server::for_ever) timer_ = reactor_.schedule(time, [this] { set_ = true; });
  }
  ~TimeFlag() {
    if (timer_ != 0 && !set_) reactor_.cancel(timer_);
  }
  TimeFlag(const TimeFlag&) = delete;
  TimeFlag& operator=(const TimeFlag&) = delete;
  [[nodiscard]] bool set() const noexcept { return set_; }

 private:
  event::Reactor& reactor_;
  event::TimerId timer_ = 0;
  bool set_ = false;
};

IoError stopped_error() { return {IoErrorKind::interrupted, IoOperation::listen, 0, {}}; }

}  // namespace

ReactiveServer::ReactiveServer(OrbCore& core) : core_(core) {
  auto reactor = event::make_reactor(core.clock());
  if (reactor)
    reactor_ = std::move(*reactor);
  else
    reactor_made_ = std::unexpected(reactor.error());
}

ReactiveServer::~ReactiveServer() {
  stop(Completion::wait);
  handlers_.clear();
}

std::expected<void, IoError> ReactiveServer::start() {
  if (started_.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(mutex_);
  if (started_.load(std::memory_order_relaxed)) return {};
  if (stopping_) return std::unexpected(stopped_error());
  if (!reactor_made_) return reactor_made_;
  if (auto opened = acceptors_.open(core_); !opened) return opened;
  started_.store(true, std::memory_order_release);
  reactor_->post([this] { register_acceptors(); });
  return {};
}

void ReactiveServer::register_acceptors() {
  if (draining_) return;
  for (std::size_t index = 0; index < acceptors_.count(); ++index) {
    handlers_.push_back(std::make_unique<ReactiveAcceptor>(*this, acceptors_.at(index)));
    handlers_.back()->start();
  }
}

void ReactiveServer::run() {
  Lock lock(mutex_);
  // Another thread's `perform_work` ends soon, another thread's `run` when all is finished.
  changed_.wait(lock, [this] { return finished_ || (reactor_ && !looping_); });
  if (finished_) return;
  looping_ = running_ = true;
  lock.unlock();
  run_loop();
}

// One turn, as if `run` had begun and ended. Within an upcall of such a turn it is a nested turn.
void ReactiveServer::perform_work() {
  if (on_loop_thread()) return reactor_->run_once(std::chrono::milliseconds(0));
  {
    const std::lock_guard lock(mutex_);
    if (!reactor_ || looping_ || finished_) return;
    looping_ = true;
  }
  loop_thread_.store(std::this_thread::get_id());
  try {
    reactor_->run_once(std::chrono::milliseconds(0));
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "server", exception.what());
  }
  loop_thread_.store({});
  const std::lock_guard lock(mutex_);
  looping_ = false;
  finished_ = draining_ && connections_.empty();
  changed_.notify_all();
}

bool ReactiveServer::work_pending() {
  const std::lock_guard lock(mutex_);
  return reactor_ && !looping_ && !finished_ && reactor_->has_work();
}

int ReactiveServer::work_handle() const noexcept { return reactor_ ? reactor_->handle() : -1; }

void ReactiveServer::run_loop() noexcept {
  loop_thread_.store(std::this_thread::get_id());
  try {
    reactor_->run();
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "server", exception.what());
  }
  loop_thread_.store({});
  const std::lock_guard lock(mutex_);
  finished_ = true;
  looping_ = running_ = false;
  changed_.notify_all();
}

void ReactiveServer::stop(Completion completion) noexcept {
  Lock lock(mutex_);
  if (!std::exchange(stopping_, true)) {
    if (reactor_)
      reactor_->post([this] { drain(); });
    else
      finished_ = true;
  }
  changed_.notify_all();
  if (completion == Completion::do_not_wait || on_loop_thread()) return;
  changed_.wait(lock, [this] { return finished_ || !looping_ || running_; });
  if (!looping_ && !finished_) {  // nobody runs the loop: do it here
    looping_ = running_ = true;
    lock.unlock();
    return run_loop();
  }
  changed_.wait(lock, [this] { return finished_; });
}

void ReactiveServer::drain() {
  draining_ = true;
  held_.clear();  // unanswered: CloseConnection tells so
  for (const auto& handler : handlers_) handler->stop();
  for (const auto& connection : connections()) connection->drain();
  const TimePoint now = core_.clock().now();
  reactor_->schedule(now + core_.settings().drain_idle_timeout, [this] { interrupt_finished(); });
  reactor_->schedule(now + core_.settings().drain_timeout, [this] { interrupt_stuck(); });
  check_drained();
}

// Those that are not finished yet have their turn later.
void ReactiveServer::interrupt_finished() {
  for (const auto& connection : connections())
    if (connection->finished()) connection->close();
  if (!connections_.empty())
    reactor_->schedule(core_.clock().now() + core_.settings().drain_idle_timeout,
                       [this] { interrupt_finished(); });
}

// Not those with an upcall in progress: it is waited for.
void ReactiveServer::interrupt_stuck() {
  for (const auto& connection : connections())
    if (connection->answered()) connection->close();
  if (!connections_.empty())
    reactor_->schedule(core_.clock().now() + core_.settings().drain_timeout,
                       [this] { interrupt_stuck(); });
}

void ReactiveServer::check_drained() noexcept {
  if (draining_ && connections_.empty()) reactor_->stop();
}

std::vector<std::shared_ptr<ReactiveConnection>> ReactiveServer::connections() const {
  std::vector<std::shared_ptr<ReactiveConnection>> all;
  for (const auto& [address, connection] : connections_) all.push_back(connection);
  return all;
}

bool ReactiveServer::has_place() const noexcept {
  return connections_.size() < core_.settings().server_connections_max;
}

void ReactiveServer::add_connection(std::unique_ptr<transport::Transport> transport) {
  if (draining_) return;
  const auto connection = std::make_shared<ReactiveConnection>(*this, std::move(transport));
  // Known before it is registered: nothing may fail between the reactor and its owner.
  connections_.emplace(connection.get(), connection);
  if (!connection->start()) connections_.erase(connection.get());
}

void ReactiveServer::forget(const ReactiveConnection& connection) noexcept {
  connections_.erase(&connection);
  for (const auto& handler : handlers_) handler->place_is_free();
  check_drained();
}

bool ReactiveServer::keep(std::shared_ptr<ReactiveConnection> connection,
                          messaging::IncomingMessage& message) {
  if (held_.size() >= core_.settings().held_requests_max) return false;
  message.keep();
  held_.push_back({std::move(connection), std::move(message)});
  return true;
}

void ReactiveServer::resume_held() noexcept {
  if (reactor_) reactor_->post([this] { dispatch_held(); });
}

// Those that are held again go to the end of the queue, and wait for the next call.
void ReactiveServer::dispatch_held() {
  for (std::size_t left = held_.size(); left > 0 && !held_.empty(); --left) {
    HeldRequest request = std::move(held_.front());
    held_.pop_front();
    request.connection->handle_held(request.message);
  }
}

ServingThread& ReactiveServer::buffers_of_level(std::size_t level) {
  while (levels_.size() <= level)
    levels_.push_back(std::make_unique<ServingThread>(core_.settings().read_buffer_size));
  return *levels_[level];
}

ReactiveServer::Level::Level(ReactiveServer& server, ReactiveConnection& connection)
    : server_(server), buffers_(server.buffers_of_level(server.busy_.size())) {
  server_.busy_.push_back(&connection);
}

ReactiveServer::Level::~Level() { server_.busy_.pop_back(); }

bool ReactiveServer::may_nest() const noexcept {
  return !on_loop_thread() || busy_.size() <= core_.settings().nested_upcall_depth_max;
}

Server::Nested ReactiveServer::wait_readable(int fd, TimePoint until) {
  if (!on_loop_thread()) return Nested::not_here;
  if (!may_nest()) return Nested::too_deep;
  if (!busy_.empty()) busy_.back()->prepare_nesting();
  ReadableFlag readable(*reactor_, fd);
  if (!readable.registered()) return Nested::not_here;
  const TimeFlag over(*reactor_, until);
  while (!readable.set() && !over.set()) reactor_->run_once(std::chrono::milliseconds(-1));
  return readable.set() ? Nested::readable : Nested::timed_out;
}

std::expected<iop::Ior, IoError> ReactiveServer::make_ior(std::string type_id,
                                                          OctetSpan object_key) {
  if (auto started = start(); !started) return std::unexpected(started.error());
  return acceptors_.make_ior(std::move(type_id), object_key);
}

bool ReactiveServer::publishes(const transport::Endpoint& endpoint) const noexcept {
  return started_.load(std::memory_order_acquire) && acceptors_.publishes(endpoint);
}

}  // namespace perigee::orb
