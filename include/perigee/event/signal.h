// A handle that another thread can make readable.
#pragma once

#include <perigee/base/export.h>
#include <perigee/ipc/handle.h>

namespace perigee::event {

/// Wakes a thread that waits in a reactor. Once raised, the handle stays readable.
class PERIGEE_API Signal {
 public:
  /// A signal without a handle. Raising it has no effect.
  Signal() noexcept = default;
  /// Makes a signal. It has no handle if the system has no handle left.
  [[nodiscard]] static Signal make() noexcept;

  explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
  /// Any thread.
  void raise() const noexcept;
  [[nodiscard]] int handle() const noexcept { return handle_.get(); }

 private:
  explicit Signal(ipc::Handle handle) noexcept : handle_(std::move(handle)) {}

  ipc::Handle handle_;
};

}  // namespace perigee::event
