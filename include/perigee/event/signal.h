// A handle that becomes readable when somebody says so.
#pragma once

#include <perigee/base/export.h>
#include <perigee/ipc/handle.h>

namespace perigee::event {

/// For those who wait in a reactor for something that another thread does. Once raised it stays
/// readable.
class PERIGEE_API Signal {
 public:
  /// One that cannot be raised, and has no handle.
  Signal() noexcept = default;
  /// Without a handle if the system has none left.
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
