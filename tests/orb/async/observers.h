// Observers of asynchronous calls, and functions that drive these calls, for tests.
#pragma once

#include "orb/async/async_engine.h"
#include "orb/core/orb_core.h"
#include <perigee/orb/async_stub.h>
#include <perigee/orb/exceptions.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace perigee::test {

inline constexpr stub::Operation act_operation{"act", stub::Operation::Kind::twoway, {}};

/// Remembers a call's outcome. Outlives the call.
class Observed final : public stub::CallObserver {
 public:
  Observed() = default;
  /// `then` runs when the call has ended.
  explicit Observed(std::function<void()> then) : then_(std::move(then)) {}

  void ended(stub::CallOutcome& outcome) noexcept override {
    std::uint32_t value = 0;
    failure_ = outcome.decode([&value](cdr::Decoder& results) {
      value = results.remaining() != 0 ? results.read<std::uint32_t>() : 0;
    });
    value_ = value;
    const auto then = std::move(then_);
    ++times_;  // from now on, a test that waits on another thread may destroy this object
    if (then) then();
  }

  [[nodiscard]] bool done() const noexcept { return times_ != 0; }
  /// How often the observer was told.
  [[nodiscard]] int times() const noexcept { return times_; }
  [[nodiscard]] bool failed() const noexcept { return failure_ != nullptr; }
  [[nodiscard]] std::uint32_t value() const noexcept { return value_; }
  /// Describes the outcome for messages of tests.
  [[nodiscard]] std::string text() const {
    try {
      if (failure_) std::rethrow_exception(failure_);
    } catch (const std::exception& exception) {
      return exception.what();
    }
    return "no failure";
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  /// The exception, which must be an E.
  template <typename E>
  [[nodiscard]] E failure() const {
    try {
      if (failure_) std::rethrow_exception(failure_);
    } catch (const E& exception) {
      return exception;
    }
    throw std::logic_error("the call did not fail");
  }

 private:
  std::function<void()> then_;
  std::exception_ptr failure_;
  std::uint32_t value_ = 0;
  std::atomic<int> times_ = 0;
};

/// An argument of the "act" operation.
inline stub::Arguments number(std::uint32_t value) {
  return {[value](cdr::Encoder& encoder) { encoder.write(value); }};
}

/// Runs turns of the client's loop, without waiting, until there is nothing to do.
inline void work(orb::OrbCore& core) {
  do core.async().client_loop().perform_work();
  while (core.async().client_loop().work_pending());
}

/// Drives the asynchronous calls of threads without a loop, on the calling thread.
inline void drive(orb::OrbCore& core, function_ref<bool()> done) {
  (void)core.async().client_loop().drive_until(done);
}

}  // namespace perigee::test
