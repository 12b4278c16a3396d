// Adopts handles that other code has opened: checks or sets the properties that a class relies on.
#include "ipc/failure.h"
#include <perigee/ipc/io_dgram.h>
#include <perigee/ipc/io_local.h>
#include <perigee/ipc/options.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>

namespace perigee::ipc::io {
namespace {

constexpr SocketKinds every_local = SocketKinds::local_stream | SocketKinds::local_acceptor |
                                    SocketKinds::record_stream | SocketKinds::record_acceptor |
                                    SocketKinds::local_dgram | SocketKinds::local_codgram;
constexpr SocketKinds every_record = SocketKinds::record_stream | SocketKinds::record_acceptor;
constexpr SocketKinds every_connected_dgram =
    SocketKinds::inet_codgram | SocketKinds::local_codgram;
constexpr SocketKinds every_pipe = SocketKinds::pipe_sender | SocketKinds::pipe_receiver;

Result<int> number_of(int fd, int option) noexcept {
  int value = 0;
  socklen_t size = sizeof(value);
  if (::getsockopt(fd, SOL_SOCKET, option, &value, &size) == -1) return failure(errno);
  return value;
}

int type_of(SocketKinds kind) noexcept {
  if (intersect(kind, every_record)) return SOCK_SEQPACKET;
  return intersect(kind, detail::every_dgram) ? SOCK_DGRAM : SOCK_STREAM;
}

bool is_domain_of(int domain, SocketKinds kind) noexcept {
  if (intersect(kind, every_local)) return domain == AF_UNIX;
  if (intersect(kind, SocketKinds::inet_bcast)) return domain == AF_INET;
  return domain == AF_INET || domain == AF_INET6;
}

Status check_socket(int fd, SocketKinds kind) noexcept {
  const auto domain = number_of(fd, SO_DOMAIN);
  const auto type = number_of(fd, SO_TYPE);
  const auto listens = number_of(fd, SO_ACCEPTCONN);
  if (!domain) return failure(domain.error().value());
  if (!type || !listens) return failure(EINVAL);
  if (!is_domain_of(*domain, kind) || *type != type_of(kind)) return failure(EPROTOTYPE);
  if ((*listens != 0) != intersect(kind, detail::every_acceptor)) return failure(EINVAL);
  if (!intersect(kind, every_connected_dgram)) return {};
  sockaddr_storage peer;
  socklen_t size = sizeof(peer);
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == -1) return failure(errno);
  return {};
}

Status check_pipe(int fd, SocketKinds kind, int flags) noexcept {
  struct stat status{};
  if (::fstat(fd, &status) == -1) return failure(errno);
  if (!S_ISFIFO(status.st_mode)) return failure(EOPNOTSUPP);
  const int other_end = intersect(kind, SocketKinds::pipe_sender) ? O_RDONLY : O_WRONLY;
  if ((flags & O_ACCMODE) == other_end) return failure(EBADF);
  return {};
}

/// Acceptors wait by poll. All other handles, and acceptors over io_uring, wait in the call itself.
Status set_mode(int fd, SocketKinds kind, int flags) noexcept {
  const bool waits_by_poll =
      intersect(kind, detail::every_acceptor) && !intersect(kind, SocketKinds::ring_acceptor);
  const int wanted = waits_by_poll ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
  if (wanted != flags && ::fcntl(fd, F_SETFL, wanted) == -1) return failure(errno);
  return {};
}

}  // namespace

Status make_fit(int fd, SocketKinds kind) noexcept {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags == -1) return failure(errno);
  const auto checked =
      intersect(kind, every_pipe) ? check_pipe(fd, kind, flags) : check_socket(fd, kind);
  if (!checked) return checked;
  if (const auto status = set_mode(fd, kind, flags); !status) return status;
  if (intersect(kind, every_record)) return keep_records(fd);
  if (!intersect(kind, SocketKinds::inet_mcast)) return {};
  const bool is_v6 = number_of(fd, SO_DOMAIN).value_or(AF_INET) == AF_INET6;
  return only_own_groups(fd, is_v6 ? InetAddr::any_v6() : InetAddr::any());
}

}  // namespace perigee::ipc::io
