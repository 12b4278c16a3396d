// Handshakes of transports that the peer does not complete.
#include "conformance/limited_calls.h"
#include "conformance/orb_pair.h"
#include "conformance/raw_peer.h"
#include <perigee/event/handle_state.h>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace perigee::test {
namespace {

using namespace std::chrono_literals;
using transport::Transport;

/// Clients that have connected, and never go on with the handshake.
std::vector<std::unique_ptr<Transport>> connect_silently(CORBA::ORB& orb,
                                                         const std::string& reference, int count) {
  const auto ior = iop::parse_ior_string(reference).value();
  const auto target = protocols(orb).claim(ior.profiles.front()).value();
  const auto& endpoint = target.endpoints.front().endpoint;
  std::vector<std::unique_ptr<Transport>> clients;
  for (int client = 0; client < count; ++client)
    clients.push_back(protocols(orb).connector(endpoint.scheme)->connect(endpoint, 10s).value());
  return clients;
}

/// Whether the server ends the connection within 20 seconds. The server sends nothing before the
/// client does, so a readable handle means the end.
bool is_ended(Transport& transport) {
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (!event::is_readable(transport.readiness_fd()) && std::chrono::steady_clock::now() < end)
    event::await_readable(transport.readiness_fd(), 100ms);
  const IoResult result = transport.open(Wait::no);
  return result.status == IoStatus::end_of_stream || result.status == IoStatus::failed;
}

}  // namespace

TEST_CASE(
    "clients that do not complete their handshake are disconnected; other clients are served") {
  for (const char* strategy : thread_strategies) {
    CAPTURE(std::string(strategy));
    const OrbPairing pairing{.scheme = "handshake", .strategy = strategy};
    Surroundings surroundings;
    PairServer server(surroundings, pairing, {"-ORBOpenTimeout", "200"});
    const PairClient client(surroundings, pairing);
    const auto echo = client.echo(server.reference);
    const auto silent = connect_silently(*client.orb, server.reference, 8);
    CHECK(echo->twice(21) == 42);
    for (const auto& each : silent) CHECK(is_ended(*each));
    CHECK(echo->twice(4) == 8);
  }
}

TEST_CASE("a server ends although clients are in their handshake") {
  for (const char* strategy : thread_strategies) {
    CAPTURE(std::string(strategy));
    const OrbPairing pairing{.scheme = "handshake", .strategy = strategy};
    Surroundings surroundings;
    const PairClient client(surroundings, pairing);
    std::vector<std::unique_ptr<Transport>> silent;
    const auto begin = std::chrono::steady_clock::now();
    {
      PairServer server(surroundings, pairing, {"-ORBOpenTimeout", "3600000"});
      silent = connect_silently(*client.orb, server.reference, 4);
      CHECK(client.echo(server.reference)->twice(21) == 42);
    }
    CHECK(std::chrono::steady_clock::now() - begin < 20s);
    for (const auto& each : silent) CHECK(is_ended(*each));
  }
}

TEST_CASE("a call to a server that does not complete the handshake ends at its time limit") {
  for (const char* strategy : {"thread-per-connection", "reactive"}) {
    CAPTURE(std::string(strategy));
    const OrbPairing pairing{.scheme = "handshake", .strategy = strategy};
    Surroundings surroundings;
    const PairClient client(surroundings, pairing, {"-ORBConnectTimeout", "200"});
    RawServer server(surroundings, *client.orb, pairing);  // accepts, and does not open
    const auto echo = client.echo(server.reference);
    const auto slow = failure_of([&] { echo->ping(); });
    REQUIRE(slow.has_value());
    CHECK_FALSE(slow->is_timeout);  // TRANSIENT: the time for connecting is over
    CHECK(slow->completed == CORBA::COMPLETED_NO);
    const auto hurried = failure_of([&] { limited(client.orb, echo, 50ms)->ping(); });
    REQUIRE(hurried.has_value());
    CHECK(hurried->completed == CORBA::COMPLETED_NO);
  }
}

}  // namespace perigee::test
