// Datagrams: opening sockets, transfers that are repeated or have a limit, broadcast and multicast.
#include "ipc/datagram_transfer.h"
#include "ipc/failure.h"
#include "ipc/gather.h"
#include "ipc/transfer.h"
#include <perigee/ipc/io_dgram.h>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace perigee::ipc::io {
namespace {

template <typename Value>
Status set_native(int fd, int level, int option, const Value& value) {
  if (::setsockopt(fd, level, option, &value, sizeof(value)) == -1) return failure(errno);
  return {};
}

Result<Handle> open_socket(int domain) {
  const int fd = ::socket(domain, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd == -1) return failure(errno);
  return Handle(fd);
}

template <typename Address>
Status bind_native(int fd, const Address& local) {
  const auto* address = static_cast<const sockaddr*>(local.native());
  if (::bind(fd, address, local.native_size()) == -1) return failure(errno);
  return {};
}

int level_of(const InetAddr& address) noexcept {
  return address.version() == InetAddr::Version::v4 ? IPPROTO_IP : IPPROTO_IPV6;
}

group_req request(const McastAddr& group, Interface on) noexcept {
  group_req result{};
  result.gr_interface = on.index();
  std::memcpy(&result.gr_group, group.inet().native(), group.inet().native_size());
  return result;
}

}  // namespace

Waited wait_for_room_of(NativeName receiver, const Deadline& deadline) noexcept {
  const auto* const address = static_cast<const sockaddr*>(receiver.data);
  if (address == nullptr || address->sa_family != AF_UNIX) return {};
  const Handle probe(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!probe || ::connect(probe.get(), address, receiver.size) == -1) return {errno};
  return wait_ready(probe.get(), POLLOUT, deadline);
}

Transfer send_to_again(int fd, OctetSpan octets, NativeName to, TimeLimit limit) noexcept {
  return send_datagram_after({0, errno}, fd, to, limit, [&](int flags) {
    return ::sendto(fd, octets.data(), octets.size(), MSG_NOSIGNAL | flags,
                    static_cast<const sockaddr*>(to.data), to.size);
  });
}

Transfer recv_from_again(int fd, MutableOctetSpan space, NativeSpace sender,
                         TimeLimit limit) noexcept {
  return transfer_again(fd, POLLIN, limit, [&](int flags) {
    return ::recvfrom(fd, space.data(), space.size(), MSG_TRUNC | flags,
                      static_cast<sockaddr*>(sender.data), sender.size);
  });
}

Transfer recv_datagram_again(int fd, MutableOctetSpan space, TimeLimit limit) noexcept {
  return transfer_again(fd, POLLIN, limit, [&](int flags) {
    return ::recv(fd, space.data(), space.size(), MSG_TRUNC | flags);
  });
}

Transfer send_datagram(int fd, std::span<const OctetSpan> segments, NativeName to,
                       TimeLimit limit) noexcept {
  if (segments.size() > segments_max) return {0, EMSGSIZE};
  Gather<OctetSpan> gather(segments);
  msghdr* message = gather.message();
  message->msg_name = const_cast<void*>(to.data);
  message->msg_namelen = to.size;
  return send_datagram_by_flags(
      fd, to, limit, [&](int flags) { return ::sendmsg(fd, message, MSG_NOSIGNAL | flags); });
}

Result<Handle> open_dgram(const InetAddr& address) {
  return open_socket(address.version() == InetAddr::Version::v4 ? AF_INET : AF_INET6);
}
Result<Handle> open_dgram(const UnixAddr&) { return open_socket(AF_UNIX); }
Result<Handle> open_codgram(const InetAddr& peer) { return open_dgram(peer); }
Result<Handle> open_codgram(const UnixAddr& peer) {
  auto handle = open_dgram(peer);
  if (!handle) return handle;
  if (const auto status = bind(handle->get(), UnixAddr{}); !status) {
    return std::unexpected(status.error());
  }
  return handle;
}
Status bind(int fd, const InetAddr& local) { return bind_native(fd, local); }
Status bind(int fd, const UnixAddr& local) { return bind_native(fd, local); }

Result<std::vector<Interface>> broadcast_interfaces() {
  const auto all = interfaces();
  if (!all) return std::unexpected(all.error());
  std::vector<Interface> able;
  for (const auto& info : *all) {
    if (info.is_up && info.has_broadcast) able.push_back(info.interface);
  }
  if (able.empty()) return failure(ENETUNREACH);
  return able;
}

Status allow_broadcast(int fd) { return set_native(fd, SOL_SOCKET, SO_BROADCAST, int{1}); }

Transfer broadcast_rest(int fd, Broadcast& datagram, std::span<const Interface> by,
                        std::size_t sent, TimeLimit limit) noexcept {
  Transfer result{sent, 0};
  Transfer before{0, errno};
  const Deadline deadline(limit);
  for (const Interface& interface : by.subspan(sent)) {
    const auto* const message = datagram.by(interface);
    const auto step =
        transfer_after_failure(before, fd, POLLOUT, deadline.remaining(), [&](int flags) {
          return system_calls::perigee_system_sendmsg(fd, message, MSG_NOSIGNAL | flags);
        });
    if (step.error == 0) {
      ++result.count;
    } else if (result.error == 0) {
      result.error = step.error;
    }
    before = {0, EINTR};  // there was no try yet on the next interface
  }
  if (result.count != 0) result.error = 0;
  return result;
}

Status only_own_groups(int fd, const InetAddr& local) {
  if (local.version() == InetAddr::Version::v4) {
    return set_native(fd, IPPROTO_IP, IP_MULTICAST_ALL, int{0});
  }
  constexpr int ipv6_multicast_all = 29;  // not in every C library's headers
  return set_native(fd, IPPROTO_IPV6, ipv6_multicast_all, int{0});
}

Status join_group(int fd, const McastAddr& group, Interface on) {
  return set_native(fd, level_of(group.inet()), MCAST_JOIN_GROUP, request(group, on));
}

Status leave_group(int fd, const McastAddr& group, Interface on) {
  return set_native(fd, level_of(group.inet()), MCAST_LEAVE_GROUP, request(group, on));
}

}  // namespace perigee::ipc::io
