// Datagrams: the same tests over every family and domain.
#include "support/octets.h"
#include <perigee/ipc/families.h>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

namespace perigee::ipc {
namespace {

using namespace std::chrono_literals;
using perigee::test::octets;

/// A family, and an address to which the system adds a port or a name.
struct OverV4 {
  using Family = Sock;
  static InetAddr fresh() { return InetAddr::loopback(); }
};
struct OverV6 {
  using Family = Sock;
  static InetAddr fresh() { return InetAddr::loopback_v6(); }
};
struct OverLocal {
  using Family = LSock;
  static UnixAddr fresh() { return {}; }
};
#define EVERY_DOMAIN OverV4, OverV6, OverLocal

template <typename Over>
using Dgram = typename Over::Family::Dgram;
template <typename Over>
using CoDgram = typename Over::Family::CoDgram;

/// Some containers have no IPv6.
template <typename Over>
bool exists() {
  return Dgram<Over>::open(Over::fresh()).has_value();
}

template <typename Over>
Dgram<Over> opened() {
  return Dgram<Over>::open(Over::fresh()).value();
}

/// Two sockets that are each other's peer.
template <typename Over>
Pair<CoDgram<Over>> peers() {
  auto reserved = opened<Over>();
  const auto address = reserved.local_address().value();
  auto second = CoDgram<Over>::open(address).value();
  reserved.close();
  auto first =
      CoDgram<Over>::open({.local = address, .peer = second.local_address().value()}).value();
  return {std::move(first), std::move(second)};
}
template <>
Pair<lsock::CoDgram> peers<OverLocal>() {
  return lsock::dgram_pair().value();
}

TEST_CASE_TEMPLATE("a datagram arrives whole with its sender's address, which can be answered",
                   Over, EVERY_DOMAIN) {
  if (!exists<Over>()) return;  // this host has no such domain
  auto here = opened<Over>();
  auto there = opened<Over>();
  REQUIRE(here.send_to(octets(1, 2, 3), there.local_address().value()));
  std::array<std::byte, 10> space;
  const auto got = there.recv_from(space).value();
  CHECK(got.count == 3);
  CHECK(got.size == 3);
  CHECK_FALSE(got.truncated());
  CHECK(got.sender == here.local_address().value());
  CHECK(space[2] == std::byte{3});
  REQUIRE(there.send_to(octets(4), got.sender));
  CHECK(here.recv_from(space).value().sender == there.local_address().value());
}

TEST_CASE_TEMPLATE("a datagram that does not fit is truncated, and its size is known", Over,
                   EVERY_DOMAIN) {
  if (!exists<Over>()) return;  // this host has no such domain
  auto here = opened<Over>();
  auto there = opened<Over>();
  const auto to = there.local_address().value();
  REQUIRE(here.send_to(octets(1, 2, 3), to));
  REQUIRE(here.send_to(octets(4, 5), to));
  std::array<std::byte, 2> space;
  const auto cut = there.recv_from(space).value();
  CHECK(cut.truncated());
  CHECK(cut.count == 2);
  CHECK(cut.size == 3);
  CHECK_FALSE(there.recv_from(space).value().truncated());
  CHECK(space[0] == std::byte{4});
}

TEST_CASE_TEMPLATE("an empty datagram is a datagram", Over, EVERY_DOMAIN) {
  if (!exists<Over>()) return;  // this host has no such domain
  auto here = opened<Over>();
  auto there = opened<Over>();
  REQUIRE(here.send_to(OctetSpan{}, there.local_address().value()));
  std::array<std::byte, 2> space;
  const auto got = there.recv_from(space).value();
  CHECK(got.size == 0);
  CHECK(got.sender == here.local_address().value());
}

TEST_CASE_TEMPLATE("segments make one datagram", Over, EVERY_DOMAIN) {
  if (!exists<Over>()) return;  // this host has no such domain
  auto here = opened<Over>();
  auto there = opened<Over>();
  const Octets first = octets(1, 2);
  const Octets second = octets(3);
  const std::array<OctetSpan, 3> segments{first, OctetSpan{}, second};
  const auto to = there.local_address().value();
  REQUIRE(here.send_to(segments, to));
  std::array<std::byte, 10> space;
  CHECK(there.recv_from(space).value().size == 3);
  CHECK(space[2] == std::byte{3});
  const std::vector<OctetSpan> many(io::segments_max + 1, OctetSpan(first));
  CHECK(here.send_to(std::span<const OctetSpan>(many), to).error() == std::errc::message_size);
}

TEST_CASE_TEMPLATE("a limit ends a wait for a datagram", Over, EVERY_DOMAIN) {
  if (!exists<Over>()) return;  // this host has no such domain
  auto here = opened<Over>();
  auto there = opened<Over>();
  std::array<std::byte, 2> space;
  CHECK(there.recv_from(space, no_wait).error() == std::errc::operation_would_block);
  CHECK(there.recv_from(space, 1ms).error() == std::errc::timed_out);
  REQUIRE(here.send_to(octets(1), there.local_address().value(), 1h));
  CHECK(there.recv_from(space, 1h).value().size == 1);
}

TEST_CASE_TEMPLATE("a datagram larger than the protocol allows is not sent", Over, EVERY_DOMAIN) {
  if (!exists<Over>()) return;  // this host has no such domain
  auto here = opened<Over>();
  auto there = opened<Over>();
  const Octets large(10 << 20);
  CHECK(here.send_to(large, there.local_address().value()).error() == std::errc::message_size);
  std::array<std::byte, 2> space;
  CHECK(there.recv_from(space, no_wait).error() == std::errc::operation_would_block);
}

TEST_CASE_TEMPLATE("peers exchange datagrams without naming each other", Over, EVERY_DOMAIN) {
  if (!exists<Over>()) return;  // this host has no such domain
  auto [first, second] = peers<Over>();
  CHECK(first.peer_address().value() == second.local_address().value());
  std::array<std::byte, 2> space;
  const std::array<OctetSpan, 1> none{};
  for (int turn = 0; turn < 2; ++turn) {
    REQUIRE(second.send(octets(1, 2, 3)));
    REQUIRE(second.send(none));
    const auto cut = first.recv(space).value();
    CHECK(cut.truncated());
    CHECK(cut.size == 3);
    CHECK(first.recv(space).value().size == 0);
    CHECK(first.recv(space, 1ms).error() == std::errc::timed_out);
    CHECK(first.recv(space, no_wait).error() == std::errc::operation_would_block);
    std::swap(first, second);
  }
}

TEST_CASE_TEMPLATE("a socket with a peer receives only from that peer", Over, EVERY_DOMAIN) {
  if (!exists<Over>()) return;  // this host has no such domain
  auto stranger = opened<Over>();
  auto partner = opened<Over>();
  auto one = CoDgram<Over>::open(partner.local_address().value()).value();
  const auto to = one.local_address().value();
  const auto refused = stranger.send_to(octets(1), to);  // local sockets tell the sender
  if (!refused) CHECK(refused.error() == std::errc::operation_not_permitted);
  REQUIRE(partner.send_to(octets(2), to));
  std::array<std::byte, 2> space;
  CHECK(one.recv(space).value().size == 1);
  CHECK(space[0] == std::byte{2});
}

TEST_CASE_TEMPLATE("sending to a peer that does not exist is refused sooner or later", Over,
                   EVERY_DOMAIN) {
  if (!exists<Over>()) return;  // this host has no such domain
  auto gone = opened<Over>();
  auto one = CoDgram<Over>::open(gone.local_address().value()).value();
  gone.close();
  auto status = one.send(octets(1));  // IP learns of the closed port from the answer
  if (status) {
    std::array<std::byte, 2> space;
    CHECK(one.recv(space).error() == std::errc::connection_refused);
  } else {
    CHECK(status.error() == std::errc::connection_refused);
  }
}

TEST_CASE_TEMPLATE("options of datagram sockets are set before they are bound", Over,
                   EVERY_DOMAIN) {
  if (!exists<Over>()) return;  // this host has no such domain
  auto socket = Dgram<Over>::open(Over::fresh(), ReceiveBuffer{65536}).value();
  CHECK(socket.template get<ReceiveBuffer>().value().size >= 65536);
  CHECK(socket.set(ReceiveTimeout{1ms}));
  std::array<std::byte, 2> space;
  CHECK(socket.recv_from(space).error() == std::errc::operation_would_block);
}

TEST_CASE_TEMPLATE("a closed socket fails without a side effect", Over, EVERY_DOMAIN) {
  if (!exists<Over>()) return;  // this host has no such domain
  Dgram<Over> socket;
  std::array<std::byte, 2> space;
  CHECK(socket.send_to(octets(1), Over::fresh()).error() == std::errc::bad_file_descriptor);
  CHECK(socket.recv_from(space).error() == std::errc::bad_file_descriptor);
  CoDgram<Over> one;
  CHECK(one.send(octets(1)).error() == std::errc::bad_file_descriptor);
  CHECK(one.recv(space).error() == std::errc::bad_file_descriptor);
}

TEST_CASE_TEMPLATE("a signal that a handler catches does not end a wait for a datagram", Over,
                   EVERY_DOMAIN) {
  if (!exists<Over>()) return;  // this host has no such domain
  auto here = opened<Over>();
  auto there = opened<Over>();
  struct sigaction action{};
  action.sa_handler = [](int) {};
  struct sigaction before{};
  REQUIRE(sigaction(SIGUSR1, &action, &before) == 0);
  std::size_t size = 0;
  std::array<std::byte, 2> space;
  std::jthread waiting([&] { size = there.recv_from(space).value().size; });
  for (int count = 0; count < 50; ++count) pthread_kill(waiting.native_handle(), SIGUSR1);
  REQUIRE(here.send_to(octets(1), there.local_address().value()));
  waiting.join();
  CHECK(size == 1);
  sigaction(SIGUSR1, &before, nullptr);
}

TEST_CASE("a socket for IPv6 exchanges datagrams with IPv4, unless an option forbids it") {
  if (!exists<OverV6>()) return;  // this host has no such domain
  auto both = sock::Dgram::open(InetAddr::any_v6()).value();
  const auto port = both.local_address().value().port();
  auto v4 = sock::Dgram::open(InetAddr::loopback()).value();
  REQUIRE(v4.send_to(octets(1), InetAddr::loopback(port)));
  std::array<std::byte, 2> space;
  const auto got = both.recv_from(space).value();
  CHECK(got.sender.unmapped() == v4.local_address().value());
  REQUIRE(both.send_to(octets(2), got.sender));
  CHECK(v4.recv_from(space).value().size == 1);
  auto only_v6 = sock::Dgram::open(InetAddr::any_v6(), V6Only{true}).value();
  CHECK(only_v6.send_to(octets(1), InetAddr::loopback(port)).error() ==
        std::errc::network_unreachable);
}

TEST_CASE("a Dgram does not broadcast") {
  auto socket = sock::Dgram::open().value();
  CHECK(socket.send_to(octets(1), InetAddr::v4({127, 255, 255, 255}, 9)).error() ==
        std::errc::permission_denied);
}

TEST_CASE("a port that is taken is an error") {
  auto taken = sock::Dgram::open(InetAddr::loopback()).value();
  const auto address = taken.local_address().value();
  CHECK(sock::Dgram::open(address).error() == std::errc::address_in_use);
  auto polite = sock::Dgram::open(InetAddr::loopback(), ReusePort{}).value();
  CHECK(sock::Dgram::open(polite.local_address().value(), ReusePort{}).has_value());
}

TEST_CASE("local datagrams have paths and abstract names") {
  const auto path = UnixAddr::path("perigee_dgram_test_" + std::to_string(getpid())).value();
  lsock::remove(path);
  auto by_path = lsock::Dgram::open(path).value();
  const auto name = UnixAddr::abstract("perigee dgram test " + std::to_string(getpid())).value();
  auto by_name = lsock::Dgram::open(name).value();
  REQUIRE(by_name.send_to(octets(1), path));
  std::array<std::byte, 2> space;
  CHECK(by_path.recv_from(space).value().sender == name);
  REQUIRE(by_path.send_to(octets(1), name));
  CHECK(by_name.recv_from(space).value().sender == path);
  by_path.close();
  CHECK(by_name.send_to(octets(1), path).error() == std::errc::connection_refused);
  lsock::remove(path);
  CHECK(by_name.send_to(octets(1), path).error() == std::errc::no_such_file_or_directory);
}

/// The CPU time of this thread so far.
std::chrono::nanoseconds thread_time() {
  timespec time{};
  REQUIRE(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Sends without waiting until the receiver's queue is full. Returns the number of datagrams.
int fill(lsock::Dgram& sender, const UnixAddr& receiver) {
  int count = 0;
  while (sender.send_to(octets(1), receiver, no_wait)) ++count;
  return count;
}

TEST_CASE("a send to a full local receiver waits until the limit, without using CPU time") {
  auto receiver = lsock::Dgram::open().value();
  const auto address = receiver.local_address().value();
  auto sender = lsock::Dgram::open().value();
  REQUIRE(fill(sender, address) > 0);
  const auto message = octets(1, 2);
  const std::array<OctetSpan, 2> segments{message, message};
  const int lent = sender.handle();
  const auto before = thread_time();
  CHECK(sender.send_to(message, address, 300ms).error() == std::errc::timed_out);
  CHECK(sender.send_to(segments, address, 300ms).error() == std::errc::timed_out);
  CHECK(sender.send_handles_to(message, std::span(&lent, 1), address, 300ms).error() ==
        std::errc::timed_out);
  CHECK(thread_time() - before < 300ms);
}

TEST_CASE("a local receiver that was full gets the datagram of the waiting sender") {
  auto receiver = lsock::Dgram::open().value();
  const auto address = receiver.local_address().value();
  auto sender = lsock::Dgram::open().value();
  const int filled = fill(sender, address);
  std::jthread waiting([&] { CHECK(sender.send_to(octets(1, 2), address, 1h)); });
  std::array<std::byte, 10> space;
  for (int count = 0; count < filled; ++count) CHECK(receiver.recv_from(space, 1h)->size == 1);
  CHECK(receiver.recv_from(space, 1h)->size == 2);
}

TEST_CASE("a local receiver that closes during the wait makes the send fail") {
  auto receiver = lsock::Dgram::open().value();
  const auto address = receiver.local_address().value();
  auto sender = lsock::Dgram::open().value();
  REQUIRE(fill(sender, address) > 0);
  std::jthread waiting([&] {
    CHECK(sender.send_to(octets(1, 2), address, 1h).error() == std::errc::connection_refused);
  });
  receiver.close();
}

TEST_CASE("handles travel with local datagrams; handles that do not fit are closed") {
  auto here = lsock::Dgram::open().value();
  auto there = lsock::Dgram::open().value();
  const Handle null_device(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const std::array lent{null_device.get(), null_device.get()};
  const auto to = there.local_address().value();
  for (int count = 0; count < 3; ++count) {
    REQUIRE(here.send_handles_to(octets(1, 2), lent, to));
  }
  std::array<std::byte, 2> space;
  std::array<Handle, 2> handles;
  const auto got = there.recv_handles_from(space, handles).value();
  CHECK(got.handle_count == 2);
  CHECK(got.count == 2);
  CHECK(got.sender == here.local_address().value());
  CHECK((::fcntl(handles[1].get(), F_GETFD) & FD_CLOEXEC) != 0);
  std::array<Handle, 1> few;
  CHECK(there.recv_handles_from(space, few).error() == std::errc::message_size);
  CHECK(there.recv_handles_from(MutableOctetSpan(space).first(1), handles).error() ==
        std::errc::message_size);
}

TEST_CASE("handles travel between peers") {
  auto [first, second] = peers<OverLocal>();
  const std::array lent{second.handle()};
  REQUIRE(second.send_handles(OctetSpan{}, lent));
  std::array<std::byte, 2> space;
  std::array<Handle, 2> handles;
  CHECK(first.recv_handles(space, handles).value().handle_count == 1);
  auto copy = lsock::CoDgram::adopt(handles[0].release()).value();
  REQUIRE(copy.send(octets(1)));
  CHECK(first.recv(space).value().size == 1);
}

}  // namespace
}  // namespace perigee::ipc
