// Sends its standard input to an echo server and prints what comes back, both at the same time.
#include "../program.h"
#include "families.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <vector>

namespace ipc = perigee::ipc;

namespace {

constexpr auto usage =
    "usage: echo_client <family> <address> < <what to send>\n"
    "Families: sock, uring, lsock, spipe. The address is what the server prints.\n";

/// Sends standard input until its end. Returns the number of octets.
template <typename Stream>
std::size_t send_input(Stream& stream) {
  std::size_t total = 0;
  std::vector<char> space(16384);
  while (std::cin) {
    std::cin.read(space.data(), static_cast<std::streamsize>(space.size()));
    const auto count = static_cast<std::size_t>(std::cin.gcount());
    if (count == 0) break;
    if (!send_whole(stream, std::as_bytes(std::span(space).first(count)))) break;
    total += count;
  }
  stream.close_sender();
  return total;
}

template <typename Family>
int call(std::string_view text) {
  using namespace std::chrono_literals;
  auto stream = value_of(Family::Connector::connect(address_from<Family>(text), 5s),
                         "connect to " + std::string(text));
  std::size_t sent = 0;
  std::size_t returned = 0;
  {
    std::jthread sender([&] { sent = send_input(stream); });
    std::vector<char> space(65536);
    for (;;) {
      const auto received = value_of(stream.recv(std::as_writable_bytes(std::span(space))),
                                     "receive from " + std::string(text));
      if (received.end_of_stream()) break;
      std::cout.write(space.data(), static_cast<std::streamsize>(received.count())).flush();
      returned += received.count();
    }
    stream.interrupt();  // if the server has ended, nothing more is sent
  }
  if (!std::cout) throw std::runtime_error("standard output cannot be written");
  if (sent != returned) throw std::runtime_error("the server has not sent back everything");
  return 0;
}

constexpr std::array programs{
    NamedProgram{"sock", call<ipc::Sock>}, NamedProgram{"uring", call<ipc::Uring>},
    NamedProgram{"lsock", call<ipc::LSock>}, NamedProgram{"spipe", call<ipc::SPipe>}};

}  // namespace

int main(int argc, char* argv[]) try {
  return run_named(programs, argc, argv, usage);
} catch (const std::exception& error) {
  std::cerr << "echo_client: " << error.what() << '\n';
  return 1;
}
