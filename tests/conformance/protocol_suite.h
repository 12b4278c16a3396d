// The duties of every protocol besides moving octets: listen, connect, accept, publish, claim. A
// protocol's test program defines `ProtocolHarness` before it includes this file:
//
//   struct ProtocolHarness {
//     std::unique_ptr<ProtocolFactory> make_protocol();
//     Endpoint fresh_endpoint();              // no other server listens there
//     std::vector<Endpoint> bad_endpoints();  // their addresses are invalid
//   };
#pragma once

#include "conformance/transport_pair.h"
#include "support/octets.h"
#include <perigee/event/reactor.h>
#include <perigee/transport/registry.h>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::test {

using namespace std::chrono_literals;

namespace {
/// Adds the protocol to the registry, which then reads and claims the profiles of the protocol.
inline transport::ProtocolFactory* add_protocol(transport::ProtocolRegistry& registry,
                                                ProtocolHarness& harness) {
  auto made = harness.make_protocol();
  auto* const protocol = made.get();
  REQUIRE(registry.add(std::move(made)).has_value());
  return protocol;
}
}  // namespace

TEST_CASE("a connection to the published endpoint arrives at the acceptor") {
  ProtocolHarness harness;
  auto protocol = harness.make_protocol();
  auto acceptor = protocol->listen(harness.fresh_endpoint()).value();
  auto client = protocol->make_connector()->connect(acceptor->published(), 0ms).value();
  auto server = acceptor->accept(Wait::yes).value();
  open_both(*client, *server);
  CHECK(send_all(*client, pattern(10, 1)).ok());
  CHECK((receive_exactly(*server, 10) == pattern(10, 1)));
  const std::string scheme = acceptor->published().scheme + "://";
  CHECK(client->peer().starts_with(scheme));
  CHECK(server->peer().starts_with(scheme));
}

TEST_CASE("an accept without waiting gives null when no client has connected") {
  ProtocolHarness harness;
  auto protocol = harness.make_protocol();
  auto acceptor = protocol->listen(harness.fresh_endpoint()).value();
  const auto accepted = acceptor->accept(Wait::no);
  REQUIRE(accepted.has_value());
  CHECK((*accepted == nullptr));
}

TEST_CASE("interrupt ends an accept that waits, and all later accepts fail") {
  ProtocolHarness harness;
  auto protocol = harness.make_protocol();
  auto acceptor = protocol->listen(harness.fresh_endpoint()).value();
  IoErrorKind kind = IoErrorKind::system;
  std::jthread waiting([&] { kind = acceptor->accept(Wait::yes).error().kind; });
  acceptor->interrupt();
  waiting.join();
  CHECK(kind == IoErrorKind::interrupted);
  CHECK(acceptor->accept(Wait::yes).error().kind == IoErrorKind::interrupted);
  CHECK(acceptor->accept(Wait::no).error().kind == IoErrorKind::interrupted);
}

TEST_CASE("a client that connected before the interruption is accepted, or its connection ends") {
  ProtocolHarness harness;
  auto protocol = harness.make_protocol();
  auto acceptor = protocol->listen(harness.fresh_endpoint()).value();
  auto client = protocol->make_connector()->connect(acceptor->published(), 0ms).value();
  acceptor->interrupt();
  auto accepted = acceptor->accept(Wait::no);
  if (accepted) {
    REQUIRE((*accepted != nullptr));
    (*accepted)->shutdown_send();
  }
  static_cast<void>(client->set_receive_timeout(10'000'000us));
  std::array<std::byte, 1> space;
  const auto received = client->receive(space, Wait::yes);
  CHECK((received.status == IoStatus::end_of_stream || received.status == IoStatus::failed));
  CHECK(acceptor->accept(Wait::no).error().kind == IoErrorKind::interrupted);
}

TEST_CASE("a connect fails when no server listens any more, and the error names the endpoint") {
  ProtocolHarness harness;
  auto protocol = harness.make_protocol();
  auto acceptor = protocol->listen(harness.fresh_endpoint()).value();
  const auto endpoint = acceptor->published();
  acceptor.reset();
  for (const auto timeout : {0ms, 10'000ms}) {
    const auto result = protocol->make_connector()->connect(endpoint, timeout);
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().kind == IoErrorKind::system);
    CHECK(result.error().operation == IoOperation::connect);
    CHECK(result.error().endpoint == to_string(endpoint));
  }
}

TEST_CASE("connector and acceptor refuse an invalid address") {
  ProtocolHarness harness;
  auto protocol = harness.make_protocol();
  for (const auto& endpoint : harness.bad_endpoints()) {
    CAPTURE(to_string(endpoint));
    const auto connected = protocol->make_connector()->connect(endpoint, 0ms);
    REQUIRE_FALSE(connected.has_value());
    CHECK(connected.error().kind == IoErrorKind::bad_address);
    const auto listening = protocol->listen(endpoint);
    REQUIRE_FALSE(listening.has_value());
    CHECK(listening.error().kind == IoErrorKind::bad_address);
  }
}

TEST_CASE("two acceptors cannot listen at the same endpoint") {
  ProtocolHarness harness;
  auto protocol = harness.make_protocol();
  auto acceptor = protocol->listen(harness.fresh_endpoint()).value();
  const auto second = protocol->listen(acceptor->listening());
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().operation == IoOperation::listen);
}

namespace {
struct AcceptingHandler final : event::EventHandler {
  explicit AcceptingHandler(transport::Acceptor& of) : acceptor(of) {}
  void handle_ready(event::Readiness) noexcept override {
    for (;;) {
      auto accepted = acceptor.accept(Wait::no);
      if (!accepted || *accepted == nullptr) return;
      transports.push_back(std::move(*accepted));
    }
  }
  transport::Acceptor& acceptor;
  std::vector<std::unique_ptr<transport::Transport>> transports;
};
}  // namespace

TEST_CASE("a reactor reports connections, several at a time") {
  ProtocolHarness harness;
  auto protocol = harness.make_protocol();
  auto acceptor = protocol->listen(harness.fresh_endpoint()).value();
  auto reactor = event::make_reactor().value();
  AcceptingHandler handler(*acceptor);
  REQUIRE(reactor->add(acceptor->readiness_fd(), handler).has_value());
  auto connector = protocol->make_connector();
  std::vector<std::unique_ptr<transport::Transport>> clients;
  for (int count = 0; count < 5; ++count) {
    clients.push_back(connector->connect(acceptor->published(), 0ms).value());
  }
  while (handler.transports.size() < 5) reactor->run_once(Deadline::never());
  CHECK(handler.transports.size() == 5);
  reactor->remove(handler);
}

TEST_CASE("a profile made for an endpoint is claimed and leads back to it") {
  ProtocolHarness harness;
  transport::ProtocolRegistry registry;
  auto* const protocol = add_protocol(registry, harness);
  auto acceptor = protocol->listen(harness.fresh_endpoint()).value();
  const Octets key = octets('k', 0, 'e', 0xff, 'y');
  const std::vector<iop::TaggedComponent> components{{0x12345678, octets(1, 2, 3)}};
  const auto profile = protocol->make_profile(acceptor->published(), {1, 1, key, components});
  auto target = registry.claim(profile);
  REQUIRE(target.has_value());
  REQUIRE(target->endpoints.size() == 1);
  CHECK((target->endpoints.front().endpoint == acceptor->published()));
  CHECK(target->endpoints.front().distance != transport::Distance::other_host);
  CHECK(target->major == 1);
  CHECK(target->minor == 1);
  CHECK(target->object_key == key);
  // Components of the protocol's own come after them.
  REQUIRE(target->components.size() >= components.size());
  target->components.resize(components.size());
  CHECK((target->components == components));
}

TEST_CASE("a profile with another tag and a damaged profile are not claimed") {
  ProtocolHarness harness;
  transport::ProtocolRegistry registry;
  auto* const protocol = add_protocol(registry, harness);
  auto acceptor = protocol->listen(harness.fresh_endpoint()).value();
  const auto own = protocol->make_profile(acceptor->published(), {1, 2, {}, {}});
  REQUIRE(registry.claim(own).has_value());
  CHECK_FALSE(registry.claim({own.tag + 1000, own.data}).has_value());
  for (std::size_t size = 0; size < own.data.size(); ++size) {
    CAPTURE(size);
    const Octets cut(own.data.begin(), own.data.begin() + std::ptrdiff_t(size));
    CHECK_FALSE(registry.claim({own.tag, cut}).has_value());
  }
}

TEST_CASE("a registry finds the protocol by its schemes, and its connector works") {
  ProtocolHarness harness;
  transport::ProtocolRegistry registry;
  REQUIRE(registry.add(harness.make_protocol()).has_value());
  const auto scheme = harness.fresh_endpoint().scheme;
  REQUIRE(registry.find(scheme) != nullptr);
  auto acceptor = registry.find(scheme)->listen(harness.fresh_endpoint()).value();
  REQUIRE(registry.connector(scheme) != nullptr);
  CHECK(registry.connector(scheme)->connect(acceptor->published(), 10'000ms).has_value());
  CHECK(registry.add(harness.make_protocol()).error().kind == IoErrorKind::bad_plugin);
}

}  // namespace perigee::test
