// GIOPlite between two ORBs: used only if both ORBs allow it.
#include "runtime/process.h"
#include <perigee/orb/metrics.h>

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace perigee::test {

namespace {

using Options = std::vector<std::string>;

Options lite(const char* answer) { return {"-ORBGiopLite", answer}; }

// Uses the client's count: a server may count its sent octets after the reply has arrived.
std::uint64_t octets_sent(const OrbRef& client) {
  return client->_metrics().value("perigee_sent_bytes_total", {{"side", "client"}});
}
std::uint64_t octets_received(const OrbRef& client) {
  return client->_metrics().value("perigee_received_bytes_total", {{"side", "client"}});
}

/// Octets of a request and of its reply, not the first on a connection.
struct Sizes {
  std::uint64_t request;
  std::uint64_t reply;
};
Sizes sizes_of_twice(const Options& of_server, const Options& of_client) {
  EchoServer server(of_server);
  const EchoClient client(of_client);
  const Echo::Ref echo = client.echo(server.reference);
  CHECK(echo->twice(1) == 2);  // the first request carries the code sets
  const std::uint64_t requests = octets_sent(client.orb);
  const std::uint64_t replies = octets_received(client.orb);
  CHECK(echo->twice(2) == 4);
  return {octets_sent(client.orb) - requests, octets_received(client.orb) - replies};
}

}  // namespace

TEST_CASE("if both sides allow GIOPlite, requests are 16 octets shorter, and replies 8") {
  const Sizes giop = sizes_of_twice(lite("no"), lite("no"));
  const Sizes both = sizes_of_twice(lite("yes"), lite("yes"));
  CHECK(both.request + 16 == giop.request);
  CHECK(both.reply + 8 == giop.reply);
  for (const auto& [server, client] : {std::pair{"yes", "no"}, std::pair{"no", "yes"}}) {
    const Sizes one = sizes_of_twice(lite(server), lite(client));
    CHECK(one.request == giop.request);
    CHECK(one.reply == giop.reply);
  }
}

TEST_CASE("a version below 1.2 has no shorter form") {
  const Options old{"-ORBGiopLite", "yes", "-ORBGiopVersion", "1.1"};
  const Sizes giop = sizes_of_twice({"-ORBGiopVersion", "1.1"}, {});
  const Sizes both = sizes_of_twice(old, lite("yes"));
  CHECK(both.request == giop.request);
  CHECK(both.reply == giop.reply);
}

TEST_CASE("calls of all kinds work over GIOPlite, under each thread strategy") {
  for (const char* strategy :
       {"auto", "reactive", "thread-per-connection", "thread-pool", "reactor-per-core"}) {
    CAPTURE(strategy);
    EchoServer server({"-ORBGiopLite", "yes", "-ORBThreadStrategy", strategy});
    EchoServer other({"-ORBGiopLite", "yes"});
    const EchoClient client({"-ORBGiopLite", "yes", "-ORBFragmentSize", "4096"});
    const Echo::Ref echo = client.echo(server.reference);
    echo->ping();
    for (const std::size_t size :
         std::initializer_list<std::size_t>{0, 1, 4095, 100'000, 3 << 20}) {
      const OctetVector data(size, 7);
      CHECK(echo->same(data) == data);
    }
    CHECK_THROWS_AS(echo->fail(), Failure);
    CHECK(echo->call_back(client.echo(other.reference), 4) == 8);
    CHECK_FALSE(echo->_non_existent());
    echo->count_up();
    server.servant->counted.wait(0);
    server.servant->forward_target = client.echo(other.reference);
    echo->forward_me();
  }
}

}  // namespace perigee::test
