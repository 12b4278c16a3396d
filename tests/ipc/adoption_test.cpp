// Handles that other code has opened. An adopted handle has the properties of its class; an
// unsuitable handle is refused and closed.
#include "ipc/faults.h"
#include "support/octets.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <utility>

namespace perigee::ipc {
namespace {

using namespace std::chrono_literals;
using namespace test;
using perigee::test::octets;

#define EVERY_DOMAIN OverV4, OverV6, OverLocal, OverRing

/// Releases the handle with O_NONBLOCK flipped, as another library might have left it.
template <typename Owner>
int in_other_mode(Owner owner) {
  const int fd = owner.release();
  const int flags = fcntl(fd, F_GETFL);
  REQUIRE(fcntl(fd, F_SETFL, flags ^ O_NONBLOCK) == 0);
  return fd;
}

TEST_CASE_TEMPLATE("an adopted acceptor accepts with a time limit, and without waiting", Over,
                   EVERY_DOMAIN) {
  if (!is_here<Over>()) return;
  using Acceptor = typename Over::Family::Acceptor;
  auto acceptor = Acceptor::adopt(in_other_mode(Acceptor::open(Over::fresh()).value())).value();
  CHECK(acceptor.accept(no_wait).error() == std::errc::operation_would_block);
  CHECK(acceptor.accept(1ms).error() == std::errc::timed_out);
  auto client = Over::Family::Connector::connect(acceptor.local_address().value()).value();
  auto server = acceptor.accept(1h).value();
  REQUIRE(client.send(octets(1)).value() == 1);
  std::array<std::byte, 1> space;
  CHECK(server.recv(MutableOctetSpan(space)).value() == Received::octets(1));
}

TEST_CASE_TEMPLATE("an adopted stream waits for octets", Over, EVERY_DOMAIN) {
  if (!is_here<Over>()) return;
  using Stream = typename Over::Family::Stream;
  auto connection = connection_over<Over>();
  auto adopted = Stream::adopt(in_other_mode(std::move(connection.server))).value();
  CHECK((fcntl(adopted.handle(), F_GETFL) & O_NONBLOCK) == 0);
  std::array<std::byte, 1> space;
  CHECK(adopted.recv(MutableOctetSpan(space), 1ms).error() == std::errc::timed_out);
  REQUIRE(connection.client.send(octets(1)).value() == 1);
  CHECK(adopted.recv(MutableOctetSpan(space), 1h).value() == Received::octets(1));
}

TEST_CASE("an adopted acceptor of one TCP family works as the other family, and waits") {
  if (!is_here<OverRing>()) return;
  auto acceptor = sock::Acceptor::open(InetAddr::loopback()).value();
  const auto address = acceptor.local_address().value();
  auto ring = uring::Acceptor::adopt(acceptor.release()).value();
  CHECK(ring.accept(1ms).error() == std::errc::timed_out);
  auto again = sock::Acceptor::adopt(ring.release()).value();
  CHECK(again.accept(1ms).error() == std::errc::timed_out);
  CHECK(sock::Connector::connect(address).has_value());
}

TEST_CASE("an adopted stream of records distinguishes an empty record from the end") {
  // Made without the wrappers, so SO_PASSCRED is not set.
  std::array<int, 2> ends{};
  REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0);
  auto stream = spipe::Stream::adopt(ends[0]).value();
  REQUIRE(send(ends[1], "", 0, 0) == 0);
  close_handle(ends[1]);
  std::array<std::byte, 1> space;
  CHECK(stream.recv(MutableOctetSpan(space)).value() == Received::octets(0));
  CHECK(stream.recv(MutableOctetSpan(space)).value() == Received::end());
}

TEST_CASE("an adopted acceptor of records makes streams that recognise empty records") {
  Handle plain(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un unnamed{};
  unnamed.sun_family = AF_UNIX;
  REQUIRE(bind(plain.get(), reinterpret_cast<const sockaddr*>(&unnamed), sizeof(sa_family_t)) == 0);
  REQUIRE(listen(plain.get(), 1) == 0);
  auto acceptor = spipe::Acceptor::adopt(plain.release()).value();
  auto client = spipe::Connector::connect(acceptor.local_address().value()).value();
  auto server = acceptor.accept(1h).value();
  REQUIRE(client.send(OctetSpan{}).has_value());
  client.close();
  std::array<std::byte, 1> space;
  CHECK(server.recv(MutableOctetSpan(space)).value() == Received::octets(0));
  CHECK(server.recv(MutableOctetSpan(space)).value() == Received::end());
}

TEST_CASE("an adopted multicast socket receives only from the groups that it joins") {
  Handle plain(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto members = sock::DgramMcast::adopt(plain.release()).value();
  int hears_all = 1;
  socklen_t size = sizeof(hears_all);
  REQUIRE(getsockopt(members.handle(), IPPROTO_IP, IP_MULTICAST_ALL, &hears_all, &size) == 0);
  CHECK(hears_all == 0);
}

/// The error of adopting a handle. The handle is closed in any case.
template <typename Owner>
std::error_code refused(int fd) {
  const auto adopted = Owner::adopt(fd);
  REQUIRE_FALSE(adopted.has_value());
  CHECK(fcntl(fd, F_GETFL) == -1);
  return adopted.error();
}

template <typename Owner>
int handle_of(Result<Owner> made) {
  return made.value().release();
}

TEST_CASE("handles of a wrong kind are refused and closed") {
  const auto local = InetAddr::loopback();
  CHECK(refused<sock::Stream>(-1) == std::errc::bad_file_descriptor);
  CHECK(refused<sock::Stream>(handle_of(File::open("/proc/self/exe"))) == std::errc::not_a_socket);
  CHECK(refused<sock::Stream>(lsock::pair().value().first.release()) ==
        std::errc::wrong_protocol_type);
  CHECK(refused<lsock::Stream>(spipe::pair().value().first.release()) ==
        std::errc::wrong_protocol_type);
  CHECK(refused<sock::Stream>(handle_of(sock::Dgram::open(local))) ==
        std::errc::wrong_protocol_type);
  CHECK(refused<sock::Stream>(handle_of(sock::Acceptor::open(local))) ==
        std::errc::invalid_argument);
  CHECK(refused<lsock::Acceptor>(lsock::pair().value().first.release()) ==
        std::errc::invalid_argument);
  CHECK(refused<sock::CoDgram>(handle_of(sock::Dgram::open(local))) == std::errc::not_connected);
  CHECK(refused<fifo::Sender>(pipe().value().receiver.release()) == std::errc::bad_file_descriptor);
  CHECK(refused<fifo::Receiver>(pipe().value().sender.release()) == std::errc::bad_file_descriptor);
  CHECK(refused<fifo::Receiver>(lsock::pair().value().first.release()) == std::errc::not_supported);
}

TEST_CASE("datagram sockets and the ends of pipes are adopted") {
  auto dgram = sock::Dgram::adopt(in_other_mode(sock::Dgram::open().value())).value();
  auto pair = lsock::dgram_pair().value();
  auto connected = lsock::CoDgram::adopt(in_other_mode(std::move(pair.first))).value();
  auto ends = pipe().value();
  auto sender = fifo::Sender::adopt(in_other_mode(std::move(ends.sender))).value();
  auto receiver = fifo::Receiver::adopt(in_other_mode(std::move(ends.receiver))).value();
  for (const int fd : {dgram.handle(), connected.handle(), sender.handle(), receiver.handle()}) {
    CHECK((fcntl(fd, F_GETFL) & O_NONBLOCK) == 0);
  }
  CHECK(sender.send(octets(1)).value() == 1);
  CHECK(connected.send(octets(1)).has_value());
}

}  // namespace
}  // namespace perigee::ipc
