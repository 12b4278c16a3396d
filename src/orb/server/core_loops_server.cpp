// Starting the loops, spreading connections over them, and stopping them all.
#include "orb/server/core_loops_server.h"

#include "orb/core/orb_core.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace perigee::orb {

CoreLoopsServer::~CoreLoopsServer() { stop(Completion::wait); }

std::expected<void, IoError> CoreLoopsServer::start() {
  if (started()) return {};
  const std::lock_guard lock(mutex_);
  if (started_.load(std::memory_order_relaxed)) return {};
  if (stopping_)
    return std::unexpected(IoError{IoErrorKind::interrupted, IoOperation::listen, 0, {}});
  if (auto made = make_loops(); !made) return made;
  if (auto opened = endpoints_.open(core_); !opened) return opened;
  acceptors_.emplace(core_, loops_.front()->reactor(), endpoints_,
                     [this](auto accepted) { take(std::move(accepted)); });
  if (auto running = start_threads(); !running) return running;
  started_.store(true, std::memory_order_release);
  return {};
}

std::expected<void, IoError> CoreLoopsServer::make_loops() {
  const std::uint32_t count = core_.settings().thread_count();
  while (loops_.size() < count) {
    auto reactor = event::make_reactor(core_.clock(), core_.settings().busy_poll);
    if (!reactor) return std::unexpected(reactor.error());
    loops_.push_back(std::make_unique<ReactiveLoop>(core_, *this, std::move(*reactor)));
  }
  return {};
}

// With fewer threads than asked for if there are no more to be had.
std::expected<void, IoError> CoreLoopsServer::start_threads() {
  std::size_t running = 0;
  undrained_count_ = loops_.size();
  try {
    for (; running < loops_.size(); ++running)
      threads_.start([this, loop = loops_[running].get()] { run_loop(*loop); });
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "server", exception.what());
    if (running == 0)
      return std::unexpected(IoError{IoErrorKind::limit, IoOperation::create, 0, "a thread"});
    loops_.resize(running);
    undrained_count_ = running;
  }
  return {};
}

std::expected<void, IoError> CoreLoopsServer::begin_accepting() {
  if (auto started = start(); !started) return started;
  if (accepting_.exchange(true)) return {};
  loops_.front()->reactor().post([this] {
    if (!loops_.front()->draining()) acceptors_->start();
  });
  return {};
}

void CoreLoopsServer::run_loop(ReactiveLoop& loop) noexcept {
  while (undrained_count_ != 0) {
    try {
      loop.reactor().run();
    } catch (const std::exception& exception) {
      log::write(log::Level::error, "server", exception.what());
    }
  }
}

void CoreLoopsServer::take(Accepted accepted) {
  const auto& loop =
      *std::ranges::min_element(loops_, {}, [](const auto& each) { return each->load(); });
  loop->adopt(std::move(accepted));
}

void CoreLoopsServer::connection_ended() noexcept { acceptors_->connection_ended(); }

// They leave together: an asynchronous call that began on one may be what a request of another
// waits for.
void CoreLoopsServer::loop_drained() noexcept {
  if (undrained_count_.fetch_sub(1) != 1) return;
  for (const auto& loop : loops_) loop->reactor().stop();
}

void CoreLoopsServer::run() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopping_; });
  }
  const std::lock_guard finishing(finish_mutex_);
  threads_.join_all();
}

void CoreLoopsServer::stop(Completion completion) noexcept {
  {
    const std::lock_guard lock(mutex_);
    const bool again = std::exchange(stopping_, true) && completion == Completion::wait;
    if (!again && started()) loops_.front()->reactor().post([this] { drain(); });
    changed_.notify_all();
  }
  if (completion == Completion::do_not_wait || loop_of_this_thread() != nullptr) return;
  const std::lock_guard finishing(finish_mutex_);
  threads_.join_all();
}

// On the first loop, which so has given connections to the others before they drain theirs.
void CoreLoopsServer::drain() {
  acceptors_->stop();
  for (const auto& loop : loops_)
    if (loop != loops_.front()) loop->reactor().post([&loop] { loop->drain(); });
  loops_.front()->drain();
}

ReactiveLoop* CoreLoopsServer::loop_of_this_thread() const noexcept {
  if (!started()) return nullptr;
  for (const auto& loop : loops_)
    if (loop->on_thread()) return loop.get();
  return nullptr;
}

void CoreLoopsServer::resume_held() noexcept {
  if (!started()) return;
  for (const auto& loop : loops_) loop->resume_held();
}

bool CoreLoopsServer::begin_wait() noexcept {
  const ReactiveLoop* loop = loop_of_this_thread();
  return loop == nullptr || loop->may_nest();
}

Server::Nested CoreLoopsServer::wait_readable(int fd, Deadline until) {
  ReactiveLoop* loop = loop_of_this_thread();
  return loop != nullptr ? loop->wait_readable(fd, until) : Nested::not_here;
}

Server::Nested CoreLoopsServer::serve_until(function_ref<bool()> done) {
  ReactiveLoop* loop = loop_of_this_thread();
  return loop != nullptr ? loop->serve_until(done) : Nested::not_here;
}

event::Reactor* CoreLoopsServer::reactor_of_this_thread() noexcept {
  ReactiveLoop* loop = loop_of_this_thread();
  return loop != nullptr ? &loop->reactor() : nullptr;
}

std::expected<transport::Endpoint, IoError> CoreLoopsServer::listen(
    const transport::Endpoint& endpoint) {
  if (auto started = start(); !started) return std::unexpected(started.error());
  return endpoints_.add(core_, endpoint, {mutex_, stopping_, [this](Listener& added) {
                                            loops_.front()->reactor().post(
                                                [this, &added] { acceptors_->add(added); });
                                          }});
}

void CoreLoopsServer::close_removed() noexcept {
  if (!started()) return;
  endpoints_.close_removed(core_, [this](Listener& listener) {
    loops_.front()->reactor().post([this, &listener] { acceptors_->remove(listener); });
  });
}

std::expected<iop::Ior, IoError> CoreLoopsServer::make_ior(std::string type_id,
                                                           OctetSpan object_key,
                                                           const ProtocolPreference* preference) {
  if (auto started = start(); !started) return std::unexpected(started.error());
  close_removed();
  return endpoints_.make_ior(core_.protocols(), {std::move(type_id), object_key, preference});
}

bool CoreLoopsServer::publishes(const transport::Endpoint& endpoint) const noexcept {
  return started() && endpoints_.publishes(endpoint);
}

}  // namespace perigee::orb
