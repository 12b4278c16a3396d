// Whole ORBs over UDP: what is served, what is refused, and what a server that is gone looks like.
#include "conformance/limited_calls.h"
#include "conformance/orb_pair.h"
#include <perigee/ipc/sock.h>
#include <perigee/orb/metrics.h>

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

constexpr const char* strategies[] = {"auto", "thread-per-connection", "reactive", "thread-pool",
                                      "reactor-per-core"};

OrbPairing udp_under(const char* strategy) { return {.scheme = "diop", .strategy = strategy}; }

std::uint64_t metric(CORBA::ORB& orb, std::string_view name) {
  std::uint64_t count = 0;
  for (const auto& family : orb._metrics().families)
    if (family.name == name)
      for (const auto& sample : family.samples) count += static_cast<std::uint64_t>(sample.value);
  return count;
}

/// A server with one endpoint, which the test names.
class UdpServer {
 public:
  explicit UdpServer(const std::string& endpoint, const char* strategy = "auto",
                     std::vector<std::string> options = {}) {
    static int number = 0;
    options.insert(options.end(),
                   {"-ORBListenEndpoints", endpoint, "-ORBThreadStrategy", strategy});
    orb = CORBA::ORB_init(options, "udp" + std::to_string(++number));
    servant = CORBA::make_reference<NotingServant>();
    const auto poa =
        IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    reference = orb->object_to_string(poa->id_to_reference(poa->activate_object(servant)));
    poa->the_POAManager()->activate();
    runner_ = std::jthread([running = orb] {
      try {
        running->run();
      } catch (const CORBA::BAD_INV_ORDER&) {  // shut down before the thread came to it
      }
    });
  }
  ~UdpServer() {
    orb->shutdown(true);
    runner_.join();
    orb->destroy();
  }
  UdpServer(const UdpServer&) = delete;
  UdpServer& operator=(const UdpServer&) = delete;

  OrbRef orb;
  CORBA::servant_reference<NotingServant> servant;
  std::string reference;

 private:
  std::jthread runner_;
};

/// Completion status of the TIMEOUT that the call ends with.
std::optional<CORBA::CompletionStatus> timed_out(auto&& call) {
  const auto failed = failure_of(call);
  if (!failed || !failed->is_timeout) return std::nullopt;
  return failed->completed;
}

}  // namespace

TEST_CASE("udp: calls, results, exceptions and oneways cross under each strategy") {
  for (const char* const strategy : strategies) {
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
  for (const char* const strategy : strategies) {
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

TEST_CASE("udp: a message that fits into no datagram is IMP_LIMIT, and later calls go on") {
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

TEST_CASE("udp: a call to a server that is gone ends at its time limit, and crashes nothing") {
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

TEST_CASE(
    "udp: a reference of a server at two endpoints has both profiles, and IIOP serves calls") {
  const Surroundings surroundings;
  const UdpServer server("iiop://127.0.0.1:0;diop://127.0.0.1:0");
  const PairClient client(surroundings, {});
  CHECK(client.echo(server.reference)->twice(4) == 8);
}

TEST_CASE("udp: forged addresses take no place of clients over TCP, and memory stays bounded") {
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

}  // namespace perigee::test
