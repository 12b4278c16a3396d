// Started on demand, and ended when there is nothing more to connect to.
#include "orb/async/connecting_threads.h"

#include "orb/client/endpoint_table.h"

#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

namespace perigee::orb {

void ConnectingThreads::connect(std::shared_ptr<ClientEndpoint> endpoint,
                                std::chrono::milliseconds timeout, Done done) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    wanted_.push_back({std::move(endpoint), timeout, std::move(done)});
    if (threads_running_ == threads_max_) return;
    ++threads_running_;
  }
  try {
    threads_.start([this] { work(); });
  } catch (const std::system_error& error) {
    const std::lock_guard lock(mutex_);
    if (--threads_running_ != 0) return;  // the others get to it
    if (!wanted_.empty()) wanted_.pop_back();
    throw;
  }
}

ConnectingThreads::Connected ConnectingThreads::open(const Wanted& wanted) {
  try {
    return wanted.endpoint->open(wanted.timeout);
  } catch (const std::bad_alloc&) {
    return std::unexpected(IoError{IoErrorKind::limit, IoOperation::connect, ENOMEM,
                                   to_string(wanted.endpoint->endpoint())});
  }
}

void ConnectingThreads::work() noexcept {
  Wanted wanted;
  while (take(wanted)) {
    wanted.done(open(wanted));
    wanted = {};
  }
}

// The last act of a thread that finds nothing is to say so under the lock: who asks for a
// connection then starts another one.
bool ConnectingThreads::take(Wanted& wanted) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || wanted_.empty()) {
    --threads_running_;
    return false;
  }
  wanted = std::move(wanted_.front());
  wanted_.pop_front();
  return true;
}

void ConnectingThreads::stop() noexcept {
  std::deque<Wanted> dropped;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    dropped.swap(wanted_);
  }
  threads_.join_all();
}

}  // namespace perigee::orb
