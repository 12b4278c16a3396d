// The fault injector: each kind of fault happens once, at its octet, with the documented effect.
#include "conformance/transport_pair.h"
#include "support/memory_transport.h"
#include "support/octets.h"
#include <perigee/transport/faults.h>

#include <doctest/doctest.h>

#include <array>
#include <cerrno>
#include <thread>

namespace perigee::test {
namespace {

using transport::Fault;
using transport::FaultDirection;
using transport::FaultKind;
using transport::FaultScript;
using transport::inject_faults;

/// Two ends of a connection in memory. The end `first` follows the script.
MemoryPair faulty_pair(const FaultScript& script) {
  auto pair = make_memory_pair();
  pair.first = inject_faults(std::move(pair.first), script);
  return pair;
}

Octets receive_some(transport::Transport& transport) {
  Octets space(100);
  const IoResult result = transport.receive(space, Wait::no);
  space.resize(result.ok() ? result.count : 0);
  return space;
}

const Octets five = octets(1, 2, 3, 4, 5);

TEST_CASE("a split ends one receive, and buffered() reports more octets") {
  auto pair = faulty_pair({{FaultKind::split, FaultDirection::received, 3}});
  CHECK(send_all(*pair.second, five).ok());
  CHECK(receive_some(*pair.first) == octets(1, 2, 3));
  CHECK(pair.first->buffered());
  CHECK(receive_some(*pair.first) == octets(4, 5));
  CHECK_FALSE(pair.first->buffered());
}

TEST_CASE("a split shortens a send that does not wait; a send that waits still sends all octets") {
  const FaultScript script = {{FaultKind::split, FaultDirection::sent, 3}};
  const OctetSpan segments[] = {OctetSpan(five).first(2), OctetSpan(five).subspan(2)};
  auto pair = faulty_pair(script);
  CHECK(pair.first->send(segments, Wait::no).count == 3);
  CHECK(receive_some(*pair.second) == octets(1, 2, 3));
  auto other = faulty_pair(script);
  CHECK(other.first->send(segments, Wait::yes).count == 5);
  CHECK(receive_some(*other.second) == five);
}

TEST_CASE("a receiver gets the octets before the end of stream, and may still send") {
  for (std::uint64_t octet = 0; octet <= five.size(); ++octet) {
    auto pair = faulty_pair({{FaultKind::end_of_stream, FaultDirection::received, octet}});
    CHECK(send_all(*pair.second, five).ok());
    const auto before = static_cast<std::ptrdiff_t>(octet);
    CHECK(receive_some(*pair.first) == Octets(five.begin(), five.begin() + before));
    std::array<std::byte, 10> space;
    CHECK(pair.first->receive(space, Wait::yes).status == IoStatus::end_of_stream);
    CHECK(send_all(*pair.first, five).ok());
  }
}

TEST_CASE("a peer gets the octets before the end of stream, and the sender gets an error") {
  for (std::uint64_t octet = 0; octet < five.size(); ++octet) {
    auto pair = faulty_pair({{FaultKind::end_of_stream, FaultDirection::sent, octet}});
    const OctetSpan segment = five;
    const IoResult result = pair.first->send({&segment, 1}, Wait::yes);
    CHECK(result.count == octet);
    CHECK(result.status == IoStatus::failed);
    CHECK(result.code == EPIPE);
    CHECK(receive_some(*pair.second).size() == octet);
    std::array<std::byte, 10> space;
    CHECK(pair.second->receive(space, Wait::yes).status == IoStatus::end_of_stream);
    CHECK(send_all(*pair.second, five).ok());
    CHECK(receive_some(*pair.first) == five);
  }
}

TEST_CASE("a reset at the last octet of a send lets it succeed; all later operations fail") {
  auto pair = faulty_pair({{FaultKind::reset, FaultDirection::sent, five.size()}});
  CHECK(send_all(*pair.first, five).ok());
  std::array<std::byte, 10> space;
  CHECK(pair.first->receive(space, Wait::yes).code == ECONNRESET);
  const OctetSpan segment = five;
  CHECK(pair.first->send({&segment, 1}, Wait::yes).code == ECONNRESET);
  CHECK(receive_some(*pair.second) == five);
  CHECK(pair.second->receive(space, Wait::yes).status != IoStatus::ok);
}

TEST_CASE("a reset during a send ends a blocked receive") {
  auto pair = faulty_pair({{FaultKind::reset, FaultDirection::sent, 2}});
  IoResult received;
  std::thread receiver([&] {
    std::array<std::byte, 10> space;
    received = pair.first->receive(space, Wait::yes);
  });
  const OctetSpan segment = five;
  CHECK(pair.first->send({&segment, 1}, Wait::yes).count == 2);
  receiver.join();
  CHECK(received.status == IoStatus::failed);
  CHECK(received.code == ECONNRESET);
}

TEST_CASE("a stall blocks all octets until the time-out or an interruption") {
  for (const auto direction : {FaultDirection::sent, FaultDirection::received}) {
    auto pair = faulty_pair({{FaultKind::stall, direction, 2}});
    const auto transfer = [&](Wait wait) {
      std::array<std::byte, 10> space;
      const OctetSpan segment = five;
      return direction == FaultDirection::sent ? pair.first->send({&segment, 1}, wait)
                                               : pair.first->receive(space, wait);
    };
    CHECK(send_all(*pair.second, five).ok());
    CHECK(transfer(Wait::no).count == 2);
    CHECK(transfer(Wait::no).status == IoStatus::would_block);
    CHECK(pair.first->set_receive_timeout(std::chrono::microseconds(1)).ok());
    CHECK(pair.first->set_send_timeout(std::chrono::microseconds(1)).ok());
    CHECK(transfer(Wait::yes).status == IoStatus::timed_out);
    CHECK(pair.first->set_receive_timeout(std::chrono::microseconds(0)).ok());
    CHECK(pair.first->set_send_timeout(std::chrono::microseconds(0)).ok());
    pair.first->interrupt();
    CHECK_FALSE(transfer(Wait::yes).ok());
  }
}

struct Lonely {
  std::unique_ptr<transport::Transport> peer;  // the test's end of the newest connection
};

/// Connects through memory; the test keeps the other end.
class MemoryConnector final : public transport::Connector {
 public:
  explicit MemoryConnector(Lonely& lonely) : lonely_(lonely) {}
  std::expected<std::unique_ptr<transport::Transport>, IoError> connect(
      const transport::Endpoint&, std::chrono::milliseconds) override {
    auto pair = make_memory_pair();
    lonely_.peer = std::move(pair.second);
    return std::move(pair.first);
  }

 private:
  Lonely& lonely_;
};

class MemoryProtocol final : public transport::ProtocolFactory {
 public:
  explicit MemoryProtocol(Lonely& lonely) : lonely_(lonely) {}
  [[nodiscard]] std::string_view name() const noexcept override { return "memory"; }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override { return {}; }
  [[nodiscard]] std::unique_ptr<transport::Connector> make_connector() override {
    return std::make_unique<MemoryConnector>(lonely_);
  }
  std::expected<std::unique_ptr<transport::Acceptor>, IoError> listen(
      const transport::Endpoint&) override {
    return std::unexpected(IoError{IoErrorKind::unsupported, IoOperation::listen, 0, {}});
  }
  [[nodiscard]] std::vector<transport::ProfileEndpoint> claim(
      std::uint32_t, const iop::ProfileBody&) const override {
    return {};
  }
  [[nodiscard]] iop::TaggedProfile make_profile(const transport::Endpoint&,
                                                const transport::ProfileSource&) const override {
    return {};
  }

 private:
  Lonely& lonely_;
};

TEST_CASE("a plan chooses each connection's script, is told of each fault, and can replace waits") {
  const Fault fault{FaultKind::delay, FaultDirection::sent, 2, std::chrono::microseconds(77)};
  std::vector<std::pair<std::uint64_t, Fault>> happened;
  std::vector<std::chrono::microseconds> waited;
  transport::FaultPlan plan;
  plan.script = [&](const transport::FaultyConnection& connection) {
    CHECK(connection.side == transport::FaultyConnection::Side::connected);
    return connection.number == 1 ? FaultScript{fault} : FaultScript{};
  };
  plan.happened = [&](const transport::FaultyConnection& connection, const Fault& it) {
    happened.emplace_back(connection.number, it);
  };
  plan.wait = [&](std::chrono::microseconds duration) { waited.push_back(duration); };
  Lonely lonely;
  const auto protocol = inject_faults(std::make_unique<MemoryProtocol>(lonely), plan);
  const auto connector = protocol->make_connector();
  for (int connection = 0; connection < 3; ++connection) {
    const auto transport = connector->connect({}, {}).value();
    CHECK(send_all(*transport, five).ok());
    CHECK(receive_some(*lonely.peer) == five);
  }
  REQUIRE(happened.size() == 1);
  CHECK(happened[0] == std::pair{std::uint64_t{1}, fault});
  CHECK(waited == std::vector{fault.duration});
}

TEST_CASE("a decorated transport has the inner transport's peer and identity") {
  const MemoryPair plain = make_memory_pair();
  const MemoryPair faulty = faulty_pair({});
  CHECK(faulty.first->peer() == plain.first->peer());
  CHECK(faulty.first->peer_identity() == PeerIdentity{.process = 2});
  CHECK(faulty.second->peer_identity() == PeerIdentity{.process = 1});
}

TEST_CASE("random scripts depend only on the seed and the connection's number") {
  const transport::RandomFaults faults{
      .seed = 7, .split = 0.5, .delay = 0.5, .stall = 0.1, .end_of_stream = 0.2, .reset = 0.2};
  const auto script = transport::random_faults(faults);
  const auto again = transport::random_faults(faults);
  std::size_t count = 0;
  for (std::uint64_t number = 0; number < 1000; ++number) {
    const FaultScript one = script({.number = number});
    CHECK(one == again({.number = number}));
    for (const Fault& fault : one) CHECK(fault.octet < faults.octet_max);
    count += one.size();
  }
  CHECK(count > 1300);  // expected: 1500
  CHECK(count < 1700);
  CHECK(transport::random_faults({.seed = 7})({}).empty());
}

TEST_CASE("random faults are parsed from text, and an invalid part is named") {
  const auto faults = transport::parse_random_faults(
      "seed=7,split=0.5,delay=1,stall=0,end_of_stream=0.25,reset=0.1,octet_max=99,delay_max=5");
  REQUIRE(faults.has_value());
  CHECK(faults->seed == 7);
  CHECK(faults->split == 0.5);
  CHECK(faults->delay == 1);
  CHECK(faults->end_of_stream == 0.25);
  CHECK(faults->reset == 0.1);
  CHECK(faults->octet_max == 99);
  CHECK(faults->delay_max == std::chrono::microseconds(5));
  for (const char* part :
       {"", "reset", "reset=", "reset=2", "reset=x", "resets=1", "seed=-1", "delay_max=1ms"}) {
    const auto refused = transport::parse_random_faults("seed=1," + std::string(part));
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().endpoint == part);
  }
}

}  // namespace
}  // namespace perigee::test
