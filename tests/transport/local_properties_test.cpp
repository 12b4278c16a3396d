// Properties that policies set, on the sockets of UNIX-domain connections.
#include "support/temporary_folder.h"
#include "transport/socket_options.h"
#include <perigee/transport/local.h>

#include <doctest/doctest.h>

#include <chrono>

namespace perigee::transport {
namespace {

TEST_CASE("an acceptor or connector sets its buffer sizes only on its own sockets") {
  Properties properties;
  properties.set(property::send_buffer_size, 20'000);
  properties.set(property::receive_buffer_size, 30'000);
  properties.set(property::no_delay, 0);  // a TCP property, ignored here
  const test::TemporaryFolder folder;
  const auto protocol = make_local_protocol();
  const Endpoint endpoint{"uiop", folder.file("socket")};
  const auto acceptor = protocol->listen_with(endpoint, properties).value();

  const auto plain = protocol->make_connector()->connect(endpoint, std::chrono::seconds(10));
  const auto accepted = acceptor->accept(Wait::yes).value();
  CHECK(test::socket_option(**plain, SOL_SOCKET, SO_SNDBUF) != 40'000);
  CHECK(test::socket_option(*accepted, SOL_SOCKET, SO_SNDBUF) == 40'000);
  CHECK(test::socket_option(*accepted, SOL_SOCKET, SO_RCVBUF) == 60'000);

  const auto special =
      protocol->make_connector_with(properties)->connect(endpoint, std::chrono::seconds(10));
  CHECK(test::socket_option(**special, SOL_SOCKET, SO_SNDBUF) == 40'000);
  CHECK(test::socket_option(**special, SOL_SOCKET, SO_RCVBUF) == 60'000);
}

}  // namespace
}  // namespace perigee::transport
