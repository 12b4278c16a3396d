// Addresses in the form of the system calls. Private to ipc.
#pragma once

#include <perigee/ipc/inet_addr.h>
#include <perigee/ipc/unix_addr.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace perigee::ipc {

/// An address of any domain, to be read by a system call. Refers to the caller's address.
struct NativeAddress {
  template <typename Address>
  explicit NativeAddress(const Address& address) noexcept
      : data(static_cast<const sockaddr*>(address.native())), size(address.native_size()) {}

  const sockaddr* data;
  socklen_t size;
};

/// Converts an address of the system.
[[nodiscard]] InetAddr from_native(const sockaddr_in& native) noexcept;
[[nodiscard]] InetAddr from_native(const sockaddr_in6& native) noexcept;

}  // namespace perigee::ipc
