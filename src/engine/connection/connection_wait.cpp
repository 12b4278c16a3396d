// Calls whose thread waits for the reply.
#include "engine/connection/connection.h"
#include "engine/connection/wait.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

namespace perigee::engine {
namespace {

// A condition variable adds the wait to the current time, which must not overflow.
constexpr Duration longest_wait = std::chrono::hours(1);

/// On the stack of the thread that waits.
class WaitedCall final : public StartedCall {
 public:
  WaitedCall(Home& home, CallResult& result) noexcept : home_(home), result_(result) {}

  void ended(CallEnd& end) noexcept override {
    result_.failure = end.failure;
    result_.request_accepted = end.request_accepted;
    result_.error_code = end.error_code;
    try {
      if (end.message != nullptr) {
        end.message->keep();
        result_.message = std::move(*end.message);
      }
    } catch (const std::exception& exception) {  // no memory for the reply
      log::write(log::Level::error, "engine", exception.what());
      result_.failure = CallFailure::transfer;
    }
    finish();
  }
  /// False: the deadline has passed.
  [[nodiscard]] bool await(Deadline deadline) {
    const auto over = [this] { return done_.load(); };
    if (loop_ != nullptr && loop_->single_threaded())
      return wait_in_turns(*loop_, ~std::uint32_t{0}, over, deadline) == WaitEnd::done;
    if (home_.owner().run_until(over, deadline)) return is_done();
    std::unique_lock lock(mutex_);
    while (!done_.load() && !deadline.passed(home_.clock().now())) {
      const Duration left = std::min(deadline.left(home_.clock().now()), longest_wait);
      (void)changed_.wait_for(lock, left, over);
    }
    return done_.load();
  }

 private:
  // The thread that ends the call may still hold the mutex to notify. This object must exist until
  // the mutex is free.
  [[nodiscard]] bool is_done() {
    const std::lock_guard lock(mutex_);
    return done_.load();
  }

  // Wakes the waiting thread if it alone serves its loop.
  class Wake final : public Task {
   public:
    explicit Wake(std::atomic<bool>& done) noexcept : Task(&run), done_(done) {}

   private:
    static void run(Task& task) noexcept { static_cast<Wake&>(task).done_.store(true); }
    std::atomic<bool>& done_;
  };

  // The waiting thread may leave as soon as `done_` is set and the mutex is free.
  void finish() noexcept {
    if (loop_ != nullptr && loop_->single_threaded()) {
      if (loop_->on_thread())
        done_.store(true);
      else
        (void)loop_->reactor().post(wake_);
      return;
    }
    HomeOwner& owner = home_.owner();
    {
      const std::lock_guard lock(mutex_);
      done_.store(true);
      changed_.notify_one();
    }
    owner.wake_waiters();
  }

  Home& home_;
  CallResult& result_;
  // The loop that the thread serves: the connection's loop if the thread serves that loop,
  // otherwise the thread's innermost loop. Null: the thread runs the loop of the application, or
  // sleeps.
  [[nodiscard]] static Loop* loop_to_serve(Home& home) noexcept {
    if (home.loop().on_thread()) return &home.loop();
    return home.owner().run_by_application() ? nullptr : Loop::of_this_thread();
  }

  Loop* const loop_ = loop_to_serve(home_);
  std::atomic<bool> done_{false};
  Wake wake_{done_};
  std::mutex mutex_;  // guards the notification
  std::condition_variable changed_;
};

}  // namespace

// A oneway upcall holds the read role of its connection. It lends the role before it waits, so that
// other threads read meanwhile. A loop of one thread lends the role before its nested turns.
void Connection::lend_for_wait(ThreadFrame& frame) noexcept {
  const bool holds = frame.lending == ThreadFrame::Lending::possible;
  if (holds && !home_.loop().single_threaded()) {
    const bool more = io_.has_octets() || !io_.drained();
    frame.lent_role = role_.lend();
    frame.lending = ThreadFrame::Lending::lent;
    if (more || frame.lent_role.noted()) home_.reactor().mark_ready(*this);
  }
  uncork();
}

CallResult Connection::call(messaging::Version version, EncodeRequest encode,
                            Deadline deadline) noexcept {
  CallResult result;
  const std::uint32_t depth_max = home_.settings().nested_upcall_depth_max;
  if (!begin_blocking(depth_max)) {
    result.start = StartStatus::too_deep;
    return result;
  }
  ThreadFrame* const frame = FrameLevel::innermost();
  if (frame != nullptr && frame->connection == this) lend_for_wait(*frame);
  WaitedCall call(home_, result);
  call.version = version;
  result.start = start_call(call, encode);
  if (result.start == StartStatus::started && !call.await(deadline)) {
    if (withdraw_call(call, result.request_accepted))
      result.failure = CallFailure::deadline;
    else
      (void)call.await(Deadline::never());
  }
  end_blocking();
  return result;
}

}  // namespace perigee::engine
