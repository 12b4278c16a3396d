// Sets a socket's own time-out of sending (SO_SNDTIMEO) for one call. Private to ipc.
#pragma once

#include <perigee/ipc/io.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace perigee::ipc::io {

/// The destructor restores the earlier time-out if `set` was called.
class ScopedSendTimeout {
 public:
  explicit ScopedSendTimeout(int fd) noexcept : fd_(fd) {}
  ~ScopedSendTimeout() {
    // This fails only if the handle is closed. Then there is no time-out to restore.
    if (is_set_) static_cast<void>(set_option(fd_, OptionName::send_timeout, before_));
  }
  ScopedSendTimeout(const ScopedSendTimeout&) = delete;
  ScopedSendTimeout& operator=(const ScopedSendTimeout&) = delete;

  /// Sets at least a microsecond, because zero would mean no limit. Fails for a handle that is not
  /// a socket.
  Status set(std::chrono::nanoseconds time) noexcept {
    if (!is_set_) {
      const auto before = get_option(fd_, OptionName::send_timeout);
      if (!before) return std::unexpected(before.error());
      before_ = *before;
    }
    const std::int64_t us = std::chrono::ceil<std::chrono::microseconds>(time).count();
    const auto status = set_option(fd_, OptionName::send_timeout, std::max<std::int64_t>(us, 1));
    is_set_ |= status.has_value();
    return status;
  }

 private:
  int fd_;
  std::int64_t before_ = 0;
  bool is_set_ = false;
};

}  // namespace perigee::ipc::io
