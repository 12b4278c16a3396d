// A server and a client in one program: sends a greeting over TCP and prints what comes back.
#include <perigee/ipc/error.h>
#include <perigee/ipc/sock.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

namespace ipc = perigee::ipc;
using namespace std::chrono_literals;

namespace {

/// Sends back what one client sends, until the client ends its stream.
void serve(ipc::sock::Acceptor& acceptor) {
  auto stream = acceptor.accept(10s);
  std::array<std::byte, 4096> space;
  while (stream) {
    const auto received = stream->recv(space, 10s);
    if (!received || received->end_of_stream()) return;
    const auto octets = perigee::OctetSpan(space).first(received->count());
    if (!stream->send_n(octets, 10s)) return;
  }
}

int failed(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  return 1;
}

}  // namespace

int main() {
  const auto local = ipc::InetAddr::loopback();  // the system chooses the port
  auto acceptor = ipc::sock::Acceptor::open(local);
  if (!acceptor) return failed(describe(perigee::IoOperation::listen, local, acceptor.error()));
  const std::jthread server([&acceptor] { serve(*acceptor); });

  const auto address = acceptor->local_address().value();
  auto stream = ipc::sock::Connector::connect(address, 2s);
  if (!stream) return failed(describe(perigee::IoOperation::connect, address, stream.error()));

  const std::string_view greeting = "hello";
  const auto sent = stream->send_n(perigee::octets_of(greeting), 2s);
  if (!sent) return failed(describe(perigee::IoOperation::send, address, sent.error()));
  stream->close_sender();

  std::array<char, 100> answer;
  const auto received = stream->recv_n(std::as_writable_bytes(std::span(answer)), 2s);
  if (!received) return failed(describe(perigee::IoOperation::receive, address, received.error()));
  std::printf("%.*s\n", static_cast<int>(received->count()), answer.data());
}
