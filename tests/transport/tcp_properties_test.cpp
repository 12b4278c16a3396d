// Properties from policies, on the sockets of TCP connections.
#include "transport/socket_options.h"
#include <perigee/transport/faults.h>
#include <perigee/transport/tcp.h>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>

namespace perigee::transport {
namespace {

using namespace std::chrono_literals;
using test::socket_option;

struct Pair {
  std::unique_ptr<Transport> client;
  std::unique_ptr<Transport> server;
};

Pair connect(ProtocolFactory& protocol, const Properties& client, const Properties& server,
             const std::string& address = "127.0.0.1:0") {
  const auto acceptor = protocol.listen_with({"iiop", address}, server).value();
  auto connected =
      protocol.make_connector_with(client)->connect(acceptor->listening(), 10s).value();
  auto accepted = acceptor->accept(Wait::yes).value();
  return {std::move(connected), std::move(accepted)};
}

Properties special_properties() {
  Properties properties;
  properties.set(property::send_buffer_size, 20'000);
  properties.set(property::receive_buffer_size, 30'000);
  properties.set(property::no_delay, 0);
  properties.set(property::keep_alive, 1);
  properties.set(property::dscp, 46);  // expedited forwarding
  return properties;
}

void check_special(const Transport& transport) {
  // Linux doubles the size for its own needs.
  CHECK(socket_option(transport, SOL_SOCKET, SO_SNDBUF) == 40'000);
  CHECK(socket_option(transport, SOL_SOCKET, SO_RCVBUF) == 60'000);
  CHECK(socket_option(transport, IPPROTO_TCP, TCP_NODELAY) == 0);
  CHECK(socket_option(transport, SOL_SOCKET, SO_KEEPALIVE) == 1);
  CHECK(socket_option(transport, IPPROTO_IP, IP_TOS) == 46 * 4);
}

void check_usual(const Transport& transport) {
  CHECK(socket_option(transport, IPPROTO_TCP, TCP_NODELAY) == 1);
  CHECK(socket_option(transport, SOL_SOCKET, SO_KEEPALIVE) == 0);
  CHECK(socket_option(transport, SOL_SOCKET, SO_DONTROUTE) == 0);
  CHECK(socket_option(transport, IPPROTO_IP, IP_TOS) == 0);
}

TEST_CASE("an acceptor or connector sets its properties only on its own sockets") {
  const auto protocol = make_tcp_protocol();
  const Pair client_only = connect(*protocol, special_properties(), {});
  check_special(*client_only.client);
  check_usual(*client_only.server);
  const Pair server_only = connect(*protocol, {}, special_properties());
  check_usual(*server_only.client);
  check_special(*server_only.server);
}

/// The window scale that the connection's own side announced. The handshake derives it from the
/// size of the queue at that time.
int window_scale(const Transport& transport) {
  tcp_info info{};
  socklen_t size = sizeof(info);
  REQUIRE(::getsockopt(transport.readiness_fd(), IPPROTO_TCP, TCP_INFO, &info, &size) == 0);
  return info.tcpi_rcv_wscale;
}

TEST_CASE("connectors and acceptors set the queue's size before the handshake of TCP") {
  Properties small;
  // This size needs no scale; the system's own sizes need one (unless window scaling is turned
  // off).
  small.set(property::receive_buffer_size, 8'000);
  const auto protocol = make_tcp_protocol();
  CHECK(window_scale(*connect(*protocol, small, {}).client) == 0);
  CHECK(window_scale(*connect(*protocol, {}, small).server) == 0);
}

TEST_CASE("an acceptor sets its properties on the listening socket") {
  Properties properties = special_properties();
  properties.set(property::dont_route, 1);
  const auto acceptor = make_tcp_protocol()->listen_with({"iiop", "127.0.0.1:0"}, properties);
  REQUIRE(acceptor.has_value());
  const int handle = (*acceptor)->readiness_fd();
  const auto option = [handle](int level, int number) {
    int value = -1;
    socklen_t size = sizeof(value);
    REQUIRE(::getsockopt(handle, level, number, &value, &size) == 0);
    return value;
  };
  CHECK(option(SOL_SOCKET, SO_DONTROUTE) == 1);
  CHECK(option(SOL_SOCKET, SO_KEEPALIVE) == 1);
  CHECK(option(IPPROTO_IP, IP_TOS) == 46 * 4);
  CHECK(option(SOL_SOCKET, SO_RCVBUF) == 60'000);
}

TEST_CASE("dont_route is the option SO_DONTROUTE of the connection") {
  Properties properties;
  properties.set(property::dont_route, 1);
  const Pair pair = connect(*make_tcp_protocol(), properties, {});
  CHECK(socket_option(*pair.client, SOL_SOCKET, SO_DONTROUTE) == 1);
}

TEST_CASE("the class of service is set for IPv6, and for IPv4 clients of an IPv6 socket") {
  Properties properties;
  properties.set(property::dscp, 10);
  const auto protocol = make_tcp_protocol();
  if (protocol->listen({"iiop", "[::1]:0"})) {  // without IPv6 there is nothing to test
    const Pair v6 = connect(*protocol, properties, {}, "[::1]:0");
    CHECK(socket_option(*v6.client, IPPROTO_IPV6, IPV6_TCLASS) == 40);
  }

  const auto everywhere = protocol->listen_with({"iiop", ":0"}, properties).value();
  const auto& address = everywhere->listening().address;
  const auto client = protocol->make_connector()->connect(
      {"iiop", "127.0.0.1" + address.substr(address.rfind(':'))}, 10s);
  REQUIRE(client.has_value());
  CHECK(socket_option(*everywhere->accept(Wait::yes).value(), IPPROTO_IP, IP_TOS) == 40);
}

TEST_CASE("options apply where the properties have no value") {
  Properties properties;
  properties.set(property::send_buffer_size, 50'000);
  properties.set(property::receive_buffer_size, 0);
  properties.set("colour", 3);  // a property of another protocol
  const auto protocol = make_tcp_protocol({.send_size = 20'000, .receive_size = 30'000});
  const Pair pair = connect(*protocol, properties, {});
  CHECK(socket_option(*pair.client, SOL_SOCKET, SO_SNDBUF) == 100'000);
  CHECK(socket_option(*pair.client, SOL_SOCKET, SO_RCVBUF) == 60'000);
  CHECK(socket_option(*pair.server, SOL_SOCKET, SO_SNDBUF) == 40'000);
}

TEST_CASE("decorated protocols pass properties on") {
  const auto protocol = inject_faults(make_tcp_protocol(), {});
  CHECK(protocol->protocol_tag() == make_tcp_protocol()->protocol_tag());
  const Pair pair = connect(*protocol, special_properties(), special_properties());
  check_special(*pair.client);
  check_special(*pair.server);
}

}  // namespace
}  // namespace perigee::transport
