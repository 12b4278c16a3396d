// Connecting to several addresses. An address that never answers is a listening socket with a full
// queue: the system drops new connections.
#include "ipc/faults.h"
#include <perigee/ipc/connect_any.h>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace perigee::ipc {
namespace {

using namespace std::chrono_literals;
using namespace literals;
using namespace test;
using Clock = std::chrono::steady_clock;

/// Swallows connections: it neither accepts nor refuses them.
class DeadAddress {
 public:
  explicit DeadAddress(const InetAddr& host) {
    // The acceptor binds the socket; a second listen() makes its queue as short as possible.
    acceptor_ = sock::Acceptor::open(host).value();
    address_ = acceptor_.local_address().value();
    REQUIRE(::listen(acceptor_.handle(), 0) == 0);
    for (;;) {
      auto filler = sock::Connector::start(address_).value();
      if (auto connected = filler.finish(50ms)) {
        in_queue_.push_back(std::move(*connected));
      } else {
        return;
      }
    }
  }
  [[nodiscard]] const InetAddr& address() const { return address_; }

 private:
  sock::Acceptor acceptor_;
  InetAddr address_;
  std::vector<sock::Stream> in_queue_;
};

InetAddr refusing(const InetAddr& host) {
  auto acceptor = sock::Acceptor::open(host).value();
  return acceptor.local_address().value();
}

/// Whether this host has IPv6.
bool has_v6() { return sock::Acceptor::open(InetAddr::loopback_v6()).has_value(); }
/// A loopback address of the other family, if the host has that family.
InetAddr other_loopback() { return has_v6() ? InetAddr::loopback_v6() : InetAddr::loopback(); }

using Addresses = std::vector<InetAddr>;

TEST_CASE("RFC 8305, 4: the families alternate, beginning with that of the first address") {
  const auto v4 = [](std::uint16_t port) { return InetAddr::loopback(port); };
  const auto v6 = [](std::uint16_t port) { return InetAddr::loopback_v6(port); };
  CHECK((interleaved({}) == Addresses{}));
  CHECK((interleaved(Addresses{v6(1), v6(2), v6(3), v4(1), v4(2)}) ==
         Addresses{v6(1), v4(1), v6(2), v4(2), v6(3)}));
  CHECK((interleaved(Addresses{v4(1), v6(1), v6(2), v6(3)}) ==
         Addresses{v4(1), v6(1), v6(2), v6(3)}));
  CHECK((interleaved(Addresses{v4(1), v4(1), v4(2)}) == Addresses{v4(1), v4(2)}));
}

TEST_CASE("the first address that answers is used; the result is an ordinary stream") {
  auto acceptor = sock::Acceptor::open(other_loopback()).value();
  const auto address = acceptor.local_address().value();
  auto stream = sock::connect_any(Addresses{address}, 10s, {}, NoDelay{true}).value();
  CHECK(stream.peer_address().value() == address);
  CHECK(stream.get<NoDelay>().value().on);
  auto server = acceptor.accept(10s).value();
  std::byte octet{1};
  CHECK(stream.recv(MutableOctetSpan(&octet, 1), 1ms).error() == std::errc::timed_out);
  CHECK(server.send(OctetSpan(&octet, 1)).value() == 1);
  CHECK(stream.recv(MutableOctetSpan(&octet, 1)).value() == Received::octets(1));
}

TEST_CASE("a refused address costs no delay") {
  auto acceptor = sock::Acceptor::open(InetAddr::loopback()).value();
  const Addresses addresses{refusing(InetAddr::loopback()), refusing(other_loopback()),
                            acceptor.local_address().value()};
  const auto stream = sock::connect_any(addresses, forever, {.attempt_delay = 24h});
  REQUIRE(stream.has_value());
  CHECK(stream->peer_address().value() == addresses[2]);
}

TEST_CASE("an address that does not answer costs only the delay, and is given up") {
  const DeadAddress dead(other_loopback());
  auto acceptor = sock::Acceptor::open(InetAddr::loopback()).value();
  const Addresses addresses{dead.address(), acceptor.local_address().value()};
  const auto before = open_handles();
  const auto start = Clock::now();
  const auto stream = sock::connect_any(addresses, forever, {.attempt_delay = 20ms});
  REQUIRE(stream.has_value());
  CHECK(Clock::now() - start >= 20ms);
  CHECK(stream->peer_address().value() == addresses[1]);
  CHECK(open_handles() == before + 1);
}

TEST_CASE("while one address does not answer, failed attempts start the next attempt at once") {
  const DeadAddress dead(InetAddr::loopback());
  auto acceptor = sock::Acceptor::open(InetAddr::loopback()).value();
  const auto port = refusing(InetAddr::loopback()).port();
  Addresses addresses{dead.address()};
  for (std::uint8_t host = 2; host < 202; ++host) {
    addresses.push_back(InetAddr::v4({127, 0, 0, host}, port));
  }
  addresses.push_back(acceptor.local_address().value());
  // The delay passes once, for the dead address. 200 delays would exceed the limit.
  const auto stream = sock::connect_any(addresses, 15s, {.attempt_delay = 100ms});
  REQUIRE(stream.has_value());
  CHECK(stream->peer_address().value() == addresses.back());
}

namespace {

/// Waits for the handle, as a reactor would, until the race is over.
io::ConnectRace::State run(io::ConnectRace& race) {
  for (;;) {
    const auto state = race.advance();
    if (state != io::ConnectRace::State::running) return state;
    pollfd entry{race.handle(), POLLIN, 0};
    REQUIRE(::poll(&entry, 1, 10'000) == 1);
  }
}

}  // namespace

TEST_CASE("a race without waiting: the handle shows when to continue") {
  const DeadAddress dead(other_loopback());
  auto acceptor = sock::Acceptor::open(InetAddr::loopback()).value();
  const Addresses addresses{dead.address(), acceptor.local_address().value()};
  const auto before = open_handles();
  {
    io::ConnectRace race(addresses, {.attempt_delay = 20ms}, {});
    CHECK(race.advance() == io::ConnectRace::State::running);
    CHECK(race.failure().error == std::errc::timed_out);
    REQUIRE(run(race) == io::ConnectRace::State::won);
    const auto stream = sock::stream_of(race);
    CHECK(stream.peer_address().value() == addresses[1]);
    CHECK((::fcntl(stream.handle(), F_GETFL) & O_NONBLOCK) == 0);
  }
  CHECK(open_handles() == before);
}

TEST_CASE("a race without waiting: if all addresses refuse, each one and its error is reported") {
  const Addresses addresses{refusing(InetAddr::loopback()), refusing(other_loopback())};
  io::ConnectRace race(addresses, {}, {});
  REQUIRE(run(race) == io::ConnectRace::State::lost);
  const auto failure = race.failure();
  CHECK(failure.error == std::errc::connection_refused);
  REQUIRE(failure.attempts.size() == 2);
  CHECK(failure.attempts[1].address == addresses[1]);
  io::ConnectRace none(Addresses{}, {}, {});
  REQUIRE(none.advance() == io::ConnectRace::State::lost);
  CHECK(none.failure().error == std::errc::invalid_argument);
}

TEST_CASE("if all addresses refuse, each address and its error is reported") {
  const Addresses addresses{refusing(InetAddr::loopback()), refusing(other_loopback())};
  const auto before = open_handles();
  const auto failure = sock::connect_any(addresses, 10s).error();
  CHECK(failure.error == std::errc::connection_refused);
  REQUIRE(failure.attempts.size() == 2);
  CHECK(failure.attempts[0].address == addresses[0]);
  CHECK(failure.attempts[1].error == std::errc::connection_refused);
  CHECK(to_string(failure) == to_string(addresses[0]) + ": Connection refused; " +
                                  to_string(addresses[1]) + ": Connection refused");
  CHECK(open_handles() == before);
}

TEST_CASE("the limit applies to all addresses together, and the error lists the tried ones") {
  const DeadAddress dead(InetAddr::loopback());
  const DeadAddress other(other_loopback());
  const auto refused = refusing(InetAddr::loopback());
  const auto before = open_handles();
  const Addresses addresses{refused, dead.address(), other.address()};
  const auto all = sock::connect_any(addresses, 50ms, {.attempt_delay = 1ms}).error();
  CHECK(all.error == std::errc::timed_out);
  REQUIRE(all.attempts.size() == 3);
  CHECK(all.attempts[0].error == std::errc::connection_refused);
  CHECK(all.attempts[2].error == std::errc::timed_out);
  const auto one =
      sock::connect_any(Addresses{dead.address(), refused}, 5ms, {.attempt_delay = 24h}).error();
  CHECK(one.error == std::errc::timed_out);
  CHECK(one.attempts.size() == 1);
  CHECK(open_handles() == before);
}

TEST_CASE("without time, only an address that answers at once is reached") {
  const DeadAddress dead(InetAddr::loopback());
  CHECK(sock::connect_any(Addresses{dead.address()}, no_wait).error().error ==
        std::errc::timed_out);
  auto acceptor = sock::Acceptor::open(InetAddr::loopback()).value();
  CHECK(sock::connect_any(Addresses{acceptor.local_address().value()}, 0ms).has_value());
}

TEST_CASE("an unusable address does not keep other addresses from being tried") {
  // 240.0.0.0/4 is reserved, and most networks have no route to 2001:db8::/32. If a route exists,
  // the addresses do not answer and the delay passes.
  auto acceptor = sock::Acceptor::open(InetAddr::loopback()).value();
  const Addresses addresses{InetAddr::parse("255.255.255.255:1").value(),
                            InetAddr::parse("[2001:db8::1]:1").value(),
                            acceptor.local_address().value()};
  CHECK(sock::connect_any(addresses, forever, {.attempt_delay = 1ms}).has_value());
}

TEST_CASE("an empty list of addresses has an error of its own") {
  const auto failure = sock::connect_any({}, forever).error();
  CHECK(failure.error == std::errc::invalid_argument);
  CHECK(failure.attempts.empty());
  CHECK(to_string(failure) == "Invalid argument");
}

TEST_CASE("an option that cannot be set fails the attempt") {
  auto acceptor = sock::Acceptor::open(InetAddr::loopback()).value();
  const auto failure = sock::connect_any(Addresses{acceptor.local_address().value()}, 10s, {},
                                         SendTimeout{std::chrono::microseconds(-1)});
  REQUIRE_FALSE(failure.has_value());
  CHECK(failure.error().attempts.size() == 1);
}

TEST_CASE("a port without a listener is refused, and a connection never connects to itself") {
  // The system tries its local ports in turn, even ports first. One of these connections would
  // connect to itself.
  const auto free = refusing(InetAddr::loopback());
  const Addresses address{free.with_port(static_cast<std::uint16_t>(free.port() & ~1))};
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    const auto stream = sock::connect_any(address, 10s);
    if (!stream && stream.error().error == std::errc::connection_refused) ++refused;
  }
  CHECK(refused == 20'000);
}

}  // namespace
}  // namespace perigee::ipc
