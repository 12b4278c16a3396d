// Prints what its clients send, one client after the other. Uses only functions of the
// operating system.
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static const char usage[] = "usage: c_stream_server <port>      0: the system chooses\n";

static int failed(const char* what) {
  fprintf(stderr, "c_stream_server: %s: %s\n", what, strerror(errno));
  return 1;
}

static int open_acceptor(unsigned short port) {
  const int acceptor = socket(AF_INET6, SOCK_STREAM, 0);
  if (acceptor == -1) return -1;
  const int off = 0;  // IPv4 as well
  const int on = 1;
  setsockopt(acceptor, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  setsockopt(acceptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  struct sockaddr_in6 address;
  memset(&address, 0, sizeof address);
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_any;
  address.sin6_port = htons(port);
  if (bind(acceptor, (struct sockaddr*)&address, sizeof address) == -1) return -1;
  if (listen(acceptor, 100) == -1) return -1;
  return acceptor;
}

static int write_all(const char* octets, size_t count) {
  while (count > 0) {
    const ssize_t written = write(STDOUT_FILENO, octets, count);
    if (written == -1 && errno == EINTR) continue;
    if (written == -1) return -1;
    octets += written;
    count -= (size_t)written;
  }
  return 0;
}

static int serve(int stream) {
  static char space[65536];
  for (;;) {
    const ssize_t count = read(stream, space, sizeof space);
    if (count == -1 && errno == EINTR) continue;
    if (count == -1) failed("receive");
    if (count <= 0) return 0;
    if (write_all(space, (size_t)count) == -1) return -1;
  }
}

static void print_name(const char* what, int handle,
                       int (*name_of)(int, struct sockaddr*, socklen_t*)) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  if (name_of(handle, (struct sockaddr*)&address, &size) == -1) return;
  if (getnameinfo((struct sockaddr*)&address, size, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV) == 0) {
    fprintf(stderr, "%s [%s]:%s\n", what, host, port);
  }
}

int main(int argc, char* argv[]) {
  if (argc == 2 && strcmp(argv[1], "--help") == 0) return fputs(usage, stdout) < 0;
  char* end = argv[0];
  const long port = argc == 2 ? strtol(argv[1], &end, 10) : -1;
  if (argc != 2 || end == argv[1] || *end != '\0' || port < 0 || port > 65535) {
    return fputs(usage, stderr), 2;
  }
  const int acceptor = open_acceptor((unsigned short)port);
  if (acceptor == -1) return failed("listen");
  print_name("listening at", acceptor, getsockname);
  for (;;) {
    const int stream = accept(acceptor, NULL, NULL);
    if (stream == -1 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (stream == -1) return failed("accept");
    print_name("from", stream, getpeername);
    if (serve(stream) == -1) return failed("standard output");
    close(stream);
  }
}
