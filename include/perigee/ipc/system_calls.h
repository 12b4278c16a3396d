// Declares the functions of the C library that the inline transfers call. Use the wrappers instead.
// Public headers include no header of the operating system, and a call through src/ipc would cost
// more instructions than the wrappers themselves. Each function has a name of Perigee's own, so
// that the declarations do not clash with the headers of the C library. src/ipc/system_calls.cpp
// compares the declarations with those headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace perigee::ipc::system_calls {

/// @name The flags of the calls below (MSG_…).
/// @{
inline constexpr int no_signal = 0x4000;
inline constexpr int dont_wait = 0x40;
/// Asks for the whole size of a datagram, even if it does not fit (MSG_TRUNC).
inline constexpr int whole_size = 0x20;
inline constexpr int close_on_exec = 0x40000000;  ///< for received handles (MSG_CMSG_CLOEXEC)
/// @}
/// @name Flags of a received message (Message::flags).
/// @{
inline constexpr int cut = 0x20;          ///< octets did not fit (MSG_TRUNC)
inline constexpr int control_cut = 0x08;  ///< control data did not fit (MSG_CTRUNC)
/// @}

/// @name Like iovec and msghdr.
/// @{
struct Vector {
  void* data = nullptr;
  std::size_t size = 0;
};
struct Message {
  void* name = nullptr;
  std::uint32_t name_size = 0;
  Vector* vectors = nullptr;
  std::size_t vector_count = 0;
  void* control = nullptr;
  std::size_t control_size = 0;
  int flags = 0;
};
/// @}
/// The spans as an array of Vector. A span and a Vector have the same layout
/// (tests/ipc/address_test.cpp), and only the system reads the spans as vectors.
template <typename Segment>
[[nodiscard]] Vector* vectors_of(std::span<const Segment> segments) noexcept {
  static_assert(sizeof(Segment) == sizeof(Vector) && alignof(Segment) == alignof(Vector));
  return static_cast<Vector*>(const_cast<void*>(static_cast<const void*>(segments.data())));
}

extern "C" {
// NOLINTBEGIN(readability-identifier-naming)
std::ptrdiff_t perigee_system_send(int fd, const void* octets, std::size_t size,
                                   int flags) __asm__("send");
std::ptrdiff_t perigee_system_recv(int fd, void* space, std::size_t size,
                                   int flags) __asm__("recv");
std::ptrdiff_t perigee_system_sendto(int fd, const void* octets, std::size_t size, int flags,
                                     const void* address,
                                     std::uint32_t address_size) __asm__("sendto");
std::ptrdiff_t perigee_system_recvfrom(int fd, void* space, std::size_t size, int flags,
                                       void* address,
                                       std::uint32_t* address_size) __asm__("recvfrom");
std::ptrdiff_t perigee_system_write(int fd, const void* octets, std::size_t size) __asm__("write");
std::ptrdiff_t perigee_system_read(int fd, void* space, std::size_t size) __asm__("read");
std::ptrdiff_t perigee_system_sendmsg(int fd, const Message* message, int flags) __asm__("sendmsg");
std::ptrdiff_t perigee_system_recvmsg(int fd, Message* message, int flags) __asm__("recvmsg");
// NOLINTEND(readability-identifier-naming)
}

}  // namespace perigee::ipc::system_calls
