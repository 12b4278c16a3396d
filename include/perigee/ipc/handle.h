// Owner of one operating-system handle. Move-only. Its only operation on the handle is to close it.
#pragma once

#include <perigee/base/export.h>

#include <utility>

namespace perigee::ipc {

/// Closes a handle. Errors are ignored, since the handle is closed in any case.
PERIGEE_API void close_handle(int fd) noexcept;

/// Owns a handle, or none. Adopting and releasing a handle are explicit.
class Handle {
 public:
  static constexpr int none = -1;

  constexpr Handle() noexcept = default;
  /// Takes ownership of `fd`.
  constexpr explicit Handle(int fd) noexcept : fd_(fd) {}
  constexpr Handle(Handle&& other) noexcept : fd_(std::exchange(other.fd_, none)) {}
  constexpr Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      close();
      fd_ = std::exchange(other.fd_, none);
    }
    return *this;
  }
  constexpr ~Handle() { close(); }

  /// Lends the handle.
  [[nodiscard]] constexpr int get() const noexcept { return fd_; }
  /// Releases the handle: the caller closes it.
  [[nodiscard]] constexpr int release() noexcept { return std::exchange(fd_, none); }
  constexpr void close() noexcept {
    if (fd_ != none) close_handle(std::exchange(fd_, none));
  }
  constexpr explicit operator bool() const noexcept { return fd_ != none; }

 private:
  int fd_ = none;
};

/// Base of the types that own a handle of a special kind: sockets, pipes and files.
class OwnedHandle {
 public:
  /// Lends the handle: it stays open as long as this object keeps it.
  [[nodiscard]] int handle() const noexcept { return handle_.get(); }
  /// Releases the handle: the caller closes it.
  [[nodiscard]] int release() noexcept { return handle_.release(); }
  void close() noexcept { handle_.close(); }
  [[nodiscard]] bool is_open() const noexcept { return static_cast<bool>(handle_); }

 protected:
  OwnedHandle() noexcept = default;
  explicit OwnedHandle(Handle handle) noexcept : handle_(std::move(handle)) {}

 private:
  Handle handle_;
};

}  // namespace perigee::ipc
