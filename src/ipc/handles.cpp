// Handles and credentials that are sent over UNIX-domain sockets, and records.
#include "ipc/datagram_transfer.h"
#include "ipc/gather.h"
#include "ipc/transfer.h"
#include <perigee/ipc/io_dgram.h>
#include <perigee/ipc/io_local.h>

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace perigee::ipc::io {
namespace {

Result<std::array<Handle, 2>> pair_of(int type) {
  int fds[2];
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds) == -1) {
    return std::unexpected(std::error_code(errno, std::system_category()));
  }
  return std::array{Handle(fds[0]), Handle(fds[1])};
}

}  // namespace

Transfer send_message_again(int fd, const system_calls::Message& message,
                            TimeLimit limit) noexcept {
  NativeName receiver;
  receiver.data = message.name;
  receiver.size = message.name_size;
  return send_datagram_after({0, errno}, fd, receiver, limit, [&](int flags) {
    return system_calls::perigee_system_sendmsg(fd, &message, MSG_NOSIGNAL | flags);
  });
}

// A failed call does not change the message, so each try can use it.
Transfer recv_message_again(int fd, system_calls::Message& message, TimeLimit limit) noexcept {
  return transfer_again(fd, POLLIN, limit, [&](int flags) {
    return system_calls::perigee_system_recvmsg(fd, &message, MSG_CMSG_CLOEXEC | flags);
  });
}

int refuse_handles(const system_calls::Message& message, std::span<Handle> handles,
                   std::size_t arrived) noexcept {
  for (Handle& taken : handles.first(std::min(arrived, handles.size()))) {
    static_cast<void>(taken.release());
  }
  system_calls::for_each_handle(message, [](int passed) { close_handle(passed); });
  // The kernel truncates if the space ends, or if the process may have no more handles.
  const bool has_no_more = (message.flags & MSG_CTRUNC) != 0 && arrived < handles.size();
  return has_no_more && (message.flags & MSG_TRUNC) == 0 ? EMFILE : EMSGSIZE;
}

Transfer send_handles_to(int fd, OctetSpan octets, std::span<const int> handles, const UnixAddr& to,
                         TimeLimit limit) noexcept {
  system_calls::Message message{.name = const_cast<void*>(to.native()),
                                .name_size = to.native_size()};
  return send_with_handles(fd, octets, handles, message, limit);
}

MessageTransfer recv_handles_from(int fd, MutableOctetSpan space, std::span<Handle> handles,
                                  UnixAddr& sender, TimeLimit limit) noexcept {
  system_calls::Message message{.name = sender.native_space(),
                                .name_size = UnixAddr::native_space_size()};
  const MessageTransfer result = recv_with_handles(fd, space, handles, message, limit);
  sender.accept_native(message.name_size);
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
  const system_calls::Message message{.vectors = system_calls::vectors_of(segments),
                                      .vector_count = segments.size()};
  return send_message(fd, message, limit);
}

MessageTransfer recv_record(int fd, std::span<const MutableOctetSpan> all,
                            TimeLimit limit) noexcept {
  const auto spaces = first_batch(all);
  system_calls::CredentialsSpace control;
  system_calls::Message message{.vectors = system_calls::vectors_of(spaces),
                                .vector_count = spaces.size(),
                                .control = &control,
                                .control_size = sizeof(control)};
  const Transfer moved = recv_message(fd, message, limit);
  return record_of(message, moved);
}

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
