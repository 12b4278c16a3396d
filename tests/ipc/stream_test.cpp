// Streams, acceptors and connectors: the same tests over every family and domain.
#include "ipc/every_family.h"
#include "support/octets.h"
#include <perigee/ipc/families.h>

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace perigee::ipc {
namespace {

using namespace std::chrono_literals;
using namespace test;
using perigee::test::octets;

#define EVERY_DOMAIN OverV4, OverV6, OverLocal, OverRing
/// Domains whose system calls have their own time-outs.
#define EVERY_WAITING_DOMAIN OverV4, OverV6, OverLocal

/// Returns no connection if this host does not have the domain.
template <typename Over>
std::optional<Connection<typename Over::Family>> connect() {
  if (!is_here<Over>()) return std::nullopt;
  return connection_over<Over>();
}

/// The example of the paper on socket wrappers (docs/ipc.md): the same server for every family.
template <StreamFamily Family>
void echo_once(typename Family::Acceptor& acceptor) {
  auto stream = acceptor.accept().value();
  std::array<std::byte, 1000> space;
  for (;;) {
    const auto received = stream.recv(MutableOctetSpan(space)).value();
    if (received.end_of_stream()) return;
    if (!stream.send_n(OctetSpan(space).first(received.count()))) return;
  }
}

TEST_CASE_TEMPLATE("an echo server is the same function for every family", Over, EVERY_DOMAIN) {
  using Family = typename Over::Family;
  if (!is_here<Over>()) return;
  auto acceptor = Family::Acceptor::open(Over::fresh());
  std::jthread server([&] { echo_once<Family>(*acceptor); });
  auto stream = Family::Connector::connect(acceptor->local_address().value()).value();
  const Octets message = sample(100'000);
  std::jthread sender([&] {
    static_cast<void>(stream.send_n(OctetSpan(message)));
    stream.close_sender();
  });
  Octets echo(message.size());
  const auto received = stream.recv_n(MutableOctetSpan(echo)).value();
  CHECK(received == Received::octets(message.size()));
  CHECK((echo == message));
  std::byte more{};
  CHECK(stream.recv(MutableOctetSpan(&more, 1)).value() == Received::end());
}

TEST_CASE_TEMPLATE("gathered segments are scattered again, whatever their sizes", Over,
                   EVERY_DOMAIN) {
  auto connection = connect<Over>();
  if (!connection) return;
  const Octets message = sample(5000);
  std::vector<OctetSpan> segments;
  std::vector<MutableOctetSpan> spaces;
  Octets received(message.size());
  for (std::size_t index = 0; index < 2500; ++index) {
    segments.push_back(OctetSpan(message).subspan(index * 2, 2));
    spaces.push_back(MutableOctetSpan(received).subspan(index * 2, 2));
  }
  CHECK(connection->client.send_n(std::span<const OctetSpan>(segments)).value() == 5000);
  CHECK(connection->server.recv_n(std::span<const MutableOctetSpan>(spaces)).value() ==
        Received::octets(5000));
  CHECK((received == message));
}

TEST_CASE_TEMPLATE("one gather-write and one scatter-read use all their segments", Over,
                   EVERY_DOMAIN) {
  auto connection = connect<Over>();
  if (!connection) return;
  const Octets first = octets(1, 2, 3);
  const Octets second = octets(4, 5);
  const std::array<OctetSpan, 4> segments{OctetSpan{}, first, OctetSpan{}, second};
  CHECK(connection->client.send(segments).value() == 5);
  std::array<std::byte, 2> head;
  std::array<std::byte, 8> tail;
  const std::array<MutableOctetSpan, 2> spaces{head, tail};
  CHECK(connection->server.recv(spaces).value() == Received::octets(5));
  CHECK(head[1] == std::byte{2});
  CHECK(tail[2] == std::byte{5});
}

TEST_CASE_TEMPLATE("more empty segments than one call takes are skipped", Over, EVERY_DOMAIN) {
  auto connection = connect<Over>();
  if (!connection) return;
  const Octets message = octets(1, 2, 3);
  std::vector<OctetSpan> segments(io::segments_max + 1);
  segments.push_back(message);
  const std::span<const OctetSpan> all(segments);
  Octets arrived(9);
  std::vector<MutableOctetSpan> spaces(io::segments_max);
  spaces.push_back(MutableOctetSpan(arrived).first(4));
  spaces.resize(spaces.size() + io::segments_max);
  spaces.push_back(MutableOctetSpan(arrived).subspan(4));
  const std::span<const MutableOctetSpan> room(spaces);
  for (const TimeLimit limit : {forever, TimeLimit(1h), no_wait}) {
    CHECK(connection->client.send(all, limit).value() == 3);
    CHECK(connection->server.recv(room, limit.is_no_wait() ? 1h : limit).value() ==
          Received::octets(3));
    CHECK(arrived[2] == std::byte{3});
  }
  for (int count = 0; count < 3; ++count) CHECK(connection->client.send_n(all).value() == 3);
  CHECK(connection->server.recv_n(room, 1h).value() == Received::octets(9));
}

TEST_CASE_TEMPLATE("an exact receive reports the octets that came before the end of the stream",
                   Over, EVERY_DOMAIN) {
  auto connection = connect<Over>();
  if (!connection) return;
  CHECK(connection->client.send(octets(1, 2, 3)).has_value());
  connection->client.close();
  CHECK_FALSE(connection->client.is_open());
  std::array<std::byte, 10> space;
  CHECK(connection->server.recv_n(MutableOctetSpan(space)).value() == Received::end(3));
  CHECK(connection->server.recv(MutableOctetSpan(space)).value() == Received::end());
}

TEST_CASE_TEMPLATE("a receive without space is not the end of the stream", Over, EVERY_DOMAIN) {
  auto connection = connect<Over>();
  if (!connection) return;
  CHECK(connection->server.recv(MutableOctetSpan{}).value() == Received::octets(0));
  CHECK(connection->server.recv(std::span<const MutableOctetSpan>{}).value() ==
        Received::octets(0));
  CHECK(connection->server.recv_n(MutableOctetSpan{}).value() == Received::octets(0));
}

TEST_CASE_TEMPLATE("a limit ends a wait, and no_wait does not wait", Over, EVERY_DOMAIN) {
  auto connection = connect<Over>();
  if (!connection) return;
  std::array<std::byte, 10> space;
  const MutableOctetSpan all(space);
  CHECK(connection->server.recv(all, no_wait).error() == std::errc::operation_would_block);
  CHECK(connection->server.recv(all, 0ms).error() == std::errc::timed_out);
  CHECK(connection->server.recv(all, 1ms).error() == std::errc::timed_out);
  CHECK(connection->server.recv_n(all, 1ms).error() == std::errc::timed_out);
  CHECK(connection->client.send(octets(1)).has_value());
  CHECK(connection->server.recv(all, 1h).value() == Received::octets(1));
  CHECK(connection->client.send(octets(1)).has_value());
  CHECK(connection->server.recv_n(all, 1ms).error() == std::errc::timed_out);  // has 1 of 10
}

TEST_CASE_TEMPLATE("a limited send ends when the peer does not read", Over, EVERY_DOMAIN) {
  auto connection = connect<Over>();
  if (!connection) return;
  const Octets message(64u << 20);
  CHECK(connection->client.send_n(OctetSpan(message), 1ms).error() == std::errc::timed_out);
  CHECK(connection->client.send(OctetSpan(message), no_wait).error() ==
        std::errc::operation_would_block);
}

TEST_CASE_TEMPLATE("interrupt ends a blocked receive", Over, EVERY_DOMAIN) {
  auto connection = connect<Over>();
  if (!connection) return;
  std::jthread waiting([&] {
    std::array<std::byte, 10> space;
    static_cast<void>(connection->server.recv(MutableOctetSpan(space)));
  });
  connection->server.interrupt();
  waiting.join();
  CHECK(connection->server.send(octets(1)).error() == std::errc::broken_pipe);
}

TEST_CASE_TEMPLATE("accept waits up to its limit, and interrupt ends it", Over, EVERY_DOMAIN) {
  if (!is_here<Over>()) return;
  auto acceptor = Over::Family::Acceptor::open(Over::fresh());
  CHECK(acceptor->accept(no_wait).error() == std::errc::operation_would_block);
  CHECK(acceptor->accept(1ms).error() == std::errc::timed_out);
  std::error_code error;
  std::jthread waiting([&] { error = acceptor->accept().error(); });
  acceptor->interrupt();
  waiting.join();
  CHECK(error == std::errc::invalid_argument);
}

TEST_CASE_TEMPLATE("a connect can be begun and awaited, and gives a stream only at the end", Over,
                   EVERY_DOMAIN) {
  using Family = typename Over::Family;
  if (!is_here<Over>()) return;
  auto acceptor = Family::Acceptor::open(Over::fresh());
  auto pending = Family::Connector::start(acceptor->local_address().value()).value();
  auto client = pending.finish(10s).value();
  CHECK_FALSE(pending.is_open());
  auto server = acceptor->accept().value();
  // The stream is blocking again: a receive waits.
  std::jthread sender([&] { static_cast<void>(server.send(octets(1, 2, 3))); });
  std::array<std::byte, 3> space;
  CHECK(client.recv_n(MutableOctetSpan(space)).value() == Received::octets(3));
}

TEST_CASE_TEMPLATE("connecting to an address without a listener is refused, in each form", Over,
                   EVERY_DOMAIN) {
  using Family = typename Over::Family;
  if (!is_here<Over>()) return;
  auto acceptor = Family::Acceptor::open(Over::fresh());
  const auto address = acceptor->local_address().value();
  acceptor->close();
  CHECK(Family::Connector::connect(address).error() == std::errc::connection_refused);
  CHECK(Family::Connector::connect(address, 10s).error() == std::errc::connection_refused);
  auto pending = Family::Connector::start(address);
  const auto error = pending ? pending->finish(10s).error() : pending.error();
  CHECK(error == std::errc::connection_refused);
  if (pending) CHECK_FALSE(pending->finish(10s).has_value());  // nor is it connected later
}

TEST_CASE_TEMPLATE("a timed connect gives a stream without a time-out", Over,
                   EVERY_WAITING_DOMAIN) {
  using Family = typename Over::Family;
  if (!is_here<Over>()) return;
  auto acceptor = Family::Acceptor::open(Over::fresh());
  auto stream = Family::Connector::connect(acceptor->local_address().value(), 10s).value();
  CHECK(stream.template get<SendTimeout>().value().time == 0us);
}

TEST_CASE_TEMPLATE("a timed connect gives a stream with the requested time-out", Over,
                   EVERY_WAITING_DOMAIN) {
  using Family = typename Over::Family;
  if (!is_here<Over>()) return;
  auto acceptor = Family::Acceptor::open(Over::fresh());
  auto stream =
      Family::Connector::connect(acceptor->local_address().value(), 10s, SendTimeout{1s}).value();
  CHECK(stream.template get<SendTimeout>().value().time == 1s);
}

TEST_CASE_TEMPLATE("both ends know their addresses", Over, EVERY_DOMAIN) {
  using Family = typename Over::Family;
  if (!is_here<Over>()) return;
  auto acceptor = Family::Acceptor::open(Over::fresh());
  const auto listening = acceptor->local_address().value();
  CHECK(listening != Over::fresh());
  auto client = Family::Connector::connect(listening).value();
  auto server = acceptor->accept().value();
  CHECK(client.peer_address().value() == listening);
  CHECK(server.local_address().value() == listening);
  CHECK(server.peer_address().value() == client.local_address().value());
}

TEST_CASE_TEMPLATE("a handle can be moved, released and adopted again", Over, EVERY_DOMAIN) {
  auto connection = connect<Over>();
  if (!connection) return;
  using Stream = typename Over::Family::Stream;
  const int handle = connection->client.handle();
  Stream moved = std::move(connection->client);
  CHECK(moved.handle() == handle);
  const int released = moved.release();
  CHECK(released == handle);
  CHECK_FALSE(moved.is_open());
  Stream adopted = Stream::adopt(released).value();
  CHECK(adopted.send(octets(1)).value() == 1);
  adopted = Stream{};  // closes the old handle
  std::array<std::byte, 2> space;
  CHECK(connection->server.recv_n(MutableOctetSpan(space)).value() == Received::end(1));
}

TEST_CASE_TEMPLATE("a closed stream fails without a side effect", Over, EVERY_DOMAIN) {
  if (!is_here<Over>()) return;
  typename Over::Family::Stream stream;
  CHECK(stream.send(octets(1)).error() == std::errc::bad_file_descriptor);
  std::array<std::byte, 2> space;
  CHECK(stream.recv(MutableOctetSpan(space)).error() == std::errc::bad_file_descriptor);
}

TEST_CASE("a signal that a handler catches does not end a wait") {
  auto connection = connect<OverLocal>().value();
  struct sigaction action{};
  action.sa_handler = [](int) {};
  struct sigaction before{};
  REQUIRE(sigaction(SIGUSR1, &action, &before) == 0);
  Result<Received> result = Received::octets(0);
  std::array<std::byte, 2> space;
  std::jthread waiting([&] { result = connection.server.recv_n(MutableOctetSpan(space), 1h); });
  for (int count = 0; count < 50; ++count) pthread_kill(waiting.native_handle(), SIGUSR1);
  CHECK(connection.client.send(octets(1)).has_value());
  for (int count = 0; count < 50; ++count) pthread_kill(waiting.native_handle(), SIGUSR1);
  CHECK(connection.client.send(octets(2)).has_value());
  waiting.join();
  CHECK(result.value() == Received::octets(2));
  sigaction(SIGUSR1, &before, nullptr);
}

TEST_CASE("the path at which an acceptor listened stays until it is removed") {
  const std::string path = "perigee_ipc_stream_test_" + std::to_string(getpid());
  const auto address = UnixAddr::path(path).value();
  lsock::remove(address);
  auto acceptor = lsock::Acceptor::open(address).value();
  CHECK(acceptor.local_address().value() == address);
  CHECK(lsock::Connector::connect(address).has_value());
  acceptor.close();
  CHECK(lsock::Acceptor::open(address).error() == std::errc::address_in_use);
  lsock::remove(address);
  CHECK(lsock::Acceptor::open(address).has_value());
  lsock::remove(address);
}

}  // namespace
}  // namespace perigee::ipc
