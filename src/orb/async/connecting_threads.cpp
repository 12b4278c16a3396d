// Started on demand, and ended when there is nothing more to connect to.
#include "orb/async/connecting_threads.h"

#include "orb/client/endpoint_table.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <new>
#include <utility>

namespace perigee::orb {

namespace {

// Without its text if there is no memory for it: the calls that wait for the connection must end.
IoError error_of(const ClientEndpoint& endpoint, IoErrorKind kind, int code,
                 const char* reason = "") noexcept {
  try {
    return {kind, IoOperation::connect, code, to_string(endpoint.endpoint()) + reason};
  } catch (const std::bad_alloc&) {
    return {kind, IoOperation::connect, code, {}};
  }
}

IoError not_begun(const ClientEndpoint& endpoint) noexcept {
  return error_of(endpoint, IoErrorKind::timed_out, 0,
                  " (all threads of -ORBConnectingThreadsMax were busy)");
}

}  // namespace

void ConnectingThreads::connect(std::shared_ptr<ClientEndpoint> endpoint, Deadline until,
                                Done done) {
  const Wanted* own = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    own = &wanted_.emplace_back(std::move(endpoint), until, std::move(done));
    if (threads_running_ == threads_max_) return;
    ++threads_running_;
  }
  try {
    threads_.start([this] { work(); });
  } catch (const std::exception&) {  // system_error or bad_alloc
    if (drop_without_thread(own)) throw;
  }
}

// Nobody gets to what waits, if no other thread runs: neither to the caller's own, which is to hear
// of it by the exception, nor to that of others who have counted on this thread. Whether the own
// one was still there.
bool ConnectingThreads::drop_without_thread(const Wanted* own) {
  std::list<Wanted> left;
  {
    const std::lock_guard lock(mutex_);
    if (--threads_running_ == 0) left.swap(wanted_);
  }
  bool own_left = false;
  for (Wanted& wanted : left) {
    if (&wanted == own)
      own_left = true;
    else
      wanted.done(std::unexpected(error_of(*wanted.endpoint, IoErrorKind::limit, EAGAIN)));
  }
  return own_left;
}

IoError ConnectingThreads::timed_out(const ClientEndpoint& endpoint) {
  const std::lock_guard lock(mutex_);
  const bool waits = std::ranges::any_of(
      wanted_, [&](const Wanted& wanted) { return wanted.endpoint.get() == &endpoint; });
  return waits ? not_begun(endpoint) : error_of(endpoint, IoErrorKind::timed_out, 0);
}

// Who has waited for a thread until nobody waits for the connection takes no time of the others.
ConnectingThreads::Connected ConnectingThreads::open(const Wanted& wanted) const {
  using std::chrono::milliseconds;
  try {
    if (wanted.until.is_never()) return wanted.endpoint->open(milliseconds(0));
    const auto left = std::chrono::ceil<milliseconds>(wanted.until.left(clock_.now()));
    if (left == milliseconds(0)) return std::unexpected(not_begun(*wanted.endpoint));
    return wanted.endpoint->open(left);
  } catch (const std::bad_alloc&) {
    return std::unexpected(error_of(*wanted.endpoint, IoErrorKind::limit, ENOMEM));
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
  std::list<Wanted> dropped;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    dropped.swap(wanted_);
  }
  threads_.join_all();
}

}  // namespace perigee::orb
