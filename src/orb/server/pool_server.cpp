// Starting, accepting, and stopping in an orderly way.
#include "orb/server/pool_server.h"

#include "orb/core/orb_core.h"
#include "orb/server/pool_connection.h"
#include <perigee/base/log.h>

#include <exception>
#include <utility>

namespace perigee::orb {

PoolServer::Engine::Engine(PoolServer& server, std::unique_ptr<event::Reactor> reactor_made,
                           std::unique_ptr<event::SharedPoll> poll_made)
    : reactor(std::move(reactor_made)),
      poll(std::move(poll_made)),
      acceptors(server.core_, *reactor, server.endpoints_,
                [&server](auto accepted) { server.add_connection(std::move(accepted)); }),
      held(*poll, server.core_.settings().held_requests_max),
      workers(*poll, {.threads = server.core_.settings().thread_count(),
                      .spares_max = server.core_.settings().nested_upcall_depth_max,
                      .read_buffer_size = server.core_.settings().server_read_buffer_size}) {}

PoolServer::~PoolServer() { stop(Completion::wait); }

std::expected<void, IoError> PoolServer::start() {
  if (started()) return {};
  const std::lock_guard starting(start_mutex_);
  if (started_.load(std::memory_order_relaxed)) return {};
  {
    const std::lock_guard lock(mutex_);
    if (stopping_)
      return std::unexpected(IoError{IoErrorKind::interrupted, IoOperation::listen, 0, {}});
  }
  if (auto made = make_engine(); !made) return made;
  if (auto opened = endpoints_.open(core_); !opened) return opened;
  if (auto running = start_threads(); !running) return running;
  started_.store(true, std::memory_order_release);
  const std::lock_guard lock(mutex_);
  if (stopping_) engine_->reactor->post([this] { drain(); });  // `stop` came meanwhile
  return {};
}

std::expected<void, IoError> PoolServer::make_engine() {
  if (engine_) return {};  // opening the endpoints failed the last time
  auto reactor = event::make_reactor(core_.clock());
  if (!reactor) return std::unexpected(reactor.error());
  auto poll = event::make_shared_poll(core_.settings().busy_poll);
  if (!poll) return std::unexpected(poll.error());
  engine_ = std::make_unique<Engine>(*this, std::move(*reactor), std::move(*poll));
  return engine_->poll->add(-1, engine_->held);
}

std::expected<void, IoError> PoolServer::start_threads() {
  try {
    if (engine_->workers.start()) {
      engine_->housekeeping.start([this] { keep_house(); });
      return {};
    }
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "server", exception.what());
  }
  engine_->poll->stop();
  engine_.reset();
  return std::unexpected(IoError{IoErrorKind::limit, IoOperation::create, 0, "a thread"});
}

std::expected<void, IoError> PoolServer::begin_accepting() {
  if (auto started = start(); !started) return started;
  if (accepting_.exchange(true)) return {};
  engine_->reactor->post([this] {
    if (draining()) return;
    engine_->acceptors.start();
  });
  return {};
}

bool PoolServer::draining() const {
  const std::lock_guard lock(mutex_);
  return draining_;
}

// One timer for all connections.
void PoolServer::begin_idle_watch() noexcept {
  const auto period = idle_watch_period(core_.settings().idle_timeout);
  if (idle_watched_ || period.count() == 0 || draining()) return;
  engine_->reactor->arm(idle_timer_, Deadline::after(period, core_.clock().now()));
  idle_watched_ = true;
}

void PoolServer::watch_idle() noexcept {
  idle_watched_ = false;
  begin_idle_watch();
  if (draining()) return;
  try {
    const TimePoint now = core_.clock().now();
    for (const auto& connection : connections()) connection->watch_idle(now);
  } catch (const std::exception& exception) {
    log::write(log::Level::warning, "server", exception.what());
  }
}

void PoolServer::keep_house() noexcept {
  const auto drained = [this] {
    const std::lock_guard lock(mutex_);
    return draining_ && connections_.empty();
  };
  while (!drained()) {
    try {
      engine_->reactor->run();
    } catch (const std::exception& exception) {
      log::write(log::Level::error, "server", exception.what());
    }
  }
  engine_->poll->stop();
}

// Known before its first event can end it.
void PoolServer::add_connection(Accepted accepted) {
  begin_idle_watch();
  std::shared_ptr<PoolConnection> connection;
  try {
    connection = std::make_shared<PoolConnection>(*this, std::move(accepted));
    {
      const std::lock_guard lock(mutex_);
      connections_.emplace(connection.get(), connection);
    }
    if (connection->start()) return;
  } catch (const std::exception& exception) {  // this connection ends, others go on
    log::write(log::Level::warning, "server", exception.what());
  }
  {
    const std::lock_guard lock(mutex_);
    connections_.erase(connection.get());
  }
  engine_->acceptors.connection_ended();
}

void PoolServer::forget(const PoolConnection& connection) noexcept {
  std::shared_ptr<PoolConnection> dead;  // ends after the lock
  {
    const std::lock_guard lock(mutex_);
    const auto found = connections_.find(&connection);
    if (found == connections_.end()) return;
    dead = std::move(found->second);
    connections_.erase(found);
    if (draining_ && connections_.empty()) engine_->reactor->stop();
  }
  engine_->acceptors.connection_ended();
}

PoolServer::Connections PoolServer::connections() const {
  const std::lock_guard lock(mutex_);
  Connections all;
  for (const auto& [address, connection] : connections_) all.push_back(connection);
  return all;
}

void PoolServer::resume_held() noexcept {
  if (started()) engine_->held.resume();
}

bool PoolServer::begin_wait() noexcept {
  return !started() || !engine_->workers.on_thread() || engine_->workers.begin_wait();
}

void PoolServer::end_wait() noexcept {
  if (started() && engine_->workers.on_thread()) engine_->workers.end_wait();
}

void PoolServer::run() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopping_; });
  }
  finish_stopping();
}

void PoolServer::stop(Completion completion) noexcept {
  {
    const std::lock_guard lock(mutex_);
    const bool again = std::exchange(stopping_, true) && completion == Completion::wait;
    if (!again && started()) engine_->reactor->post([this] { drain(); });
    changed_.notify_all();
  }
  if (completion == Completion::wait) finish_stopping();
}

// The steps of draining (design, section 4), on the housekeeping thread.
void PoolServer::drain() {
  if (!draining()) {
    {
      const std::lock_guard lock(mutex_);
      draining_ = true;
    }
    engine_->acceptors.stop();
    engine_->held.clear();  // unanswered: CloseConnection tells so
  }
  for (const auto& connection : connections()) connection->drain();
  if (connections().empty()) engine_->reactor->stop();
}

// Not by a worker: it would wait for itself.
void PoolServer::finish_stopping() noexcept {
  const std::lock_guard starting(start_mutex_);
  if (!started() || engine_->workers.on_thread()) return;
  const std::lock_guard finishing(finish_mutex_);
  engine_->housekeeping.join_all();
  engine_->workers.join();
}

std::expected<transport::Endpoint, IoError> PoolServer::listen(
    const transport::Endpoint& endpoint) {
  if (auto started = start(); !started) return std::unexpected(started.error());
  return endpoints_.add(
      core_, endpoint, {mutex_, stopping_, [this](Listener& added) {
                          engine_->reactor->post([this, &added] { engine_->acceptors.add(added); });
                        }});
}

void PoolServer::close_removed() noexcept {
  if (!started()) return;
  endpoints_.close_removed(core_, [this](Listener& listener) {
    engine_->reactor->post([this, &listener] { engine_->acceptors.remove(listener); });
  });
}

std::expected<iop::Ior, IoError> PoolServer::make_ior(std::string type_id, OctetSpan object_key,
                                                      const ProtocolPreference* preference) {
  if (auto started = start(); !started) return std::unexpected(started.error());
  close_removed();
  return endpoints_.make_ior(core_.protocols(), {std::move(type_id), object_key, preference});
}

bool PoolServer::publishes(const transport::Endpoint& endpoint) const noexcept {
  return started() && endpoints_.publishes(endpoint);
}

}  // namespace perigee::orb
