// Whole ORBs over UDP: served calls, refused calls, and calls to a server that has ended.
#include "conformance/limited_calls.h"
#include "conformance/orb_pair.h"
#include <perigee/iop/components.h>
#include <perigee/iop/corbaloc.h>
#include <perigee/iop/ior.h>
#include <perigee/ipc/sock.h>
#include <perigee/orb/metrics.h>
#include <perigee/transport/udp.h>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::test {
namespace {

OrbPairing udp_under(const char* strategy) { return {.scheme = "diop", .strategy = strategy}; }

std::uint64_t metric(CORBA::ORB& orb, std::string_view name) {
  std::uint64_t count = 0;
  for (const auto& family : orb._metrics().families)
    if (family.name == name)
      for (const auto& sample : family.samples) count += static_cast<std::uint64_t>(sample.value);
  return count;
}

/// A server at the endpoints that the test names.
class UdpServer final : public RunningServer {
 public:
  explicit UdpServer(const std::string& endpoint, const char* strategy = "auto",
                     std::vector<std::string> options = {}, Runs runs = Runs::yes)
      : RunningServer(make_orb(endpoint, strategy, std::move(options)), runs) {}

  /// The only profile of the reference.
  [[nodiscard]] iop::ProfileBody profile() const {
    const auto ior = iop::parse_ior_string(reference, {}).value();
    REQUIRE(ior.profiles.size() == 1);
    return transport::make_diop_codec()->decode(ior.profiles.front(), {}).value();
  }
  [[nodiscard]] std::string port() const {
    const std::string address = profile().address;
    return address.substr(address.rfind(':') + 1);
  }
  [[nodiscard]] std::string corbaloc(const std::string& host) const {
    return "corbaloc:diop:" + host + ':' + port() + '/' + iop::escape_key(profile().object_key);
  }

 private:
  [[nodiscard]] static OrbRef make_orb(const std::string& endpoint, const char* strategy,
                                       std::vector<std::string> options) {
    static int number = 0;
    options.insert(options.end(),
                   {"-ORBListenEndpoints", endpoint, "-ORBThreadStrategy", strategy});
    return CORBA::ORB_init(options, "udp" + std::to_string(++number));
  }
};

/// Completion status of the TIMEOUT that the call ends with.
std::optional<CORBA::CompletionStatus> timed_out(auto&& call) {
  const auto failed = failure_of(call);
  if (!failed || !failed->is_timeout) return std::nullopt;
  return failed->completed;
}

}  // namespace

TEST_CASE("udp: calls, results, exceptions and oneways cross under each strategy") {
  for (const char* const strategy : thread_strategies) {
    CAPTURE(strategy);
    Surroundings surroundings;
    const PairServer server(surroundings, udp_under(strategy));
    const PairClient client(surroundings, udp_under(strategy));
    const auto echo = client.echo(server.reference);
    echo->ping();
    CHECK(echo->twice(21) == 42);
    CHECK_FALSE(echo->_non_existent());
    CHECK_THROWS_AS(echo->fail(), Failure);
    CHECK((echo->same(OctetVector(60'000, 7)) == OctetVector(60'000, 7)));
    echo->count_up();
    while (server.servant->counted != 1) std::this_thread::yield();
  }
}

TEST_CASE("udp: an endpoint serves only oneways unless it was asked to send replies") {
  for (const char* const strategy : thread_strategies) {
    CAPTURE(strategy);
    const Surroundings surroundings;
    const UdpServer server("diop://127.0.0.1:0", strategy);
    const PairClient client(surroundings, udp_under(strategy), {"-ORBDatagramCallTimeout", "100"});
    const auto echo = client.echo(server.reference);
    CHECK(timed_out([&] { echo->ping(); }) == CORBA::COMPLETED_MAYBE);
    CHECK(metric(*server.orb, "perigee_datagrams_dropped_total") == 1);
    for (int count = 0; count < 10; ++count) echo->count_up();
    while (server.servant->counted != 10) std::this_thread::yield();
  }
}

TEST_CASE(
    "udp: a message that does not fit into a datagram raises IMP_LIMIT, and later calls succeed") {
  const Surroundings surroundings;
  const UdpServer server("diop://127.0.0.1:0?replies=yes");
  const PairClient client(surroundings, {});
  const auto echo = client.echo(server.reference);
  try {
    (void)echo->same(OctetVector(65'500));
    FAIL("a datagram cannot have so many octets");
  } catch (const CORBA::IMP_LIMIT& error) {
    CHECK(error.completed() == CORBA::COMPLETED_NO);
  }
  CHECK(echo->twice(2) == 4);
}

TEST_CASE("udp: a call to a server that has ended fails at its time limit, without a crash") {
  const Surroundings surroundings;
  const PairClient client(surroundings, {}, {"-ORBDatagramCallTimeout", "100"});
  Echo::Ref echo;
  {
    const UdpServer server("diop://127.0.0.1:0?replies=yes");
    echo = client.echo(server.reference);
    CHECK(echo->twice(1) == 2);
  }
  for (int count = 0; count < 3; ++count)
    CHECK(timed_out([&] { echo->ping(); }) == CORBA::COMPLETED_MAYBE);
  echo->count_up();  // a oneway is lost without an error
  CHECK(timed_out([&] { limited(client.orb, echo, 50ms)->ping(); }) == CORBA::COMPLETED_MAYBE);
}

TEST_CASE("udp: IPv6 endpoints serve calls, alone and for all interfaces") {
  const Surroundings surroundings;
  const PairClient client(surroundings, {});
  for (const char* const endpoint : {"diop://[::1]:0?replies=yes", "diop://:0?replies=yes"}) {
    CAPTURE(endpoint);
    const UdpServer server(endpoint);
    CHECK(client.echo(server.reference)->twice(4) == 8);
  }
  const UdpServer server("diop://[::1]:0?replies=yes");
  CHECK(client.echo(server.corbaloc("[::1]"))->twice(5) == 10);
}

TEST_CASE(
    "udp: references publish the addresses of publish=, and clients use an address that answers") {
  const Surroundings surroundings;
  const PairClient client(surroundings, {});
  const UdpServer server("diop://127.0.0.1:0?publish=localhost,127.0.0.1&replies=yes");
  const iop::ProfileBody body = server.profile();
  CHECK(body.address == "localhost:" + server.port());
  const auto* other = iop::find_component(body.components, iop::tag_alternate_iiop_address);
  REQUIRE(other != nullptr);
  CHECK(iop::decode_alternate_address(other->data)->host == "127.0.0.1");
  CHECK(client.echo(server.reference)->twice(4) == 8);
}

TEST_CASE("udp: corbaloc:diop names an object") {
  const Surroundings surroundings;
  const PairClient client(surroundings, {});
  const UdpServer server("diop://127.0.0.1:0?replies=yes");
  CHECK(client.echo(server.corbaloc("127.0.0.1"))->twice(4) == 8);
  CHECK(client.echo(server.corbaloc("1.2@127.0.0.1"))->twice(5) == 10);
  CHECK_THROWS_AS((void)client.echo("corbaloc:diop:h:port/k"), CORBA::BAD_PARAM);
}

TEST_CASE(
    "udp: a reference of a server at two endpoints has both profiles, and IIOP serves calls") {
  const Surroundings surroundings;
  const UdpServer server("iiop://127.0.0.1:0;diop://127.0.0.1:0");
  const PairClient client(surroundings, {});
  CHECK(client.echo(server.reference)->twice(4) == 8);
}

TEST_CASE("udp: forged addresses use up no places of TCP clients, and memory stays bounded") {
  const Surroundings surroundings;
  const UdpServer server("iiop://127.0.0.1:0", "auto", {"-ORBServerConnectionsMax", "2"});
  const auto endpoint = listen(*server.orb, {"diop", "127.0.0.1:0"}).value();
  const auto address = ipc::InetAddr::parse(endpoint.address).value();
  const PairClient client(surroundings, {});
  const auto echo = client.echo(server.reference);
  const auto datagram = std::as_bytes(std::span(std::string_view("GIOP of a stranger")));
  for (std::uint32_t number = 0; number < 80'000; ++number) {
    const auto octet = [number](unsigned shift) {
      return static_cast<std::uint8_t>(number >> shift & 0xff);
    };
    auto forged = ipc::sock::Dgram::open(
        ipc::InetAddr::v4({127, static_cast<std::uint8_t>(octet(16) + 1), octet(8), octet(0)}, 0));
    REQUIRE(forged);
    (void)forged->send_to(datagram, address, ipc::no_wait);
    if (number % 1000 != 0) continue;
    CHECK(echo->twice(4) == 8);
    CHECK(metric(*server.orb, "perigee_connections") <= 2 * 1024 + 2);
  }
  const PairClient other(surroundings, {});
  CHECK(other.echo(server.reference)->twice(5) == 10);
}

TEST_CASE("udp: datagrams for which a queue has no room are counted in the metrics") {
  const Surroundings surroundings;
  const UdpServer server("diop://127.0.0.1:0", "reactive", {}, RunningServer::Runs::no);
  auto socket = ipc::sock::Dgram::open(ipc::InetAddr::loopback()).value();
  const auto address = ipc::InetAddr::parse("127.0.0.1:" + server.port()).value();
  const std::string datagram(30'000, 'x');
  while (metric(*server.orb, "perigee_datagrams_dropped_total") == 0)
    (void)socket.send_to(std::as_bytes(std::span(datagram)), address, ipc::no_wait);
}

}  // namespace perigee::test
