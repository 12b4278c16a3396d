// The examples of docs/ipc.md, which quotes this file.
#include <perigee/ipc/error.h>
#include <perigee/ipc/families.h>

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

namespace perigee::ipc {
namespace {

using namespace std::chrono_literals;

template <StreamFamily Family>
Status echo_server(typename Family::Acceptor& acceptor) {
  auto stream = acceptor.accept();
  if (!stream) return std::unexpected(stream.error());
  std::array<std::byte, 4096> space;
  for (;;) {
    const auto received = stream->recv(space);
    if (!received) return std::unexpected(received.error());
    if (received->end_of_stream()) return {};
    const auto sent = stream->send_n(OctetSpan(space).first(received->count()));
    if (!sent) return std::unexpected(sent.error());
  }
}

template <StreamFamily Family>
std::string echoed(const typename Family::Address& local) {
  auto acceptor = Family::Acceptor::open(local).value();
  std::jthread server([&] { CHECK(echo_server<Family>(acceptor)); });
  auto stream = Family::Connector::connect(acceptor.local_address().value()).value();
  CHECK(stream.send_n(octets_of("hello")));
  stream.close_sender();
  std::string text(5, ' ');
  CHECK(stream.recv_n(std::as_writable_bytes(std::span(text))).value() == Received::octets(5));
  return text;
}

TEST_CASE("documented: one server for every family of streams") {
  CHECK(echoed<Sock>(InetAddr::loopback()) == "hello");
  CHECK(echoed<LSock>(UnixAddr()) == "hello");
}

TEST_CASE("documented: errors with their operation and endpoint") {
  std::string text;
  const auto address = InetAddr::loopback(1);
  const auto stream = sock::Connector::connect(address, 2s);
  if (!stream) text = describe(IoOperation::connect, address, stream.error());
  CHECK(text == "connect to 127.0.0.1:1: Connection refused");
}

TEST_CASE("documented: passing a handle") {
  auto [here, there] = lsock::pair().value();
  auto [sender, receiver] = pipe().value();

  const std::array lent{sender.handle()};
  if (!here.send_handles(octets_of("a pipe"), lent)) return;

  std::array<std::byte, 100> space;
  std::array<Handle, 1> handles;
  const auto got = there.recv_handles(space, handles);
  if (!got || got->handle_count != 1) return;
  auto passed = fifo::Sender::adopt(handles[0].release());
  if (!passed) return;  // something else came

  CHECK(passed->send(octets_of("x")));
  CHECK(there.peer_credentials().value().process == getpid());
  CHECK(receiver.recv(space).value() == Received::octets(1));
}

TEST_CASE("documented: datagrams") {
  auto server = sock::Dgram::open(InetAddr::loopback()).value();
  auto client = sock::CoDgram::open(server.local_address().value()).value();
  CHECK(client.send(octets_of("what time is it?")));

  std::array<std::byte, 1500> space;
  const auto asked = server.recv_from(space);
  if (!asked || asked->truncated()) return;
  CHECK(server.send_to(octets_of("late"), asked->sender));

  CHECK(client.recv(space, 10s).value().size == 4);
}

TEST_CASE("documented: addresses") {
  constexpr auto local = InetAddr::loopback(2809);            // 127.0.0.1:2809
  constexpr auto everywhere = InetAddr::any_v6(2809);         // [::]:2809, IPv4 too
  constexpr auto parsed = InetAddr::parse("192.0.2.1:2809");  // nothing, if it is not an address
  constexpr auto path = UnixAddr::path("/run/app/socket");    // nothing, if it is too long
  constexpr auto name = UnixAddr::parse("@app");              // abstract: not in a file system
  constexpr auto group = McastAddr::parse("239.1.2.3:5000");  // nothing, if it is not a group
  static_assert(local.port() == everywhere.port() && parsed && path && name && group);
  CHECK(to_string(*parsed) == "192.0.2.1:2809");
}

TEST_CASE("documented: multicast") {
  const auto here = Interface::named("lo").value();
  auto members = sock::DgramMcast::open(InetAddr::any(), ReuseAddress{true}).value();
  const auto port = members.local_address().value().port();
  const auto news = McastAddr::of(InetAddr::v4({239, 1, 2, 3}, port)).value();
  CHECK(members.join(news, here));

  auto sender = sock::DgramMcast::open(InetAddr::any(), McastInterface{here}, McastHops{1}).value();
  CHECK(sender.send_to(octets_of("rain"), news));
  std::array<std::byte, 1500> space;
  const auto heard = members.recv_from(space, 10s);
  CHECK(heard.value().count == 4);
  CHECK(members.leave(news, here));
}

TEST_CASE("documented: a file that is received") {
  const std::string path = "perigee_documented_test_" + std::to_string(getpid());
  auto [here, there] = lsock::pair().value();
  CHECK(here.send_n(octets_of("a picture")));
  here.close_sender();
  {
    auto file = OutputFile::open(path, OutputFile::Existing::refuse);
    if (!file) return;  // file_exists: no file is overwritten
    std::size_t moved = 0;
    const auto received = there.recv_file_n(*file, 0, 1 << 20, 30s, moved);
    if (!received) return;  // the file has `moved` octets
    CHECK(received->count() == 9);
    CHECK(file->sync());
  }
  CHECK(OutputFile::open(path, OutputFile::Existing::refuse).error() == std::errc::file_exists);
  unlink(path.c_str());
}

TEST_CASE("documented: options") {
  auto stream = sock::Stream();
  const auto acceptor =
      sock::Acceptor::open(InetAddr::loopback(), ReuseAddress{true}, ReceiveBuffer{1 << 20});
  CHECK(acceptor);
  if (acceptor) {
    stream = sock::Connector::connect(acceptor->local_address().value(), 2s, NoDelay{true}).value();
  }
  CHECK(stream.get<NoDelay>().value().on);
}

}  // namespace
}  // namespace perigee::ipc
