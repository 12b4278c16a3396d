// A call that `send_deferred` has started. It receives its outcome on the thread that drives it.
#pragma once

#include "dynamic/requests/dynamic_call.h"
#include <perigee/base/counted_ptr.h>
#include <perigee/orb/async_stub.h>

#include <atomic>
#include <exception>
#include <functional>

namespace perigee::dynamic {

/// Owned by the Request, and by the call until it has ended. The members of DynamicCall belong to
/// the call until then, and to the Request afterwards.
class DeferredCall final : private stub::CallObserver {
 public:
  explicit DeferredCall(DynamicCall call)
      : call_(std::move(call)),
        operation_(call_.operation, CalledOperation::Kind::dynamic, call_.exceptions) {}

  /// Starts `started`. Calls `notify` once, when the outcome is there and `start` does not use the
  /// call any more. `notify` runs in `start`, or on the thread that drives the call. It may be
  /// empty. It may let another thread take the outcome. Raises the exceptions of `stub::send`; then
  /// `notify` is not called.
  static void start(counted_ptr<DeferredCall> started, const CORBA::Object& target,
                    std::function<void()> notify);
  /// Ends the call with this exception. Called in place of `start`.
  void fail(std::exception_ptr exception) noexcept { exception_ = std::move(exception); }

  [[nodiscard]] bool ended() const noexcept { return !handle_ || handle_.ended(); }
  /// Blocks until `ended()`, and drives the ORB's asynchronous calls meanwhile.
  void wait() {
    if (handle_) handle_.wait();
  }
  /// The exception of the call; null if there are results. Call it when the call has ended.
  [[nodiscard]] const std::exception_ptr& exception() const noexcept { return exception_; }
  [[nodiscard]] DynamicCall& results() noexcept { return call_; }

 private:
  void ended(stub::CallOutcome& outcome) noexcept override;
  /// Called twice: when `start` is done, and when the outcome is there. The second call calls
  /// `notify_`.
  void end_step() noexcept;

  DynamicCall call_;
  const CalledOperation operation_;
  stub::CallHandle handle_;  // of the Request; null if the call was not sent
  std::atomic<int> steps_left_{2};
  std::function<void()> notify_;
  std::exception_ptr exception_;
  counted_ptr<DeferredCall> self_;  // until the call has ended
};

}  // namespace perigee::dynamic
