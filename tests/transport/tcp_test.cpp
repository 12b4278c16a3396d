// Features of TCP only: addresses, profiles, options. The conformance suite tests the contract of
// transports.
#include "conformance/transport_pair.h"
#include "support/octets.h"
#include "transport/tcp/tcp_address.h"
#include <perigee/iop/components.h>
#include <perigee/ipc/sock.h>
#include <perigee/transport/faults.h>
#include <perigee/transport/registry.h>
#include <perigee/transport/tcp.h>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace perigee::transport {
namespace {

using namespace std::chrono_literals;
using test::octets;

std::string port_of(const Endpoint& endpoint) {
  return endpoint.address.substr(endpoint.address.rfind(':') + 1);
}

std::unique_ptr<Acceptor> listen(const std::string& address) {
  return make_tcp_protocol()->listen({"iiop", address}).value();
}

/// The target that an ORB with TCP makes of a profile.
std::optional<ProfileTarget> claim(const iop::TaggedProfile& profile) {
  ProtocolRegistry registry;
  REQUIRE(registry.add(make_tcp_protocol()).has_value());
  return registry.claim(profile);
}
std::vector<Endpoint> endpoints_of(const iop::TaggedProfile& profile) {
  std::vector<Endpoint> endpoints;
  if (const auto target = claim(profile))
    for (const auto& [endpoint, distance, is_protected] : target->endpoints) {
      CHECK(distance == Distance::network);
      endpoints.push_back(endpoint);
    }
  return endpoints;
}

bool can_connect(const std::string& address) {
  return make_tcp_protocol()->make_connector()->connect({"iiop", address}, 10s).has_value();
}

TEST_CASE("an empty host means all interfaces of IPv4 and IPv6; a reachable address is published") {
  for (const std::string address : {"", ":0"}) {
    const auto acceptor = listen(address);
    const auto port = port_of(acceptor->listening());
    CHECK(port != "0");
    CHECK(port_of(acceptor->published()) == port);
    CHECK_FALSE(acceptor->published().address.starts_with("0.0.0.0:"));
    CHECK_FALSE(acceptor->published().address.starts_with("[::]:"));
    CHECK(can_connect(acceptor->published().address));
    CHECK(can_connect("127.0.0.1:" + port));
    if (acceptor->listening().address.starts_with("[")) CHECK(can_connect("[::1]:" + port));
  }
}

std::int64_t queue_size(const Transport& transport, ipc::io::OptionName name) {
  return ipc::io::get_option(transport.readiness_fd(), name).value();
}

TEST_CASE("the system's queues have the requested sizes, on both sides") {
  using enum ipc::io::OptionName;
  const auto protocol = make_tcp_protocol({.send_size = 8192, .receive_size = 16384});
  const auto acceptor = protocol->listen({"iiop", "127.0.0.1:0"}).value();
  const auto client = protocol->make_connector()->connect(acceptor->published(), 10s).value();
  const auto server = acceptor->accept(Wait::yes).value();
  for (const Transport* side : {client.get(), server.get()}) {
    CHECK(queue_size(*side, send_buffer) == 2 * 8192);  // Linux doubles the size
    CHECK(queue_size(*side, receive_buffer) == 2 * 16384);
  }
}

TEST_CASE("a wildcard address is not published: the server publishes a reachable address") {
  const auto acceptor = listen("0.0.0.0:0");
  CHECK(acceptor->listening().address.starts_with("0.0.0.0:"));
  CHECK_FALSE(acceptor->published().address.starts_with("0.0.0.0:"));
  CHECK_FALSE(acceptor->published().address.starts_with("["));
  CHECK(can_connect(acceptor->published().address));
}

TEST_CASE("an explicit host is published unchanged") {
  const auto acceptor = listen("localhost:0");
  CHECK(acceptor->published().address == "localhost:" + port_of(acceptor->listening()));
  CHECK(can_connect(acceptor->published().address));
  CHECK(listen("127.0.0.1")->published().address.starts_with("127.0.0.1:"));
}

TEST_CASE("an IPv6 address is published in brackets") {
  const auto acceptor = make_tcp_protocol()->listen({"iiop", "[::1]:0"});
  if (!acceptor) return;  // without IPv6 there is nothing to test
  CHECK((*acceptor)->published() == (*acceptor)->listening());
  CHECK((*acceptor)->published().address.starts_with("[::1]:"));
  CHECK(can_connect((*acceptor)->published().address));
}

TEST_CASE("the published address may differ from the listening address: NAT, containers") {
  const auto acceptor = listen("127.0.0.1:0?publish=gateway.example:4000,[2001:db8::7],10.0.0.7:1");
  const auto port = port_of(acceptor->listening());
  CHECK(acceptor->listening().address == "127.0.0.1:" + port);
  CHECK(acceptor->published().address == "gateway.example:4000");
  REQUIRE(acceptor->alternates().size() == 2);
  CHECK(acceptor->alternates()[0].address == "[2001:db8::7]:" + port);
  CHECK(acceptor->alternates()[1].address == "10.0.0.7:1");
}

TEST_CASE("a protocol with injected faults publishes the same addresses as without faults") {
  const auto protocol = inject_faults(make_tcp_protocol(), FaultPlan{});
  const auto acceptor = protocol->listen({"iiop", "127.0.0.1:0?publish=one:1,two:2"}).value();
  CHECK(acceptor->published().address == "one:1");
  REQUIRE(acceptor->alternates().size() == 1);
  CHECK(acceptor->alternates()[0].address == "two:2");
}

TEST_CASE("the peer of a reset connection gets the octets sent before, then ECONNRESET") {
  const auto resets = [](const transport::FaultyConnection& connection) {
    const bool connected = connection.side == transport::FaultyConnection::Side::connected;
    using transport::FaultDirection, transport::FaultKind;
    return connected ? transport::FaultScript{{FaultKind::reset, FaultDirection::sent, 3}}
                     : transport::FaultScript{};
  };
  const auto protocol = inject_faults(make_tcp_protocol(), FaultPlan{.script = resets});
  const auto acceptor = protocol->listen({"iiop", "127.0.0.1:0"}).value();
  const auto client = protocol->make_connector()->connect(acceptor->published(), {}).value();
  const auto server = acceptor->accept(Wait::yes).value();
  const Octets five = octets(1, 2, 3, 4, 5);
  const OctetSpan segment = five;
  CHECK(client->send({&segment, 1}, Wait::yes).code == ECONNRESET);
  Octets space(10);
  CHECK(server->receive(space, Wait::yes).count == 3);
  const auto broken = server->receive(space, Wait::yes);
  CHECK(broken.status == IoStatus::failed);
  CHECK(broken.code == ECONNRESET);
}

TEST_CASE("acceptors that share a port share the connections") {
  Properties properties;
  properties.set(property::share_port, 1);
  const auto protocol = make_tcp_protocol();
  const auto first = protocol->listen_with({"iiop", "127.0.0.1:0"}, properties).value();
  const auto second = first->shard();
  REQUIRE(second.has_value());
  CHECK((*second)->listening() == first->listening());
  CHECK((*second)->published() == first->published());
  const auto connector = protocol->make_connector();
  std::vector<std::unique_ptr<Transport>> clients;
  for (int index = 0; index < 64; ++index)
    clients.push_back(connector->connect(first->listening(), 10s).value());
  const auto accept_all = [](Acceptor& acceptor) {
    std::size_t count = 0;
    while (acceptor.accept(Wait::no).value()) ++count;
    return count;
  };
  const std::size_t at_first = accept_all(*first);
  const std::size_t at_second = accept_all(**second);
  CHECK(at_first + at_second == clients.size());
  CHECK(at_first != 0);
  CHECK(at_second != 0);
}

TEST_CASE("acceptors have shards only if they were opened with shards") {
  const auto acceptor = listen("127.0.0.1:0");
  const auto shard = acceptor->shard();
  REQUIRE_FALSE(shard.has_value());
  CHECK(shard.error().kind == IoErrorKind::unsupported);
}

TEST_CASE("publish=all publishes each reachable address once, and never a wildcard") {
  const auto acceptor = listen("?publish=all,all");
  std::vector<Endpoint> published{acceptor->published()};
  for (const Endpoint& alternate : acceptor->alternates()) published.push_back(alternate);
  for (const Endpoint& endpoint : published) {
    CHECK(std::ranges::count(published, endpoint) == 1);
    CHECK(can_connect(endpoint.address));
  }
}

TEST_CASE("an error of connecting lists each tried address with its error") {
  const Endpoint endpoint{"iiop", "host:80"};
  const auto refused = make_error_code(std::errc::connection_refused);
  const auto late = make_error_code(std::errc::timed_out);
  ipc::ConnectFailure failure{refused, {{ipc::InetAddr::v4({10, 0, 0, 1}, 80), refused}}};
  CHECK(to_string(connect_error(endpoint, failure)) ==
        "connect to iiop://host:80: Connection refused");
  failure.attempts.push_back({*ipc::InetAddr::parse("[2001:db8::1]:80"), late});
  CHECK(to_string(connect_error(endpoint, failure)) ==
        "connect to iiop://host:80 (10.0.0.1:80: Connection refused; [2001:db8::1]:80: Connection "
        "timed out): Connection refused");
  failure.error = late;
  CHECK(connect_error(endpoint, failure).kind == IoErrorKind::timed_out);
  for (std::uint8_t host = 2; host < 9; ++host)
    failure.attempts.push_back({ipc::InetAddr::v4({10, 0, 0, host}, 80), refused});
  const auto text = to_string(connect_error(endpoint, failure));
  CHECK(text.find("10.0.0.3:80: Connection refused; and 5 more): ") != std::string::npos);
}

TEST_CASE("a listen address with an unknown option is refused as a whole") {
  for (const std::string address :
       {":0?", ":0?publish", ":0?publish=", ":0?publish=a,", ":0?publish=a:b", ":0?publish=:1",
        ":0?publish=0.0.0.0", ":0?publish=[::]:5", ":0?announce=a", ":x?publish=a"}) {
    CAPTURE(address);
    const auto acceptor = make_tcp_protocol()->listen({"iiop", address});
    REQUIRE_FALSE(acceptor.has_value());
    CHECK(acceptor.error().kind == IoErrorKind::bad_address);
    CHECK(to_string(acceptor.error()).find(address) != std::string::npos);
  }
}

TEST_CASE("an error for a listen address names the mistake and the right form") {
  const auto text_for = [](const std::string& address) {
    return to_string(make_tcp_protocol()->listen({"iiop", address}).error());
  };
  CHECK(text_for("host:70000") ==
        "listen iiop://host:70000 (<host>:<port> is needed, the port from 0 to 65535, an IPv6 "
        "address in brackets): bad address");
  CHECK(text_for(":0?announce=a").find("only publish=<host>") != std::string::npos);
}

TEST_CASE("additional published addresses are alternate addresses of the profile") {
  const auto protocol = make_tcp_protocol();
  const auto key = octets(1, 2, 3);
  const std::vector<Endpoint> alternates{{"iiop", "[2001:db8::7]:5"}, {"iiop", "b:6"}};
  const auto profile = protocol->make_profile({"iiop", "a:4"}, {1, 2, key, {}, alternates});
  CHECK((endpoints_of(profile) ==
         std::vector<Endpoint>{{"iiop", "a:4"}, {"iiop", "[2001:db8::7]:5"}, {"iiop", "b:6"}}));
}

TEST_CASE("peers are shown as plain addresses, also IPv4 over IPv6") {
  const auto acceptor = listen("");
  const auto port = port_of(acceptor->listening());
  const auto client =
      make_tcp_protocol()->make_connector()->connect({"iiop", "127.0.0.1:" + port}, 10s).value();
  const auto server = acceptor->accept(Wait::yes).value();
  CHECK(client->peer() == "iiop://127.0.0.1:" + port);
  CHECK(server->peer().starts_with("iiop://127.0.0.1:"));
}

TEST_CASE("small messages are sent at once on both sides") {
  const auto acceptor = listen("127.0.0.1:0");
  const auto client =
      make_tcp_protocol()->make_connector()->connect(acceptor->published(), 0ms).value();
  const auto server = acceptor->accept(Wait::yes).value();
  for (const auto* end : {client.get(), server.get()}) {
    CHECK(ipc::io::get_option(end->readiness_fd(), ipc::io::OptionName::no_delay).value() != 0);
  }
}

TEST_CASE("a connect to a name tries all its addresses") {
  // With IPv6, localhost has two addresses; the acceptor listens at only one of them.
  const auto acceptor = listen("127.0.0.1:0");
  CHECK(can_connect("localhost:" + port_of(acceptor->listening())));
}

TEST_CASE("a connect to a server that does not answer fails at the time-out") {
  // A listener whose queue is full drops new connections.
  auto acceptor = ipc::sock::Acceptor::open(ipc::InetAddr::loopback()).value();
  REQUIRE(::listen(acceptor.handle(), 0) == 0);
  const auto address = acceptor.local_address().value();
  std::vector<ipc::sock::Connector::Pending> queue;
  for (int count = 0; count < 4; ++count) {
    queue.push_back(ipc::sock::Connector::start(address).value());
  }
  const auto result =
      make_tcp_protocol()->make_connector()->connect({"iiop", to_string(address)}, 20ms);
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().kind == IoErrorKind::timed_out);
  CHECK(result.error().operation == IoOperation::connect);
}

TEST_CASE("accepting without a free handle is an error, and the connection stays in the queue") {
  const auto acceptor = listen("127.0.0.1:0");
  const auto client =
      make_tcp_protocol()->make_connector()->connect(acceptor->published(), 0ms).value();
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{0, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
  const auto refused = acceptor->accept(Wait::no);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().kind == IoErrorKind::limit);
  CHECK(refused.error().code == EMFILE);
  CHECK(acceptor->accept(Wait::no).value() != nullptr);
}

TEST_CASE("an endpoint without a host, or with port 0, cannot be connected to") {
  auto connector = make_tcp_protocol()->make_connector();
  for (const std::string address : {"", ":1234", "127.0.0.1:0"}) {
    CAPTURE(address);
    CHECK(connector->connect({"iiop", address}, 0ms).error().kind == IoErrorKind::bad_address);
  }
}

TEST_CASE("an unknown name is an error of resolving") {
  const auto result =
      make_tcp_protocol()->make_connector()->connect({"iiop", "no such host:1"}, 0ms);
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().kind == IoErrorKind::bad_address);
  CHECK(result.error().operation == IoOperation::resolve);
}

// --- Profiles ------------------------------------------------------------------------------------

iop::TaggedComponent alternate(std::string host, std::uint16_t port) {
  return iop::encode_alternate_address({std::move(host), port});
}

std::vector<Endpoint> endpoints_of(const iop::IiopProfile& profile) {
  return endpoints_of(iop::encode_profile(profile));
}

// Interop fact 46 of docs/interop.md.
TEST_CASE("alternate addresses come after the profile's own address, in their order") {
  const iop::IiopProfile profile{1, 2,           "first",
                                 1, octets('k'), {alternate("second", 2), alternate("::3", 3)}};
  CHECK((endpoints_of(profile) ==
         std::vector<Endpoint>{{"iiop", "first:1"}, {"iiop", "second:2"}, {"iiop", "[::3]:3"}}));
}

// Interop fact 48 of docs/interop.md.
TEST_CASE("port 0 is not used: a profile without another address belongs to other protocols") {
  const iop::IiopProfile only_tls{1, 2, "host", 0, octets('k'), {}};
  CHECK(endpoints_of(only_tls).empty());
  const iop::IiopProfile alternates{1, 2,           "host",
                                    0, octets('k'), {alternate("other", 0), alternate("plain", 7)}};
  CHECK((endpoints_of(alternates) == std::vector<Endpoint>{{"iiop", "plain:7"}}));
}

TEST_CASE("a damaged alternate address is ignored") {
  auto damaged = alternate("second", 2);
  damaged.data.resize(damaged.data.size() - 3);
  const iop::IiopProfile profile{1, 2, "first", 1, octets('k'), {damaged, {3, {}}}};
  CHECK((endpoints_of(profile) == std::vector<Endpoint>{{"iiop", "first:1"}}));
}

// Interop fact 45 of docs/interop.md.
TEST_CASE("a profile of IIOP 1.0 carries no components") {
  auto protocol = make_tcp_protocol();
  const std::vector<iop::TaggedComponent> components{{1, octets(1)}};
  const auto made = protocol->make_profile({"iiop", "host:9"}, {1, 0, octets('k'), components});
  const auto target = claim(made);
  REQUIRE(target.has_value());
  CHECK(target->minor == 0);
  CHECK(target->components.empty());
  CHECK((endpoints_of(made) == std::vector<Endpoint>{{"iiop", "host:9"}}));
}

TEST_CASE("an IPv6 address has no brackets in a profile") {
  auto protocol = make_tcp_protocol();
  const auto made = protocol->make_profile({"iiop", "[::1]:9"}, {1, 2, octets('k'), {}});
  CHECK(iop::decode_iiop_profile(made).value().host == "::1");
  CHECK((endpoints_of(made) == std::vector<Endpoint>{{"iiop", "[::1]:9"}}));
}

}  // namespace
}  // namespace perigee::transport
