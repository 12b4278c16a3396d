// Sends its standard input to a server. Uses only functions of the operating system.
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

static const char usage[] = "usage: c_stream_client <host> <port>\n";

static int failed(const char* what) {
  fprintf(stderr, "c_stream_client: %s: %s\n", what, strerror(errno));
  return 1;
}

/* Connects within five seconds: a non-blocking connect, a poll, and the result from SO_ERROR. */
static int connect_within_limit(int stream, const struct sockaddr* address, socklen_t size) {
  const int flags = fcntl(stream, F_GETFL);
  if (flags == -1 || fcntl(stream, F_SETFL, flags | O_NONBLOCK) == -1) return -1;
  if (connect(stream, address, size) == -1) {
    if (errno != EINPROGRESS) return -1;
    struct pollfd entry;
    memset(&entry, 0, sizeof entry);
    entry.fd = stream;
    entry.events = POLLOUT;
    int ready;
    do {
      ready = poll(&entry, 1, 5000);
    } while (ready == -1 && errno == EINTR);
    if (ready == 0) errno = ETIMEDOUT;
    if (ready != 1) return -1;
    int error = 0;
    socklen_t error_size = sizeof error;
    if (getsockopt(stream, SOL_SOCKET, SO_ERROR, &error, &error_size) == -1) return -1;
    if (error != 0) {
      errno = error;
      return -1;
    }
  }
  return fcntl(stream, F_SETFL, flags);
}

static int connect_to(const char* host, const char* port) {
  struct addrinfo hints;
  struct addrinfo* addresses;
  memset(&hints, 0, sizeof hints);
  hints.ai_socktype = SOCK_STREAM;
  const int result = getaddrinfo(host, port, &hints, &addresses);
  if (result != 0) {
    fprintf(stderr, "c_stream_client: %s: %s\n", host, gai_strerror(result));
    return -1;
  }
  int stream = -1;
  for (struct addrinfo* entry = addresses; entry != NULL && stream == -1; entry = entry->ai_next) {
    stream = socket(entry->ai_family, SOCK_STREAM, 0);
    if (stream == -1) continue;
    if (connect_within_limit(stream, entry->ai_addr, entry->ai_addrlen) == -1) {
      const int error = errno;
      close(stream);
      errno = error;
      stream = -1;
    }
  }
  if (stream == -1) failed("connect");
  freeaddrinfo(addresses);
  return stream;
}

static int send_all(int stream, const char* octets, size_t count) {
  while (count > 0) {
    const ssize_t sent = send(stream, octets, count, MSG_NOSIGNAL);
    if (sent == -1 && errno == EINTR) continue;
    if (sent == -1) return -1;
    octets += sent;
    count -= (size_t)sent;
  }
  return 0;
}

int main(int argc, char* argv[]) {
  if (argc == 2 && strcmp(argv[1], "--help") == 0) return fputs(usage, stdout) < 0;
  if (argc != 3) return fputs(usage, stderr), 2;
  const int stream = connect_to(argv[1], argv[2]);
  if (stream == -1) return 1;
  static char space[65536];
  for (;;) {
    const ssize_t count = read(STDIN_FILENO, space, sizeof space);
    if (count == 0) break;
    if (count == -1 && errno == EINTR) continue;
    if (count == -1) return failed("standard input");
    if (send_all(stream, space, (size_t)count) == -1) return failed("send");
  }
  if (close(stream) == -1) return failed("close");
  return 0;
}
