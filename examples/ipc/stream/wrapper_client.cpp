// Sends its standard input to a server. Uses Perigee's wrappers of sockets.
#include <perigee/ipc/connect_any.h>
#include <perigee/ipc/resolver.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <string_view>
#include <vector>

namespace ipc = perigee::ipc;

static int failed(std::string_view what, const std::string& why) {
  std::cerr << "wrapper_stream_client: " << what << ": " << why << '\n';
  return 1;
}

int main(int argc, char* argv[]) {
  using namespace std::chrono_literals;
  constexpr auto usage = "usage: wrapper_stream_client <host> <port>\n";
  if (argc == 2 && argv[1] == std::string_view("--help")) return std::fputs(usage, stdout) < 0;
  const auto port = argc == 3 ? ipc::parse_port(argv[2]) : std::nullopt;
  if (!port) return std::fputs(usage, stderr), 2;
  const auto addresses = ipc::resolve(argv[1], *port);
  if (!addresses) return failed(argv[1], addresses.error().message());
  auto stream = ipc::sock::connect_any(*addresses, 5s);
  if (!stream) return failed("connect", to_string(stream.error()));
  std::vector<char> space(65536);
  while (std::cin) {
    std::cin.read(space.data(), static_cast<std::streamsize>(space.size()));
    const auto octets =
        std::as_bytes(std::span(space)).first(static_cast<std::size_t>(std::cin.gcount()));
    if (const auto sent = stream->send_n(octets); !sent)
      return failed("send", sent.error().message());
  }
}
