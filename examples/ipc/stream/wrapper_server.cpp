// Prints what its clients send, one client after the other. Uses Perigee's wrappers of
// sockets.
#include <perigee/ipc/inet_parse.h>
#include <perigee/ipc/sock.h>

#include <cstdio>
#include <iostream>
#include <string_view>
#include <vector>

namespace ipc = perigee::ipc;

static int failed(const char* what, const std::error_code& error) {
  std::cerr << "wrapper_stream_server: " << what << ": " << error.message() << '\n';
  return 1;
}

/// Whether standard output could be written.
static bool serve(ipc::sock::Stream& stream) {
  std::vector<char> space(65536);
  for (;;) {
    const auto received = stream.recv(std::as_writable_bytes(std::span(space)));
    if (!received) failed("receive", received.error());
    if (!received || received->end_of_stream()) return true;
    if (!std::cout.write(space.data(), static_cast<std::streamsize>(received->count())).flush()) {
      return false;
    }
  }
}

int main(int argc, char* argv[]) {
  constexpr auto usage = "usage: wrapper_stream_server <port>      0: the system chooses\n";
  if (argc == 2 && argv[1] == std::string_view("--help")) return std::fputs(usage, stdout) < 0;
  const auto port = argc == 2 ? ipc::parse_port(argv[1]) : std::nullopt;
  if (!port) return std::fputs(usage, stderr), 2;
  auto acceptor = ipc::sock::Acceptor::open(ipc::InetAddr::any_v6(*port), ipc::ReuseAddress{});
  if (!acceptor) return failed("listen", acceptor.error());
  if (const auto address = acceptor->local_address()) {
    std::cerr << "listening at " << to_string(*address) << '\n';
  }
  for (;;) {
    auto stream = acceptor->accept();
    if (!stream) return failed("accept", stream.error());
    if (const auto peer = stream->peer_address()) std::cerr << "from " << to_string(*peer) << '\n';
    if (!serve(*stream)) return failed("standard output", {errno, std::system_category()});
  }
}
