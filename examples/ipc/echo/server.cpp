// Sends back what its clients send, over the family that the first argument names. Prints its
// address once clients can connect. Shuts down on SIGINT and SIGTERM.
#include "../program.h"
#include "echo_server.h"

#include <cstdio>
#include <exception>
#include <iostream>

namespace ipc = perigee::ipc;

namespace {

constexpr auto usage =
    "usage: echo_server <family> <address>\n"
    "  sock, uring   TCP, and TCP over io_uring: 127.0.0.1:2000, or [::1]:0 for any free port\n"
    "  lsock, spipe  streams and stream pipes of this host: a path, or @name\n";

template <typename Family>
int serve(std::string_view text) {
  auto acceptor = value_of(Family::Acceptor::open(address_from<Family>(text)),
                           "listen at " + std::string(text));
  const auto address = value_of(acceptor.local_address(), "own address");
  std::stop_source stop;
  const OnEndingSignal ending([&] {
    stop.request_stop();
    acceptor.interrupt();
  });
  std::cout << to_string(address) << std::endl;
  const std::error_code error = echo_server<Family>(acceptor, stop.get_token());
  remove_name(address);
  if (error) throw std::runtime_error("accept at " + to_string(address) + ": " + error.message());
  return 0;
}

constexpr std::array programs{
    NamedProgram{"sock", serve<ipc::Sock>}, NamedProgram{"uring", serve<ipc::Uring>},
    NamedProgram{"lsock", serve<ipc::LSock>}, NamedProgram{"spipe", serve<ipc::SPipe>}};

}  // namespace

int main(int argc, char* argv[]) try {
  return run_named(programs, argc, argv, usage);
} catch (const std::exception& error) {
  std::cerr << "echo_server: " << error.what() << '\n';
  return 1;
}
