// Accepting, and stopping in an orderly way.
#include "orb/server/threaded_server.h"

#include "orb/core/orb_core.h"
#include "orb/server/threaded_connection.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace perigee::orb {

using transport::Wait;

ThreadedServer::~ThreadedServer() { stop(Completion::wait); }

std::expected<void, IoError> ThreadedServer::start() {
  if (started_.load(std::memory_order_acquire)) return {};
  const std::lock_guard starting(start_mutex_);
  if (started_.load(std::memory_order_relaxed)) return {};
  {
    const std::lock_guard lock(mutex_);
    if (stopping_)
      return std::unexpected(IoError{IoErrorKind::interrupted, IoOperation::listen, 0, {}});
  }
  if (auto opened = acceptors_.open(core_); !opened) return opened;
  const auto listeners = acceptors_.listeners();  // before others come, who have their own threads
  started_.store(true, std::memory_order_release);
  for (const Listener* const listener : listeners)
    threads_.start([this, listener] { accept_connections(*listener); });
  threads_.start([this] { watch(); });
  const std::lock_guard lock(mutex_);
  if (stopping_) acceptors_.stop_accepting([](auto) {});  // `stop` did not see them
  return {};
}

std::expected<void, IoError> ThreadedServer::begin_accepting() {
  if (auto started = start(); !started) return started;
  const std::lock_guard lock(mutex_);
  accepting_ = true;
  changed_.notify_all();
  return {};
}

void ThreadedServer::run() {
  {
    Lock lock(mutex_);
    changed_.wait(lock, [this] { return stopping_; });
  }
  finish_stopping();
}

void ThreadedServer::accept_connections(const Listener& listener) noexcept {
  while (await_place()) {
    try {
      auto accepted = listener.acceptor->accept(Wait::yes);
      if (accepted) {
        if (*accepted) add_connection(listener.accepted(std::move(*accepted)));
        continue;
      }
      if (accepted.error().kind == IoErrorKind::interrupted) return;
      log::write(log::Level::warning, "server", to_string(accepted.error()));
    } catch (const std::exception& exception) {  // bad_alloc: this connection ends, others go on
      log::write(log::Level::warning, "server", exception.what());
    }
    // Out of handles, perhaps: the connection stays in the system's queue. Do not spin.
    Lock lock(mutex_);
    changed_.wait_for(lock, core_.settings().accept_retry_delay, [this] { return stopping_; });
  }
}

// Blocks until connections are accepted, and while there are as many as may be. False when the
// server stops.
bool ThreadedServer::await_place() {
  Lock lock(mutex_);
  changed_.wait(lock, [this] {
    return stopping_ ||
           (accepting_ && connections_.size() < core_.settings().server_connections_max);
  });
  return !stopping_;
}

void ThreadedServer::add_connection(Accepted accepted) {
  try {
    auto connection = std::make_shared<ThreadedConnection>(*this, std::move(accepted));
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      connections_.emplace(connection.get(), connection);
      if (connections_.size() == 1) changed_.notify_all();  // there is something to watch
    }
    if (!connection->start()) forget(*connection);
  } catch (const std::exception& exception) {
    log::write(log::Level::warning, "server", exception.what());
  }
}

void ThreadedServer::forget(const ThreadedConnection& connection) noexcept {
  std::shared_ptr<ThreadedConnection> dead;  // ends after the lock
  const std::lock_guard lock(mutex_);
  const auto found = connections_.find(&connection);
  if (found != connections_.end()) {
    dead = std::move(found->second);
    connections_.erase(found);
  }
  changed_.notify_all();
}

void ThreadedServer::keep(const std::shared_ptr<ThreadedConnection>& connection) {
  const std::lock_guard lock(mutex_);
  if (connections_.emplace(connection.get(), connection).second) changed_.notify_all();
}

void ThreadedServer::connection_changed() noexcept {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

ThreadedServer::Connections ThreadedServer::connections() const {
  const std::lock_guard lock(mutex_);
  Connections all;
  for (const auto& [address, connection] : connections_) all.push_back(connection);
  return all;
}

// A servant may wait for a request that its client sends on the same connection while nobody reads:
// after one period in which nothing has changed, a second thread reads.
void ThreadedServer::watch() noexcept {
  for (;;) {
    {
      Lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !connections_.empty(); });
      const bool was_stopping = stopping_;
      changed_.wait_for(lock, core_.settings().upcall_watch_period,
                        [&] { return stopping_ != was_stopping || connections_.empty(); });
      if (stopping_ && connections_.empty()) return;
    }
    try {
      const TimePoint now = core_.clock().now();
      for (const auto& connection : connections()) connection->watch(now);
    } catch (const std::exception& exception) {
      log::write(log::Level::warning, "server", exception.what());
    }
  }
}

void ThreadedServer::stop(Completion completion) noexcept {
  begin_stopping();
  if (completion == Completion::wait) finish_stopping();
}

void ThreadedServer::begin_stopping() noexcept {
  if (!is_stopping()) {
    stop_accepting();
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      changed_.notify_all();
    }
    stop_accepting();  // `start` may have come meanwhile
  }
  for (const auto& connection : connections()) connection->drain();
}

// Where nobody has been accepted yet, those who wait are turned away.
void ThreadedServer::stop_accepting() noexcept {
  if (!started_.load()) return;
  acceptors_.stop_accepting([this, taken = is_accepting()](auto accepted) {
    if (taken) add_connection(std::move(accepted));
  });
}

// The steps of draining (design, section 4): what was accepted is answered, but for peers that do
// not read; then everything is on its way to the peers, who get time to close; then we cut.
void ThreadedServer::finish_stopping() noexcept {
  const std::lock_guard finishing(finish_mutex_);
  const auto& settings = core_.settings();
  const auto all_finished = [this] {
    return std::ranges::all_of(connections_,
                               [](const auto& entry) { return entry.second->finished(); });
  };
  Lock lock(mutex_);
  while (!changed_.wait_for(lock, settings.drain_timeout, all_finished))
    for (const auto& [address, connection] : connections_) connection->interrupt_if_stuck();
  changed_.wait_for(lock, settings.drain_idle_timeout, [this] { return connections_.empty(); });
  lock.unlock();
  for (const auto& connection : connections()) connection->interrupt();
  threads_.join_all();
}

std::expected<transport::Endpoint, IoError> ThreadedServer::listen(
    const transport::Endpoint& endpoint) {
  if (auto started = start(); !started) return std::unexpected(started.error());
  return acceptors_.add(core_, endpoint,
                        {mutex_, stopping_, [this](Listener& added) {
                           threads_.start([this, &added] { accept_connections(added); });
                         }});
}

// The thread that accepts there ends by itself. Where nobody has been accepted yet, those who wait
// are turned away.
void ThreadedServer::close_removed() noexcept {
  if (!started_.load(std::memory_order_acquire)) return;
  acceptors_.close_removed(core_, [this](const Listener& listener) {
    orb::stop_accepting(*listener.acceptor, [&, taken = is_accepting()](auto transport) {
      if (taken) add_connection(listener.accepted(std::move(transport)));
    });
  });
}

bool ThreadedServer::is_stopping() const noexcept {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

bool ThreadedServer::is_accepting() const noexcept {
  const std::lock_guard lock(mutex_);
  return accepting_;
}

std::expected<iop::Ior, IoError> ThreadedServer::make_ior(std::string type_id, OctetSpan object_key,
                                                          const ProtocolPreference* preference) {
  if (auto started = start(); !started) return std::unexpected(started.error());
  close_removed();
  return acceptors_.make_ior(core_.protocols(), {std::move(type_id), object_key, preference});
}

bool ThreadedServer::publishes(const transport::Endpoint& endpoint) const noexcept {
  return started_.load(std::memory_order_acquire) && acceptors_.publishes(endpoint);
}

}  // namespace perigee::orb
