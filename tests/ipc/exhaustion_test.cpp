// No handles left: each call that needs a handle reports the error, keeps its arguments, and works
// again once handles are free.
#include "ipc/faults.h"
#include "support/octets.h"
#include <perigee/ipc/connect_any.h>
#include <perigee/ipc/group.h>

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <vector>

namespace perigee::ipc {
namespace {

using namespace std::chrono_literals;
using namespace test;
using perigee::test::octets;

#define EVERY_FAMILY OverV4, OverV6, OverLocal, OverRing

TEST_CASE_TEMPLATE("without handles, acceptors and connections report the error", Over,
                   EVERY_FAMILY) {
  if (!is_here<Over>()) return;
  using Family = typename Over::Family;
  auto acceptor = Family::Acceptor::open(Over::fresh()).value();
  const auto address = acceptor.local_address().value();
  const auto before = open_handles();
  {
    const NoHandlesLeft exhausted;
    constexpr auto expected = std::errc::too_many_files_open;
    CHECK(Family::Acceptor::open(Over::fresh()).error() == expected);
    CHECK(Family::Connector::connect(address).error() == expected);
    CHECK(Family::Connector::connect(address, 1h).error() == expected);
    CHECK(Family::Connector::start(address).error() == expected);
  }
  CHECK(Family::Connector::connect(address).has_value());
  CHECK(open_handles() == before);
}

TEST_CASE_TEMPLATE("a connection that cannot be accepted waits until a handle is free", Over,
                   EVERY_FAMILY) {
  if (!is_here<Over>()) return;
  using Family = typename Over::Family;
  auto acceptor = Family::Acceptor::open(Over::fresh()).value();
  auto client = Family::Connector::connect(acceptor.local_address().value()).value();
  REQUIRE(client.send(octets(1, 2, 3)).value() == 3);
  const auto before = open_handles();
  for (const TimeLimit limit : {forever, TimeLimit(1h), no_wait}) {
    const NoHandlesLeft exhausted;
    CHECK(acceptor.accept(limit).error() == std::errc::too_many_files_open);
  }
  CHECK(open_handles() == before);
  auto server = acceptor.accept().value();
  std::array<std::byte, 3> space;
  CHECK(server.recv_n(MutableOctetSpan(space)).value() == Received::octets(3));
  CHECK(space[2] == std::byte{3});
}

TEST_CASE_TEMPLATE("a stream that cannot be received into a file is not read", Over, EVERY_FAMILY) {
  if (!is_here<Over>()) return;
  char path[] = "perigee_exhaustion_test_XXXXXX";
  auto output = OutputFile::adopt(mkstemp(path));
  auto connection = connection_over<Over>();
  REQUIRE(connection.client.send(octets(1, 2, 3)).value() == 3);
  {
    const NoHandlesLeft exhausted;  // for the pipe between stream and file
    CHECK(connection.server.recv_file(output, 0, 3).error() == std::errc::too_many_files_open);
    CHECK(File::open(path).error() == std::errc::too_many_files_open);
    CHECK(OutputFile::open(path, OutputFile::Existing::empty).error() ==
          std::errc::too_many_files_open);
  }
  CHECK(connection.server.recv_file_n(output, 0, 3).value() == Received::octets(3));
  CHECK(output.size().value() == 3);
  unlink(path);
}

TEST_CASE("without handles, stream pipes, pipes and pairs report the error") {
  auto acceptor = spipe::Acceptor::open({}).value();
  const auto address = acceptor.local_address().value();
  const auto before = open_handles();
  {
    const NoHandlesLeft exhausted;
    constexpr auto expected = std::errc::too_many_files_open;
    CHECK(spipe::Acceptor::open({}).error() == expected);
    CHECK(spipe::Connector::connect(address).error() == expected);
    CHECK(spipe::pair().error() == expected);
    CHECK(lsock::pair().error() == expected);
    CHECK(pipe().error() == expected);
  }
  CHECK(open_handles() == before);
}

TEST_CASE("without handles, datagram sockets report the error") {
  const auto peer = InetAddr::loopback(1);
  const auto before = open_handles();
  {
    const NoHandlesLeft exhausted;
    constexpr auto expected = std::errc::too_many_files_open;
    CHECK(sock::Dgram::open(InetAddr::loopback()).error() == expected);
    CHECK(sock::CoDgram::open(peer).error() == expected);
    CHECK(sock::DgramBcast::open(InetAddr::any()).error() == expected);
    CHECK(sock::DgramMcast::open(InetAddr::any()).error() == expected);
    CHECK(lsock::Dgram::open().error() == expected);
    CHECK(lsock::dgram_pair().error() == expected);
  }
  CHECK(open_handles() == before);
}

TEST_CASE("handles that cannot be received are closed, and the stream continues") {
  auto streams = lsock::pair().value();
  const int lent = streams.first.handle();
  REQUIRE(streams.first.send_handles(octets(1), std::span(&lent, 1)).value() == 1);
  std::array<std::byte, 1> space;
  std::array<Handle, 1> handles;
  const auto before = open_handles();
  {
    const NoHandlesLeft exhausted;
    CHECK(streams.second.recv_handles(space, handles).error() == std::errc::too_many_files_open);
  }
  CHECK(open_handles() == before);
  REQUIRE(streams.first.send_handles(octets(2), std::span(&lent, 1)).value() == 1);
  CHECK(streams.second.recv_handles(space, handles).value().handle_count == 1);
  CHECK(space[0] == std::byte{2});
}

TEST_CASE("without handles, each of several addresses fails with that error") {
  auto acceptor = sock::Acceptor::open(InetAddr::loopback()).value();
  const auto address = acceptor.local_address().value();
  const std::vector addresses{address.with_port(1), address};
  const NoHandlesLeft exhausted;
  const auto failure = sock::connect_any(addresses, forever).error();
  CHECK(failure.error == std::errc::too_many_files_open);
  CHECK(failure.attempts.size() == 2);
}

TEST_CASE("a race without a handle to watch its attempts is lost, and lists each attempt once") {
  auto acceptor = sock::Acceptor::open(InetAddr::loopback()).value();
  const auto address = acceptor.local_address().value();
  REQUIRE(::listen(acceptor.handle(), 0) == 0);
  const auto first = sock::Connector::start(address).value();
  const auto second = sock::Connector::start(address).value();  // now the queue is full
  const std::vector addresses{address, address.with_port(1)};
  const int last_handle = ::dup(0);
  const NoHandlesLeft exhausted;
  ::close(last_handle);
  io::ConnectRace race(addresses, {.attempt_delay = 24h}, {});
  REQUIRE(race.advance() == io::ConnectRace::State::lost);
  const auto failure = race.failure();
  CHECK(failure.error == std::errc::too_many_files_open);
  REQUIRE(failure.attempts.size() == 1);
  CHECK(failure.attempts.front().address == address);
  CHECK(failure.attempts.front().error == std::errc::too_many_files_open);
}

}  // namespace
}  // namespace perigee::ipc
