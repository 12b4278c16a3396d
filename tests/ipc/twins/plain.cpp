// The scripts through C calls, as a careful C program makes them: errors are looked at, calls that
// a signal interrupts are repeated, no signal is raised, no handle is inherited.
#include "twins.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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

/// One record. An empty one differs from the end by the credentials that come with it.
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
    // The address is zeroed first, as the paper has it.
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

}  // namespace

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
