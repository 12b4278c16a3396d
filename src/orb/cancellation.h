// Whether somebody still wants the answer to a request that is answered later.
#pragma once

#include <mutex>
#include <stop_token>

namespace perigee::orb {

/// Any thread. What a stop token needs is made when the first one is asked for.
class Cancellation {
 public:
  [[nodiscard]] std::stop_token token() {
    const std::lock_guard lock(mutex_);
    if (!source_.stop_possible()) {
      source_ = std::stop_source();
      if (requested_) source_.request_stop();  // nobody has registered anything with this one
    }
    return source_.get_token();
  }
  /// The caller calls `request_stop` of what it gets, when it holds no lock: that calls what the
  /// application has registered.
  [[nodiscard]] std::stop_source cancel() noexcept {
    const std::lock_guard lock(mutex_);
    requested_ = true;
    return source_;
  }
  [[nodiscard]] bool requested() noexcept {
    const std::lock_guard lock(mutex_);
    return requested_;
  }

 private:
  std::mutex mutex_;  // guards what follows
  bool requested_ = false;
  std::stop_source source_{std::nostopstate};
};

}  // namespace perigee::orb
