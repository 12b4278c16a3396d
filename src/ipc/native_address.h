// Addresses in the form that the system calls take. Private to ipc.
#pragma once

#include <perigee/ipc/inet_addr.h>
#include <perigee/ipc/unix_addr.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace perigee::ipc {

/// A socket address of any domain used here, and its size.
class NativeAddress {
 public:
  /// Room for what the system will fill in.
  NativeAddress() noexcept = default;
  explicit NativeAddress(const InetAddr& address) noexcept;
  explicit NativeAddress(const UnixAddr& address) noexcept;

  [[nodiscard]] const sockaddr* data() const noexcept { return &storage_.any; }
  [[nodiscard]] sockaddr* data() noexcept { return &storage_.any; }
  [[nodiscard]] socklen_t size() const noexcept { return size_; }
  [[nodiscard]] socklen_t* size_pointer() noexcept { return &size_; }

  /// False if it is of another domain.
  [[nodiscard]] bool get(InetAddr& address) const noexcept;
  [[nodiscard]] bool get(UnixAddr& address) const noexcept;

 private:
  union Storage {
    sockaddr_storage whole{};
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
    sockaddr_un local;
  };
  Storage storage_;
  socklen_t size_ = sizeof(Storage);
};

/// The address that the resolver gave.
[[nodiscard]] InetAddr from_native(const sockaddr_in& native) noexcept;
[[nodiscard]] InetAddr from_native(const sockaddr_in6& native) noexcept;

}  // namespace perigee::ipc
