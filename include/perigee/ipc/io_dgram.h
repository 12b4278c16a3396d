// The system calls of datagram sockets. A transfer that succeeds at once is inline; the rest is in
// src/ipc. Use the wrappers.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/ipc/control_data.h>
#include <perigee/ipc/handle.h>
#include <perigee/ipc/inet_addr.h>
#include <perigee/ipc/interface.h>
#include <perigee/ipc/io.h>
#include <perigee/ipc/io_local.h>
#include <perigee/ipc/mcast_addr.h>
#include <perigee/ipc/system_calls.h>
#include <perigee/ipc/unix_addr.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>
#include <vector>

namespace perigee::ipc::io {

/// An address that a system call reads (NativeName) or writes (NativeSpace).
struct NativeName {
  const void* data = nullptr;
  std::uint32_t size = 0;

  NativeName() noexcept = default;
  template <typename Address>
  explicit NativeName(const Address& address) noexcept
      : data(address.native()), size(address.native_size()) {}
};
struct NativeSpace {
  void* data = nullptr;
  std::uint32_t* size = nullptr;
};

/// @name The parts of the inline functions below that are in src/ipc: they continue after a call
/// that has just failed. See io.h.
/// @{
PERIGEE_API Transfer send_to_again(int fd, OctetSpan octets, NativeName to,
                                   TimeLimit limit) noexcept;
PERIGEE_API Transfer recv_from_again(int fd, MutableOctetSpan space, NativeSpace sender,
                                     TimeLimit limit) noexcept;
PERIGEE_API Transfer recv_datagram_again(int fd, MutableOctetSpan space, TimeLimit limit) noexcept;
/// @}

/// Sends one datagram, whole or not at all.
template <typename Address>
[[gnu::always_inline]] inline Transfer send_to(int fd, OctetSpan octets, const Address& to,
                                               TimeLimit limit) noexcept {
  const auto count = system_calls::perigee_system_sendto(
      fd, octets.data(), octets.size(), system_calls::no_signal | flags_within(limit), to.native(),
      to.native_size());
  if (count >= 0) [[likely]]
    return {static_cast<std::size_t>(count), 0};
  return send_to_again(fd, octets, NativeName(to), limit);
}
/// Sends one datagram of at most `segments_max` segments. Without an address, sends it to the peer.
PERIGEE_API Transfer send_datagram(int fd, std::span<const OctetSpan> segments, NativeName to,
                                   TimeLimit limit) noexcept;

/// Receives one datagram. The count is the size of the whole datagram, even if `space` was too
/// small.
template <typename Address>
[[gnu::always_inline]] inline Transfer recv_from(int fd, MutableOctetSpan space, Address& sender,
                                                 TimeLimit limit) noexcept {
  std::uint32_t size = Address::native_space_size();
  Transfer moved;
  const auto count = system_calls::perigee_system_recvfrom(
      fd, space.data(), space.size(), system_calls::whole_size | flags_within(limit),
      sender.native_space(), &size);
  if (count >= 0) [[likely]] {
    moved.count = static_cast<std::size_t>(count);
  } else {
    moved = recv_from_again(fd, space, {sender.native_space(), &size}, limit);
  }
  sender.accept_native(size);
  return moved;
}
/// Receives one datagram from the peer to which the socket is connected.
[[gnu::always_inline]] inline Transfer recv_datagram(int fd, MutableOctetSpan space,
                                                     TimeLimit limit) noexcept {
  const auto count = system_calls::perigee_system_recv(
      fd, space.data(), space.size(), system_calls::whole_size | flags_within(limit));
  if (count >= 0) [[likely]]
    return {static_cast<std::size_t>(count), 0};
  return recv_datagram_again(fd, space, limit);
}

/// @name A datagram socket of the address's domain, and its local address.
/// @{
PERIGEE_API Result<Handle> open_dgram(const InetAddr& address);
PERIGEE_API Result<Handle> open_dgram(const UnixAddr& address);
/// A socket that will be connected. A local socket gets a name, since its peer could not reply
/// otherwise.
PERIGEE_API Result<Handle> open_codgram(const InetAddr& peer);
PERIGEE_API Result<Handle> open_codgram(const UnixAddr& peer);
PERIGEE_API Status bind(int fd, const InetAddr& local);
PERIGEE_API Status bind(int fd, const UnixAddr& local);
/// @}

/// @name Send and receive handles with a datagram, over UNIX-domain sockets; see io_local.h. If the
/// datagram does not fit, these functions fail with EMSGSIZE.
/// @{
PERIGEE_API Transfer send_handles_to(int fd, OctetSpan octets, std::span<const int> handles,
                                     const UnixAddr& to, TimeLimit limit) noexcept;
PERIGEE_API MessageTransfer recv_handles_from(int fd, MutableOctetSpan space,
                                              std::span<Handle> handles, UnixAddr& sender,
                                              TimeLimit limit) noexcept;
/// @}

/// Interfaces that are up and can broadcast. Errors: ENETUNREACH if there is no such interface.
PERIGEE_API Result<std::vector<Interface>> broadcast_interfaces();
/// Lets a socket broadcast.
PERIGEE_API Status allow_broadcast(int fd);
/// A datagram to all hosts (255.255.255.255) on one link after the other.
struct Broadcast {
  OctetSpan octets;
  InetAddr everybody;
  system_calls::LinkControl link;
  system_calls::Message message;

  Broadcast(OctetSpan content, std::uint16_t port) noexcept
      : octets(content), everybody(InetAddr::v4({255, 255, 255, 255}, port)) {
    message = {.name = everybody.native_space(),
               .name_size = everybody.native_size(),
               .vectors = system_calls::vectors_of(std::span<const OctetSpan>(&octets, 1)),
               .vector_count = 1,
               .control = &link,
               .control_size = sizeof(link)};
  }
  const system_calls::Message* by(Interface interface) noexcept {
    link.index = static_cast<int>(interface.index());
    return &message;
  }
};
/// The part of `broadcast` that is in src/ipc: continues when a call has just failed. The datagram
/// has left on the first `sent` links.
PERIGEE_API Transfer broadcast_rest(int fd, Broadcast& datagram, std::span<const Interface> by,
                                    std::size_t sent, TimeLimit limit) noexcept;
/// Sends to all hosts on the links of these interfaces. IPv4 only. The count is the number of
/// links; an error only if the datagram left on no link.
[[gnu::always_inline]] inline Transfer broadcast(int fd, OctetSpan octets, std::uint16_t port,
                                                 std::span<const Interface> by,
                                                 TimeLimit limit) noexcept {
  // A socket that is not open has no interfaces.
  if (by.empty()) return {0, static_cast<int>(std::errc::bad_file_descriptor)};
  Broadcast datagram(octets, port);
  std::size_t sent = 0;
  do {
    const auto count = system_calls::perigee_system_sendmsg(
        fd, datagram.by(by[sent]), system_calls::no_signal | flags_within(limit));
    if (count < 0) [[unlikely]]
      return broadcast_rest(fd, datagram, by, sent, limit);
  } while (++sent != by.size());
  return {sent, 0};
}

/// Limits a socket to the groups that it joins itself. Otherwise the system also delivers datagrams
/// to groups that other sockets have joined.
PERIGEE_API Status only_own_groups(int fd, const InetAddr& local);
PERIGEE_API Status join_group(int fd, const McastAddr& group, Interface on);
PERIGEE_API Status leave_group(int fd, const McastAddr& group, Interface on);

}  // namespace perigee::ipc::io
