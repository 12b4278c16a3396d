// Making handles and connections: open, connect, listen, accept, names.
#include "ipc/connections.h"

#include "ipc/deadline.h"
#include "ipc/failure.h"
#include "ipc/native_address.h"
#include "ipc/send_timeout.h"
#include <perigee/ipc/io.h>
#include <perigee/ipc/io_local.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace perigee::ipc {

bool concerns_the_peer_only(int error) noexcept {
  switch (error) {
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
    case ENETDOWN:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case ENONET:
    case EHOSTUNREACH:
    case ENETUNREACH:
      return true;
    default:
      return false;
  }
}

}  // namespace perigee::ipc

namespace perigee::ipc::io {
namespace {

/// The system limits it to net.core.somaxconn.
constexpr int backlog = 4096;

Status status_of(int result) noexcept {
  if (result == -1) return failure(errno);
  return {};
}

Result<Handle> open_socket(int domain, int type, Blocking blocking) {
  const int flags = SOCK_CLOEXEC | (blocking == Blocking::no ? SOCK_NONBLOCK : 0);
  const int fd = ::socket(domain, type | flags, 0);
  if (fd == -1) return failure(errno);
  return Handle(fd);
}

/// A connect waits as long as SO_SNDTIMEO says, in every domain. A poll would not work for local
/// sockets, which do not connect in the background. A repeated call after a signal goes on waiting.
Status connect_native(int fd, NativeAddress remote, TimeLimit limit) {
  const Deadline deadline(limit);
  ScopedSendTimeout timeout(fd);
  for (;;) {
    if (!deadline.is_forever()) {
      const auto left = deadline.left();
      if (left == left.zero()) return failure(ETIMEDOUT);
      if (auto set = timeout.set(left); !set) return set;
    }
    if (::connect(fd, remote.data, remote.size) == 0 || errno == EISCONN) return {};
    if (errno == EINTR) continue;
    const bool passed = errno == EINPROGRESS || errno == EAGAIN || errno == EALREADY;
    return failure(passed && !deadline.is_forever() ? ETIMEDOUT : errno);
  }
}

Status start_native(int fd, NativeAddress remote) {
  if (::connect(fd, remote.data, remote.size) == 0) return {};
  if (errno == EINPROGRESS || errno == EINTR) return {};
  return failure(errno);
}

Status listen_native(int fd, NativeAddress local) {
  if (::bind(fd, local.data, local.size) == -1) return failure(errno);
  return status_of(::listen(fd, backlog));
}

template <typename Address>
Status native_name(int fd, Side side, Address& address) {
  auto* space = static_cast<sockaddr*>(address.native_space());
  socklen_t size = Address::native_space_size();
  const int result =
      side == Side::local ? ::getsockname(fd, space, &size) : ::getpeername(fd, space, &size);
  if (result == -1) return failure(errno);
  if (address.accept_native(size)) return {};
  address = Address{};
  return failure(EAFNOSUPPORT);
}

}  // namespace

Result<Handle> open_stream(const InetAddr& address, Blocking blocking) {
  return open_socket(address.version() == InetAddr::Version::v4 ? AF_INET : AF_INET6, SOCK_STREAM,
                     blocking);
}
Result<Handle> open_stream(const UnixAddr&, Blocking blocking) {
  return open_socket(AF_UNIX, SOCK_STREAM, blocking);
}
Result<Handle> open_stream(const SPipeAddr&, Blocking blocking) {
  auto handle = open_socket(AF_UNIX, SOCK_SEQPACKET, blocking);
  if (!handle) return handle;
  // Accepted connections inherit the option.
  if (const auto status = keep_records(handle->get()); !status) {
    return std::unexpected(status.error());
  }
  return handle;
}

Status connect(int fd, const InetAddr& remote, TimeLimit limit) {
  return connect_native(fd, NativeAddress(remote), limit);
}
Status connect(int fd, const UnixAddr& remote, TimeLimit limit) {
  return connect_native(fd, NativeAddress(remote), limit);
}
Status connect(int fd, const SPipeAddr& remote, TimeLimit limit) {
  return connect(fd, remote.unix_name(), limit);
}

Status start_connect(int fd, const InetAddr& remote) {
  return start_native(fd, NativeAddress(remote));
}
Status start_connect(int fd, const UnixAddr& remote) {
  return start_native(fd, NativeAddress(remote));
}
Status start_connect(int fd, const SPipeAddr& remote) {
  return start_connect(fd, remote.unix_name());
}

Status finish_connect(int fd, TimeLimit limit) {
  if (const auto waited = wait_ready(fd, POLLOUT, Deadline(limit)); waited.error != 0) {
    return failure(waited.error);
  }
  int error = 0;
  socklen_t size = sizeof(error);
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == -1) return failure(errno);
  if (error != 0) return failure(error);
  // SO_ERROR reports the error only once. If this function is called again, getpeername tells a
  // failed connect from a connection.
  sockaddr_storage peer;
  socklen_t peer_size = sizeof(peer);
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &peer_size) == -1)
    return failure(errno);
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags == -1) return failure(errno);
  return status_of(::fcntl(fd, F_SETFL, flags & ~O_NONBLOCK));
}

Status listen(int fd, const InetAddr& local) { return listen_native(fd, NativeAddress(local)); }
Status listen(int fd, const UnixAddr& local) { return listen_native(fd, NativeAddress(local)); }
Status listen(int fd, const SPipeAddr& local) { return listen(fd, local.unix_name()); }

Result<Handle> accept(int fd, TimeLimit limit) {
  const Deadline deadline(limit);
  for (;;) {
    const int accepted = ::accept4(fd, nullptr, nullptr, SOCK_CLOEXEC);
    if (accepted != -1) return Handle(accepted);
    if (concerns_the_peer_only(errno)) continue;
    if (errno != EAGAIN) return failure(errno);
    const auto waited = wait_ready(fd, POLLIN, deadline);
    if (waited.error != 0) return failure(waited.error);
    // After a shutdown, accept4 fails with EINVAL on a TCP handle. A local handle only hangs up.
    if (waited.hung_up) return failure(EINVAL);
  }
}

Status name_of(int fd, Side side, InetAddr& address) { return native_name(fd, side, address); }
Status name_of(int fd, Side side, UnixAddr& address) { return native_name(fd, side, address); }
Status name_of(int fd, Side side, SPipeAddr& address) {
  UnixAddr name;
  const auto status = name_of(fd, side, name);
  if (status) address = SPipeAddr(name);
  return status;
}

void shutdown(int fd, Direction direction) noexcept {
  constexpr int how[] = {SHUT_WR, SHUT_RD, SHUT_RDWR};
  ::shutdown(fd, how[static_cast<std::size_t>(direction)]);
}

void remove_name(const UnixAddr& address) noexcept {
  if (address.kind() == UnixAddr::Kind::path) ::unlink(std::string(address.name()).c_str());
}

}  // namespace perigee::ipc::io
