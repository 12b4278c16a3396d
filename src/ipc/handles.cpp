// Handles and credentials that travel over UNIX-domain sockets, and records.
#include "ipc/datagram_transfer.h"
#include "ipc/transfer.h"
#include <perigee/ipc/io_dgram.h>
#include <perigee/ipc/io_local.h>

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace perigee::ipc::io {
namespace {

constexpr std::size_t credentials_space = CMSG_SPACE(sizeof(ucred));
constexpr std::size_t handles_space = CMSG_SPACE(sizeof(int) * handles_max);

/// Room for control data, aligned for its headers. Not initialised: the kernel fills it in.
template <std::size_t size>
struct alignas(cmsghdr) ControlSpace {
  char octets[size];
};

/// Calls `visit` with each handle in the message's control data.
template <typename Visit>
void for_each_handle(msghdr& message, Visit&& visit) noexcept {
  for (cmsghdr* control = CMSG_FIRSTHDR(&message); control != nullptr;
       control = CMSG_NXTHDR(&message, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t index = 0; index < count; ++index) {
      int fd = Handle::none;
      std::memcpy(&fd, CMSG_DATA(control) + index * sizeof(int), sizeof(int));
      visit(fd);
    }
  }
}

/// Takes over the handles of a message that has arrived. All of them, or none: a part would be of
/// no use to anybody, and what nobody owns would leak.
void take_handles(msghdr& message, std::span<Handle> handles, MessageTransfer& result) noexcept {
  std::size_t arrived = 0;
  for_each_handle(message, [&](int) { ++arrived; });
  const bool cut = (message.msg_flags & MSG_CTRUNC) != 0;
  if (result.error == 0 && (cut || arrived > handles.size())) {
    // The kernel cuts where the space ends, or where the process may have no more handles.
    result.error = cut && arrived < handles.size() ? EMFILE : EMSGSIZE;
  }
  for_each_handle(message, [&](int fd) {
    Handle handle(fd);
    if (result.error == 0) handles[result.handle_count++] = std::move(handle);
  });
}

Transfer receive(int fd, msghdr& message, TimeLimit limit) noexcept {
  const std::size_t control_size = message.msg_controllen;
  const auto call = [&](int flags) {
    message.msg_controllen = control_size;
    return ::recvmsg(fd, &message, MSG_CMSG_CLOEXEC | flags);
  };
  return transfer_by_flags(fd, POLLIN, limit, call);
}

/// To whom the message's name says, if it has one.
Transfer send(int fd, const msghdr& message, TimeLimit limit) noexcept {
  NativeName receiver;
  receiver.data = message.msg_name;
  receiver.size = message.msg_namelen;
  return send_datagram_by_flags(fd, receiver, limit, [&](int flags) {
    return ::sendmsg(fd, &message, MSG_NOSIGNAL | flags);
  });
}

/// Segments as the system takes them, without empty ones and no more than it takes. Not
/// initialised: only what is used is touched.
struct Vectors {
  iovec entries[segments_max];

  template <typename Segment>
  void set(msghdr& message, std::span<const Segment> segments) noexcept {
    std::size_t count = 0;
    for (const Segment& segment : segments) {
      if (segment.empty()) continue;
      if (count == segments_max) break;
      entries[count].iov_base = const_cast<std::byte*>(segment.data());
      entries[count++].iov_len = segment.size();
    }
    message.msg_iov = entries;
    message.msg_iovlen = count;
  }
};

MessageTransfer receive_with_handles(int fd, MutableOctetSpan space, std::span<Handle> handles,
                                     TimeLimit limit, msghdr& message) noexcept {
  ControlSpace<credentials_space + handles_space> control;
  iovec vector{space.data(), space.size()};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control.octets;
  // Room for credentials is added as some sockets get them; without them it is room for handles,
  // which are counted and closed if they are too many.
  message.msg_controllen = std::min(credentials_space + CMSG_SPACE(handles.size() * sizeof(int)),
                                    sizeof(control.octets));
  const Transfer moved = receive(fd, message, limit);
  MessageTransfer result{moved.count, 0, moved.error, false};
  if (moved.error != 0) return result;
  if ((message.msg_flags & MSG_TRUNC) != 0) result.error = EMSGSIZE;
  take_handles(message, handles, result);
  return result;
}

Result<std::array<Handle, 2>> pair_of(int type) {
  int fds[2];
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds) == -1) {
    return std::unexpected(std::error_code(errno, std::system_category()));
  }
  return std::array{Handle(fds[0]), Handle(fds[1])};
}

}  // namespace

namespace {
/// `message` may have an address.
Transfer send_with_handles(int fd, OctetSpan octets, std::span<const int> handles, TimeLimit limit,
                           msghdr& message) noexcept {
  if (handles.size() > handles_max) return {0, EINVAL};
  ControlSpace<handles_space> control;
  iovec vector{const_cast<std::byte*>(octets.data()), octets.size()};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  if (!handles.empty()) {
    std::memset(control.octets, 0, CMSG_SPACE(handles.size_bytes()));  // its padding, too
    message.msg_control = control.octets;
    message.msg_controllen = CMSG_SPACE(handles.size_bytes());
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(handles.size_bytes());
    std::memcpy(CMSG_DATA(header), handles.data(), handles.size_bytes());
  }
  return send(fd, message, limit);
}
}  // namespace

Transfer send_handles(int fd, OctetSpan octets, std::span<const int> handles,
                      TimeLimit limit) noexcept {
  msghdr message{};
  return send_with_handles(fd, octets, handles, limit, message);
}

Transfer send_handles_to(int fd, OctetSpan octets, std::span<const int> handles, const UnixAddr& to,
                         TimeLimit limit) noexcept {
  msghdr message{};
  message.msg_name = const_cast<void*>(to.native());
  message.msg_namelen = to.native_size();
  return send_with_handles(fd, octets, handles, limit, message);
}

MessageTransfer recv_handles_from(int fd, MutableOctetSpan space, std::span<Handle> handles,
                                  UnixAddr& sender, TimeLimit limit) noexcept {
  msghdr message{};
  message.msg_name = sender.native_space();
  message.msg_namelen = UnixAddr::native_space_size();
  const MessageTransfer result = receive_with_handles(fd, space, handles, limit, message);
  sender.accept_native(message.msg_namelen);
  return result;
}

MessageTransfer recv_handles(int fd, MutableOctetSpan space, std::span<Handle> handles,
                             TimeLimit limit) noexcept {
  msghdr message{};
  MessageTransfer result = receive_with_handles(fd, space, handles, limit, message);
  result.is_end = result.error == 0 && result.count == 0;
  return result;
}

MessageTransfer recv_record_handles(int fd, MutableOctetSpan space, std::span<Handle> handles,
                                    TimeLimit limit) noexcept {
  msghdr message{};
  MessageTransfer result = receive_with_handles(fd, space, handles, limit, message);
  result.is_end = result.error == 0 && message.msg_controllen == 0;
  return result;
}

Result<PeerCredentials> peer_credentials(int fd) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == -1) {
    return std::unexpected(std::error_code(errno, std::system_category()));
  }
  return PeerCredentials{peer.pid, peer.uid, peer.gid};
}

Transfer send_record(int fd, std::span<const OctetSpan> segments, TimeLimit limit) noexcept {
  if (segments.size() > segments_max) return {0, EMSGSIZE};
  Vectors vectors;
  msghdr message{};
  vectors.set(message, segments);
  return send(fd, message, limit);
}

MessageTransfer recv_record(int fd, std::span<const MutableOctetSpan> spaces,
                            TimeLimit limit) noexcept {
  Vectors vectors;
  ControlSpace<credentials_space> control;
  msghdr message{};
  vectors.set(message, spaces);
  message.msg_control = control.octets;
  message.msg_controllen = sizeof(control.octets);
  const Transfer moved = receive(fd, message, limit);
  MessageTransfer result{moved.count, 0, moved.error, false};
  if (moved.error != 0) return result;
  if ((message.msg_flags & MSG_TRUNC) != 0) result.error = EMSGSIZE;
  // Each record comes with its sender's credentials (see keep_records); the end of the stream,
  // which gives 0 octets as an empty record does, has none.
  result.is_end = message.msg_controllen == 0;
  return result;
}

MessageTransfer recv_record_again(int fd, MutableOctetSpan space, TimeLimit limit) noexcept {
  const bool is_over = errno != EINTR && (errno != EAGAIN || !can_wait(limit));
  if (is_over) return {0, 0, errno, false};
  return recv_record(fd, std::span<const MutableOctetSpan>(&space, 1), limit);
}

MessageTransfer truncated_record() noexcept { return {0, 0, EMSGSIZE, false}; }

Status keep_records(int fd) noexcept {
  const int on = 1;
  if (::setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) == 0) return {};
  return std::unexpected(std::error_code(errno, std::system_category()));
}

Result<std::array<Handle, 2>> stream_pair() { return pair_of(SOCK_STREAM); }
Result<std::array<Handle, 2>> record_pair() {
  auto pair = pair_of(SOCK_SEQPACKET);
  if (!pair) return pair;
  for (const Handle& end : *pair) {
    if (const auto status = keep_records(end.get()); !status)
      return std::unexpected(status.error());
  }
  return pair;
}
Result<std::array<Handle, 2>> dgram_pair() { return pair_of(SOCK_DGRAM); }

}  // namespace perigee::ipc::io
