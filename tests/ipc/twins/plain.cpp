// The scripts in C calls, like a careful C program: it checks errors, repeats interrupted calls,
// raises no signal, and lets no handle be inherited. plain_files.cpp has the transfers with several
// system calls.
#include "plain_files.h"
#include "twins.h"

#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

namespace perigee::twins::plain {
namespace {

char message[message_size];
char space[message_size];

[[gnu::noinline]] int move_octets(int from, int to, long count) {
  for (long index = 0; index < count; ++index) {
    ssize_t sent;
    do {
      sent = send(from, message, sizeof(message), MSG_NOSIGNAL);
    } while (sent == -1 && errno == EINTR);
    if (sent == -1) return errno;
    if (sent != sizeof(message)) return -1;
    ssize_t received;
    do {
      received = recv(to, space, sizeof(space), 0);
    } while (received == -1 && errno == EINTR);
    if (received == -1) return errno;
    if (received == 0 || received != sizeof(space)) return -1;
  }
  return 0;
}

[[gnu::noinline]] int move_in_parts(int from, int to, long count) {
  for (long index = 0; index < count; ++index) {
    iovec segments[2] = {{message, 16}, {message + 16, sizeof(message) - 16}};
    msghdr leaving{};
    leaving.msg_iov = segments;
    leaving.msg_iovlen = 2;
    ssize_t sent;
    do {
      sent = sendmsg(from, &leaving, MSG_NOSIGNAL);
    } while (sent == -1 && errno == EINTR);
    if (sent == -1) return errno;
    if (sent != sizeof(message)) return -1;
    iovec spaces[2] = {{space, 16}, {space + 16, sizeof(space) - 16}};
    msghdr coming{};
    coming.msg_iov = spaces;
    coming.msg_iovlen = 2;
    ssize_t received;
    do {
      received = recvmsg(to, &coming, MSG_CMSG_CLOEXEC);
    } while (received == -1 && errno == EINTR);
    if (received == -1) return errno;
    if (received == 0 || received != sizeof(space)) return -1;
  }
  return 0;
}

[[gnu::noinline]] int move_through_pipe(int from, int to, long count) {
  for (long index = 0; index < count; ++index) {
    ssize_t sent;
    do {
      sent = write(from, message, sizeof(message));
    } while (sent == -1 && errno == EINTR);
    if (sent == -1) return errno;
    if (sent != sizeof(message)) return -1;
    ssize_t received;
    do {
      received = read(to, space, sizeof(space));
    } while (received == -1 && errno == EINTR);
    if (received == -1) return errno;
    if (received == 0 || received != sizeof(space)) return -1;
  }
  return 0;
}

/// Receives one record. An empty record carries credentials, and the end does not.
ssize_t receive_record(int fd, bool* end) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
  iovec vector{space, sizeof(space)};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = control;
  ssize_t received;
  do {
    header.msg_controllen = sizeof(control);
    received = recvmsg(fd, &header, MSG_CMSG_CLOEXEC);
  } while (received == -1 && errno == EINTR);
  if (received == -1) return -1;
  if ((header.msg_flags & MSG_TRUNC) != 0) {
    errno = EMSGSIZE;
    return -1;
  }
  *end = header.msg_controllen == 0;
  return received;
}

[[gnu::noinline]] int move_records(int from, int to, long count) {
  for (long index = 0; index < count; ++index) {
    ssize_t sent;
    do {
      sent = send(from, message, sizeof(message), MSG_NOSIGNAL);
    } while (sent == -1 && errno == EINTR);
    if (sent == -1) return errno;
    bool end = false;
    const ssize_t received = receive_record(to, &end);
    if (received == -1) return errno;
    if (end || received != sizeof(space)) return -1;
  }
  return 0;
}

[[gnu::noinline]] int move_datagrams(int from, int to, const sockaddr* address, socklen_t size,
                                     long count) {
  for (long index = 0; index < count; ++index) {
    ssize_t sent;
    do {
      sent = sendto(from, message, sizeof(message), MSG_NOSIGNAL, address, size);
    } while (sent == -1 && errno == EINTR);
    if (sent == -1) return errno;
    // The address is zeroed first, as in the paper.
    union {
      sockaddr any;
      sockaddr_in6 inet;
      sockaddr_un local;
    } sender;
    socklen_t sender_size;
    ssize_t received;
    if (address->sa_family == AF_UNIX) {
      memset(&sender.local, 0, sizeof(sender.local));
      sender_size = sizeof(sender.local);
    } else {
      memset(&sender.inet, 0, sizeof(sender.inet));
      sender_size = sizeof(sender.inet);
    }
    do {
      received = recvfrom(to, space, sizeof(space), MSG_TRUNC, &sender.any, &sender_size);
    } while (received == -1 && errno == EINTR);
    if (received == -1) return errno;
    if (received != sizeof(space)) return -1;
  }
  return 0;
}

[[gnu::noinline]] int move_to_peer(int from, int to, long count) {
  for (long index = 0; index < count; ++index) {
    ssize_t sent;
    do {
      sent = send(from, message, sizeof(message), MSG_NOSIGNAL);
    } while (sent == -1 && errno == EINTR);
    if (sent == -1) return errno;
    ssize_t received;
    do {
      received = recv(to, space, sizeof(space), MSG_TRUNC);
    } while (received == -1 && errno == EINTR);
    if (received == -1) return errno;
    if (received != sizeof(space)) return -1;
  }
  return 0;
}

/// Waits until `end` at most. Returns 0 if `fd` is ready; otherwise -1, with the reason in errno.
int wait_until(int fd, short events, const timespec& end) {
  for (;;) {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    timespec left{end.tv_sec - now.tv_sec, end.tv_nsec - now.tv_nsec};
    if (left.tv_nsec < 0) {
      left.tv_sec -= 1;
      left.tv_nsec += 1'000'000'000;
    }
    if (left.tv_sec < 0) left = {0, 0};
    pollfd entry{fd, events, 0};
    const int ready = ppoll(&entry, 1, &left, nullptr);
    if (ready > 0) return 0;
    if (ready == 0) errno = ETIMEDOUT;
    if (errno != EINTR) return -1;
  }
}

timespec end_of(long ms) {
  timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += ms / 1000;
  end.tv_nsec += ms % 1000 * 1'000'000;
  if (end.tv_nsec >= 1'000'000'000) {
    end.tv_sec += 1;
    end.tv_nsec -= 1'000'000'000;
  }
  return end;
}

constexpr long hour = 3'600'000;

/// A separate function keeps the waiting out of the fast path.
[[gnu::noinline]] ssize_t send_waiting(int fd, long ms) {
  ssize_t sent = -1;
  const timespec end = end_of(ms);
  while (sent == -1 && (errno == EAGAIN || errno == EINTR)) {
    if (errno == EAGAIN && wait_until(fd, POLLOUT, end) == -1) return -1;
    sent = send(fd, message, sizeof(message), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  return sent;
}

[[gnu::noinline]] ssize_t receive_waiting(int fd, long ms) {
  ssize_t received = -1;
  const timespec end = end_of(ms);
  while (received == -1 && (errno == EAGAIN || errno == EINTR)) {
    if (errno == EAGAIN && wait_until(fd, POLLIN, end) == -1) return -1;
    received = recv(fd, space, sizeof(space), MSG_DONTWAIT);
  }
  return received;
}

[[gnu::noinline]] int move_in_time(int from, int to, long count) {
  for (long index = 0; index < count; ++index) {
    ssize_t sent = send(from, message, sizeof(message), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent == -1) sent = send_waiting(from, hour);
    if (sent == -1) return errno;
    if (sent != sizeof(message)) return -1;
    ssize_t received = recv(to, space, sizeof(space), MSG_DONTWAIT);
    if (received == -1) received = receive_waiting(to, hour);
    if (received == -1) return errno;
    if (received == 0 || received != sizeof(space)) return -1;
  }
  return 0;
}

using Move = int (*)(int from, int to, long count);

struct Address {
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
    sockaddr_un local;
  };
  socklen_t size;
  socklen_t space;
};

Address loopback(int port) {
  Address address;
  memset(&address, 0, sizeof(address));
  address.v4.sin_family = AF_INET;
  address.v4.sin_port = htons(static_cast<in_port_t>(port));
  address.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.size = sizeof(address.v4);
  address.space = sizeof(address.v6);
  return address;
}

Address loopback_v6() {
  Address address;
  memset(&address, 0, sizeof(address));
  address.v6.sin6_family = AF_INET6;
  address.v6.sin6_addr = in6addr_loopback;
  address.size = address.space = sizeof(address.v6);
  return address;
}

Address unnamed() {
  Address address;
  memset(&address, 0, sizeof(address));
  address.local.sun_family = AF_UNIX;
  address.size = sizeof(sa_family_t);
  address.space = sizeof(address.local);
  return address;
}

int opened(const Address& address, int type) {
  const int fd = socket(address.any.sa_family, type | SOCK_CLOEXEC, 0);
  if (fd == -1 || (type & ~SOCK_NONBLOCK) != SOCK_SEQPACKET) return fd;
  const int on = 1;
  if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) == 0) return fd;
  close(fd);
  return -1;
}

/// Moves messages, ends the client's side, and expects the server to see the end.
int use_connection(int client, int server, Move move, long count) {
  if (const int error = move(client, server, count); error != 0) return error;
  shutdown(client, SHUT_WR);
  if (move == move_records) {
    bool end = false;
    if (receive_record(server, &end) == -1) return errno;
    return end ? 0 : -1;
  }
  const ssize_t last = recv(server, space, sizeof(space), 0);
  if (last == -1) return errno;
  return last == 0 ? 0 : -1;
}

int connect_and_move(Address address, int type, Move move, long count) {
  const int acceptor = opened(address, type | SOCK_NONBLOCK);
  if (acceptor == -1) return errno;
  if (bind(acceptor, &address.any, address.size) == -1) return errno;
  if (listen(acceptor, 4096) == -1) return errno;
  address.size = address.space;
  if (getsockname(acceptor, &address.any, &address.size) == -1) return errno;
  const int client = opened(address, type);
  if (client == -1) return errno;
  if (connect(client, &address.any, address.size) == -1) return errno;
  const int server = accept4(acceptor, nullptr, nullptr, SOCK_CLOEXEC);
  if (server == -1) return errno;
  const int error = use_connection(client, server, move, count);
  close(server);
  close(client);
  close(acceptor);
  return error;
}

int open_and_move(Address address, long count) {
  const int from = opened(address, SOCK_DGRAM);
  if (from == -1 || bind(from, &address.any, address.size) == -1) return errno;
  const int to = opened(address, SOCK_DGRAM);
  if (to == -1 || bind(to, &address.any, address.size) == -1) return errno;
  address.size = address.space;
  if (getsockname(to, &address.any, &address.size) == -1) return errno;
  const int error = move_datagrams(from, to, &address.any, address.size, count);
  close(to);
  close(from);
  return error;
}

/// Receives a datagram and its sender's address, which is zeroed first.
inline ssize_t receive_from(int fd, int flags, sa_family_t family) {
  union {
    sockaddr any;
    sockaddr_in6 inet;
    sockaddr_un local;
  } sender;
  socklen_t sender_size;
  if (family == AF_UNIX) {
    memset(&sender.local, 0, sizeof(sender.local));
    sender_size = sizeof(sender.local);
  } else {
    memset(&sender.inet, 0, sizeof(sender.inet));
    sender_size = sizeof(sender.inet);
  }
  ssize_t received;
  do {
    received = recvfrom(fd, space, sizeof(space), MSG_TRUNC | flags, &sender.any, &sender_size);
  } while (received == -1 && errno == EINTR);
  return received;
}

[[gnu::noinline]] ssize_t receive_from_waiting(int fd, sa_family_t family, long ms) {
  ssize_t received = -1;
  const timespec end = end_of(ms);
  while (received == -1 && errno == EAGAIN) {
    if (wait_until(fd, POLLIN, end) == -1) return -1;
    received = receive_from(fd, MSG_DONTWAIT, family);
  }
  return received;
}

[[gnu::noinline]] int move_datagrams_in_time(int from, int to, const Address& address, long count) {
  for (long index = 0; index < count; ++index) {
    ssize_t sent;
    do {
      sent = sendto(from, message, sizeof(message), MSG_NOSIGNAL | MSG_DONTWAIT, &address.any,
                    address.size);
      if (sent == -1 && errno == EAGAIN) {
        if (wait_until(from, POLLOUT, end_of(hour)) == -1) return errno;
        errno = EINTR;
      }
    } while (sent == -1 && errno == EINTR);
    if (sent == -1) return errno;
    ssize_t received = receive_from(to, MSG_DONTWAIT, address.any.sa_family);
    if (received == -1) received = receive_from_waiting(to, address.any.sa_family, hour);
    if (received == -1) return errno;
    if (received != sizeof(space)) return -1;
  }
  return 0;
}

Address any_address() {
  Address address = loopback(0);
  address.v4.sin_addr.s_addr = htonl(INADDR_ANY);
  return address;
}

/// Interfaces as if_nametoindex lists them.
struct Links {
  const unsigned* indexes;
  size_t count;
};

/// Broadcasts on each link and returns the number of links. An error only if all links fail.
ssize_t broadcast(int fd, in_port_t port, Links links) {
  sockaddr_in everybody;
  memset(&everybody, 0, sizeof(everybody));
  everybody.sin_family = AF_INET;
  everybody.sin_port = port;
  everybody.sin_addr.s_addr = INADDR_BROADCAST;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(in_pktinfo))];
  memset(control, 0, sizeof(control));
  iovec vector{message, sizeof(message)};
  msghdr header{};
  header.msg_name = &everybody;
  header.msg_namelen = sizeof(everybody);
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  cmsghdr* part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = IPPROTO_IP;
  part->cmsg_type = IP_PKTINFO;
  part->cmsg_len = CMSG_LEN(sizeof(in_pktinfo));
  in_pktinfo leaving{};
  ssize_t went = 0;
  int error = 0;
  for (size_t index = 0; index < links.count; ++index) {
    leaving.ipi_ifindex = static_cast<int>(links.indexes[index]);
    memcpy(CMSG_DATA(part), &leaving, sizeof(leaving));
    ssize_t sent;
    do {
      sent = sendmsg(fd, &header, MSG_NOSIGNAL);
    } while (sent == -1 && errno == EINTR);
    if (sent != -1) {
      ++went;
    } else if (error == 0) {
      error = errno;
    }
  }
  if (went != 0) return went;
  errno = error;
  return -1;
}

[[gnu::noinline]] int move_broadcasts(int from, int to, in_port_t port, Links links, long count) {
  for (long index = 0; index < count; ++index) {
    const ssize_t went = broadcast(from, port, links);
    if (went == -1) return errno;
    if (went != 1) return -1;
    const ssize_t received = receive_from(to, 0, AF_INET);
    if (received == -1) return errno;
    if (received != sizeof(space)) return -1;
  }
  return 0;
}

ssize_t send_handle(int fd, int handle) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  memset(control, 0, sizeof(control));
  iovec vector{message, sizeof(message)};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  cmsghdr* part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(part), &handle, sizeof(int));
  ssize_t sent;
  do {
    sent = sendmsg(fd, &header, MSG_NOSIGNAL);
  } while (sent == -1 && errno == EINTR);
  return sent;
}

/// Takes the handles that fit, and closes all received handles if some did not fit.
ssize_t receive_handles(int fd, int* handles, size_t handles_max, size_t* handle_count) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(sizeof(int))];
  iovec vector{space, sizeof(space)};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = control;
  ssize_t received;
  do {
    header.msg_controllen = sizeof(control);
    received = recvmsg(fd, &header, MSG_CMSG_CLOEXEC);
  } while (received == -1 && errno == EINTR);
  if (received == -1) return -1;
  bool fit = (header.msg_flags & MSG_CTRUNC) == 0;
  size_t arrived = 0;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const size_t size = part->cmsg_len - CMSG_LEN(0);
    for (size_t offset = 0; offset < size; offset += sizeof(int)) {
      int handle;
      memcpy(&handle, CMSG_DATA(part) + offset, sizeof(int));
      if (fit && arrived < handles_max) {
        handles[arrived++] = handle;
      } else {
        fit = false;
        close(handle);
      }
    }
  }
  *handle_count = arrived;
  if (fit) return received;
  for (size_t index = 0; index < arrived; ++index) close(handles[index]);
  errno = EMSGSIZE;
  return -1;
}

[[gnu::noinline]] int pass_handles(int from, int to, int lent, long count) {
  for (long index = 0; index < count; ++index) {
    const ssize_t sent = send_handle(from, lent);
    if (sent == -1) return errno;
    if (sent != sizeof(message)) return -1;
    int handle = -1;
    size_t handle_count = 0;
    const ssize_t received = receive_handles(to, &handle, 1, &handle_count);
    if (received == -1) return errno;
    if (received != sizeof(space) || handle_count != 1) return -1;
    close(handle);
  }
  return 0;
}

[[gnu::noinline]] int move_from_file(int from, int to, int file, long count) {
  for (long index = 0; index < count; ++index) {
    const ssize_t sent = send_from_file(from, file, 0, sizeof(message));
    if (sent == -1) return errno;
    if (sent != sizeof(message)) return -1;
    ssize_t received;
    do {
      received = recv(to, space, sizeof(space), 0);
    } while (received == -1 && errno == EINTR);
    if (received == -1) return errno;
    if (received == 0 || received != sizeof(space)) return -1;
  }
  return 0;
}

[[gnu::noinline]] int move_into_file(int from, int to, int file, long count) {
  for (long index = 0; index < count; ++index) {
    ssize_t sent;
    do {
      sent = send(from, message, sizeof(message), MSG_NOSIGNAL);
    } while (sent == -1 && errno == EINTR);
    if (sent == -1) return errno;
    if (sent != sizeof(message)) return -1;
    const ssize_t received = receive_into_file(to, file, 0, sizeof(message));
    if (received == -1) return errno;
    if (received != sizeof(message)) return -1;
  }
  return 0;
}

int opened_file(const char* path, int flags) {
  const int fd = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
  if (fd == -1) return -1;
  struct stat state;
  if (fstat(fd, &state) == -1 || !S_ISREG(state.st_mode)) {
    close(fd);
    return -1;
  }
  return fd;
}

using FileMove = int (*)(int from, int to, int file, long count);

int pair_and_move(const char* path, int flags, FileMove move, long count) {
  const int file = opened_file(path, flags);
  if (file == -1) return errno;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == -1) return errno;
  const int error = move(ends[0], ends[1], file, count);
  close(ends[1]);
  close(ends[0]);
  close(file);
  return error;
}

}  // namespace

int timed(long count) {
  const Address local = loopback(0);
  Address address = local;
  const int acceptor = opened(address, SOCK_STREAM | SOCK_NONBLOCK);
  if (acceptor == -1) return errno;
  if (bind(acceptor, &address.any, address.size) == -1) return errno;
  if (listen(acceptor, 4096) == -1) return errno;
  address.size = address.space;
  if (getsockname(acceptor, &address.any, &address.size) == -1) return errno;
  const int client = opened(address, SOCK_STREAM);
  if (client == -1) return errno;
  if (connect(client, &address.any, address.size) == -1) return errno;
  const int server = accept4(acceptor, nullptr, nullptr, SOCK_CLOEXEC);
  if (server == -1) return errno;
  if (const int error = move_in_time(client, server, count); error != 0) return error;
  ssize_t nothing = recv(server, space, sizeof(space), MSG_DONTWAIT);
  if (nothing == -1) nothing = receive_waiting(server, 1);
  if (nothing != -1 || errno != ETIMEDOUT) return -1;
  close(server);
  close(client);
  close(acceptor);
  return 0;
}

int timed_dgram(long count) {
  Address address = loopback(0);
  const int from = opened(address, SOCK_DGRAM);
  if (from == -1 || bind(from, &address.any, address.size) == -1) return errno;
  const int to = opened(address, SOCK_DGRAM);
  if (to == -1 || bind(to, &address.any, address.size) == -1) return errno;
  address.size = address.space;
  if (getsockname(to, &address.any, &address.size) == -1) return errno;
  if (const int error = move_datagrams_in_time(from, to, address, count); error != 0) return error;
  ssize_t nothing = receive_from(to, MSG_DONTWAIT, AF_INET);
  if (nothing == -1) nothing = receive_from_waiting(to, AF_INET, 1);
  if (nothing != -1 || errno != ETIMEDOUT) return -1;
  close(to);
  close(from);
  return 0;
}

int bcast(long count) {
  const unsigned link = if_nametoindex("twin0");
  if (link == 0) return errno;
  Address address = any_address();
  const int on = 1;
  const int from = opened(address, SOCK_DGRAM);
  if (from == -1 || bind(from, &address.any, address.size) == -1) return errno;
  if (setsockopt(from, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on)) == -1) return errno;
  const int to = opened(address, SOCK_DGRAM);
  if (to == -1 || bind(to, &address.any, address.size) == -1) return errno;
  if (setsockopt(to, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on)) == -1) return errno;
  address.size = address.space;
  if (getsockname(to, &address.any, &address.size) == -1) return errno;
  const int error = move_broadcasts(from, to, address.v4.sin_port, {&link, 1}, count);
  close(to);
  close(from);
  return error;
}

int mcast(long count) {
  const unsigned link = if_nametoindex("lo");
  if (link == 0) return errno;
  Address address = any_address();
  const int off = 0;
  const int from = opened(address, SOCK_DGRAM);
  if (from == -1) return errno;
  ip_mreqn leaving{};
  leaving.imr_ifindex = static_cast<int>(link);
  int domain = 0;
  socklen_t domain_size = sizeof(domain);
  if (getsockopt(from, SOL_SOCKET, SO_DOMAIN, &domain, &domain_size) == -1) return errno;
  if (setsockopt(from, IPPROTO_IP, IP_MULTICAST_IF, &leaving, sizeof(leaving)) == -1) return errno;
  if (bind(from, &address.any, address.size) == -1) return errno;
  if (setsockopt(from, IPPROTO_IP, IP_MULTICAST_ALL, &off, sizeof(off)) == -1) return errno;
  const int to = opened(address, SOCK_DGRAM);
  if (to == -1 || bind(to, &address.any, address.size) == -1) return errno;
  if (setsockopt(to, IPPROTO_IP, IP_MULTICAST_ALL, &off, sizeof(off)) == -1) return errno;
  address.size = address.space;
  if (getsockname(to, &address.any, &address.size) == -1) return errno;
  Address group = loopback(0);
  group.v4.sin_port = address.v4.sin_port;
  group.v4.sin_addr.s_addr = htonl(0xef010203);
  group_req request{};
  request.gr_interface = link;
  memcpy(&request.gr_group, &group.v4, sizeof(group.v4));
  if (setsockopt(to, IPPROTO_IP, MCAST_JOIN_GROUP, &request, sizeof(request)) == -1) return errno;
  const int error = move_datagrams(from, to, &group.any, group.size, count);
  close(to);
  close(from);
  return error;
}

int handles(long count) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == -1) return errno;
  const int error = pass_handles(ends[0], ends[1], ends[0], count);
  close(ends[1]);
  close(ends[0]);
  return error;
}

int send_file(long count) {
  return pair_and_move("/proc/self/exe", O_RDONLY, move_from_file, count);
}
int recv_file(long count) {
  return pair_and_move("ipc_twins.out", O_WRONLY | O_CREAT | O_TRUNC, move_into_file, count);
}

int sock(long count) { return connect_and_move(loopback(0), SOCK_STREAM, move_octets, count); }
int sock_v6(long count) { return connect_and_move(loopback_v6(), SOCK_STREAM, move_octets, count); }
int gather(long count) { return connect_and_move(loopback(0), SOCK_STREAM, move_in_parts, count); }
int lsock(long count) { return connect_and_move(unnamed(), SOCK_STREAM, move_octets, count); }
int spipe(long count) { return connect_and_move(unnamed(), SOCK_SEQPACKET, move_records, count); }

int fifo(long count) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) == -1) return errno;
  if (const int error = move_through_pipe(ends[1], ends[0], count); error != 0) return error;
  close(ends[1]);
  const ssize_t last = read(ends[0], space, sizeof(space));
  close(ends[0]);
  if (last == -1) return errno;
  return last == 0 ? 0 : -1;
}

int dgram(long count) { return open_and_move(loopback(0), count); }
int local_dgram(long count) { return open_and_move(unnamed(), count); }

int codgram(long count) {
  const Address here = loopback(47101);
  const Address there = loopback(47102);
  const int from = opened(here, SOCK_DGRAM);
  if (from == -1 || bind(from, &here.any, here.size) == -1) return errno;
  if (connect(from, &there.any, there.size) == -1) return errno;
  const int to = opened(there, SOCK_DGRAM);
  if (to == -1 || bind(to, &there.any, there.size) == -1) return errno;
  if (connect(to, &here.any, here.size) == -1) return errno;
  const int error = move_to_peer(from, to, count);
  close(to);
  close(from);
  return error;
}

}  // namespace perigee::twins::plain
