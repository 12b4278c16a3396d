// Who runs the loop, and when it is finished.
#include "orb/server/reactive_server.h"

#include "orb/core/orb_core.h"
#include <perigee/base/log.h>

#include <exception>
#include <utility>

namespace perigee::orb {

ReactiveServer::ReactiveServer(OrbCore& core) : core_(core) {
  auto reactor = event::make_reactor(core.clock(), core.settings().busy_poll);
  if (!reactor) {
    loop_made_ = std::unexpected(reactor.error());
    return;
  }
  loop_ = std::make_unique<ReactiveLoop>(core, *this, std::move(*reactor));
  acceptors_.emplace(core, loop_->reactor(), endpoints_,
                     [this](auto accepted) { loop_->adopt(std::move(accepted)); });
}

ReactiveServer::~ReactiveServer() { stop(Completion::wait); }

std::expected<void, IoError> ReactiveServer::start() {
  if (started_.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(mutex_);
  if (started_.load(std::memory_order_relaxed)) return {};
  if (stopping_)
    return std::unexpected(IoError{IoErrorKind::interrupted, IoOperation::listen, 0, {}});
  if (!loop_made_) return loop_made_;
  if (auto opened = endpoints_.open(core_); !opened) return opened;
  started_.store(true, std::memory_order_release);
  return {};
}

std::expected<void, IoError> ReactiveServer::begin_accepting() {
  if (auto started = start(); !started) return started;
  if (accepting_.exchange(true)) return {};
  loop_->reactor().post([this] {
    if (!loop_->draining()) acceptors_->start();
  });
  return {};
}

void ReactiveServer::run() {
  Lock lock(mutex_);
  // Another thread's `perform_work` ends soon, another thread's `run` when all is finished.
  changed_.wait(lock, [this] { return finished_ || (loop_ && !looping_); });
  if (finished_) return;
  looping_ = running_ = true;
  lock.unlock();
  run_loop();
}

// One turn, as if `run` had begun and ended. Within an upcall of such a turn it is a nested turn.
void ReactiveServer::perform_work() {
  if (on_loop_thread()) return loop_->reactor().run_once(Deadline::immediately());
  {
    const std::lock_guard lock(mutex_);
    if (!loop_ || looping_ || finished_) return;
    looping_ = true;
  }
  try {
    loop_->reactor().run_once(Deadline::immediately());
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "server", exception.what());
  }
  const std::lock_guard lock(mutex_);
  looping_ = false;
  finished_ = loop_->drained();
  changed_.notify_all();
}

bool ReactiveServer::work_pending() {
  const std::lock_guard lock(mutex_);
  return loop_ && !looping_ && !finished_ && loop_->reactor().has_work();
}

int ReactiveServer::work_handle() const noexcept { return loop_ ? loop_->reactor().handle() : -1; }

void ReactiveServer::run_loop() noexcept {
  try {
    loop_->reactor().run();
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "server", exception.what());
  }
  const std::lock_guard lock(mutex_);
  finished_ = true;
  looping_ = running_ = false;
  changed_.notify_all();
}

void ReactiveServer::stop(Completion completion) noexcept {
  Lock lock(mutex_);
  const bool again = std::exchange(stopping_, true) && completion == Completion::wait;
  if (!again && !finished_) {
    if (loop_)
      loop_->reactor().post([this] { drain(); });
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
  acceptors_->stop();
  loop_->drain();
}

void ReactiveServer::connection_ended() noexcept { acceptors_->connection_ended(); }

void ReactiveServer::resume_held() noexcept {
  if (loop_) loop_->resume_held();
}

bool ReactiveServer::begin_wait() noexcept { return !on_loop_thread() || loop_->may_nest(); }

Server::Nested ReactiveServer::wait_readable(int fd, Deadline until) {
  return on_loop_thread() ? loop_->wait_readable(fd, until) : Nested::not_here;
}

Server::Nested ReactiveServer::serve_until(function_ref<bool()> done) {
  return on_loop_thread() ? loop_->serve_until(done) : Nested::not_here;
}

event::Reactor* ReactiveServer::reactor_of_this_thread() noexcept {
  return on_loop_thread() ? &loop_->reactor() : nullptr;
}

std::expected<transport::Endpoint, IoError> ReactiveServer::listen(
    const transport::Endpoint& endpoint) {
  if (auto started = start(); !started) return std::unexpected(started.error());
  return endpoints_.add(core_, endpoint,
                        {mutex_, stopping_, [this](Listener& added) {
                           loop_->reactor().post([this, &added] { acceptors_->add(added); });
                         }});
}

void ReactiveServer::close_removed() noexcept {
  if (!started_.load(std::memory_order_acquire)) return;
  endpoints_.close_removed(core_, [this](Listener& listener) {
    loop_->reactor().post([this, &listener] { acceptors_->remove(listener); });
  });
}

std::expected<iop::Ior, IoError> ReactiveServer::make_ior(std::string type_id, OctetSpan object_key,
                                                          const ProtocolPreference* preference) {
  if (auto started = start(); !started) return std::unexpected(started.error());
  close_removed();
  return endpoints_.make_ior(core_.protocols(), {std::move(type_id), object_key, preference});
}

bool ReactiveServer::publishes(const transport::Endpoint& endpoint) const noexcept {
  return started_.load(std::memory_order_acquire) && endpoints_.publishes(endpoint);
}

}  // namespace perigee::orb
