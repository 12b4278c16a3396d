// Calls between ORBs over a transport with Features::encodes_in_place: both sides encode messages
// directly in the transport's ring buffer.
#include "conformance/limited_calls.h"
#include "conformance/orb_pair.h"
#include "support/memory_transport.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace perigee::test {
namespace {

/// Whether one thread serves a connection for the connection's whole life.
bool has_one_thread(const std::string& strategy) {
  return strategy == "reactive" || strategy == "reactor-per-core";
}

/// Counts the messages that client and server have encoded in the ring since its construction.
class Commits {
 public:
  [[nodiscard]] std::size_t count() const { return MemoryConnection::commits() - before_; }

 private:
  const std::size_t before_ = MemoryConnection::commits();
};

/// Calls `same`. Encodes the octets one by one, so that the encoder borrows none of them.
OctetVector same_octet_by_octet(Echo& echo, const OctetVector& data) {
  OctetVector result;
  stub::invoke(
      echo, {"same", stub::Operation::Kind::twoway, {}},
      [&](cdr::Encoder& encoder) {
        encoder << static_cast<std::uint32_t>(data.size());
        for (const std::uint8_t octet : data) encoder << octet;
      },
      [&](cdr::Decoder& decoder) { decoder >> result; });
  return result;
}

/// A servant. Encoding the result of its operation `broken` fails.
class FailingServant final : public NotingServant {
 public:
  void _dispatch(orb::ServerRequest& request) override {
    if (request.operation() != "broken") return NotingServant::_dispatch(request);
    request.end_of_arguments();
    request.reply([](cdr::Encoder& encoder) {
      encoder << std::uint32_t{17};
      throw CORBA::NO_RESOURCES(9, CORBA::COMPLETED_YES);
    });
  }
};

}  // namespace

TEST_CASE("requests and replies over a ring are encoded in its memory, under every strategy") {
  for (const char* strategy : thread_strategies) {
    CAPTURE(std::string(strategy));
    const OrbPairing pairing{.scheme = "ring", .strategy = strategy};
    Surroundings surroundings;
    PairServer server(surroundings, pairing);
    const PairClient client(surroundings, pairing);
    const auto echo = client.echo(server.reference);
    const Commits commits;
    for (std::int32_t value = 0; value < 20; ++value) CHECK(echo->twice(value) == 2 * value);
    const OctetVector small = octets_of_size(4000);
    CHECK((echo->same(small) == small));
    CHECK(commits.count() <= 2 * 21);
    // If several threads serve the connection, one thread may still be committing a reply while
    // another thread encodes the next reply. The next reply is then not encoded in the ring.
    CHECK(commits.count() >= (has_one_thread(strategy) ? 2 * 21 : 21 + 1));
  }
}

TEST_CASE("messages that borrow octets or outgrow the ring are sent without being encoded in it") {
  const OrbPairing pairing{.scheme = "ring", .strategy = "reactive"};
  Surroundings surroundings;
  PairServer server(surroundings, pairing);
  const PairClient client(surroundings, pairing);
  const auto echo = client.echo(server.reference);
  const OctetVector large = octets_of_size(200'000);
  const Commits commits;
  CHECK((echo->same(large) == large));
  CHECK((same_octet_by_octet(*echo, large) == large));
  CHECK(commits.count() == 0);
  CHECK(echo->twice(4) == 8);
  CHECK(commits.count() == 2);
}

TEST_CASE("sealed messages are not encoded in the ring, since the seal is in front of them") {
  const OrbPairing pairing{.scheme = "numbered-ring"};
  Surroundings surroundings;
  PairServer server(surroundings, pairing);
  const PairClient client(surroundings, pairing);
  const auto echo = client.echo(server.reference);
  const Commits commits;
  CHECK(echo->twice(21) == 42);
  CHECK(commits.count() == 0);
}

TEST_CASE("a request whose arguments cannot be encoded is not sent; the connection stays open") {
  const OrbPairing pairing{.scheme = "ring", .strategy = "reactive"};
  Surroundings surroundings;
  PairServer server(surroundings, pairing);
  const PairClient client(surroundings, pairing, {"-ORBConnectionsPerEndpointMax", "1"});
  const auto echo = client.echo(server.reference);
  const stub::Operation twice{"twice", stub::Operation::Kind::twoway, {}};
  CHECK(echo->twice(1) == 2);
  for (int call = 0; call < 3; ++call) {
    const auto fail = [](cdr::Encoder& encoder) {
      encoder << std::int32_t{1};
      encoder.write_string(std::string_view("a\0b", 3));
    };
    CHECK_THROWS_AS(stub::invoke(*echo, twice, fail, nullptr), CORBA::BAD_PARAM);
    const auto interrupt = [](cdr::Encoder& encoder) {
      encoder << std::int32_t{1};
      throw std::runtime_error("no value");
    };
    CHECK_THROWS_AS(stub::invoke(*echo, twice, interrupt, nullptr), std::runtime_error);
    const Commits commits;
    CHECK(echo->twice(21) == 42);
    CHECK(commits.count() == 2);
  }
}

TEST_CASE("a request is not sent if its time limit passes while its arguments are encoded") {
  const OrbPairing pairing{.scheme = "ring", .strategy = "reactive"};
  Surroundings surroundings;
  PairServer server(surroundings, pairing);
  const PairClient client(surroundings, pairing);
  const auto echo = client.echo(server.reference);
  CHECK(echo->twice(1) == 2);
  const Commits commits;
  const auto late = limited(client.orb, echo, 20ms);
  const auto failed = failure_of([&] {
    stub::invoke(
        *late, {"note", stub::Operation::Kind::twoway, {}},
        [](cdr::Encoder& encoder) {
          std::this_thread::sleep_for(40ms);
          encoder << std::int32_t{7};
        },
        nullptr);
  });
  REQUIRE(failed.has_value());
  CHECK(failed->is_timeout);
  CHECK(failed->completed == CORBA::COMPLETED_NO);
  CHECK(commits.count() == 0);
  CHECK(echo->twice(4) == 8);
  CHECK(server.servant->notes.empty());
}

TEST_CASE("calls of other threads do not wait for a request that has outgrown the ring") {
  const OrbPairing pairing{.scheme = "ring", .strategy = "reactive"};
  Surroundings surroundings;
  PairServer server(surroundings, pairing);
  const PairClient client(surroundings, pairing, {"-ORBConnectionsPerEndpointMax", "1"});
  const auto echo = client.echo(server.reference);
  CHECK(echo->twice(1) == 2);
  const OctetVector large = octets_of_size(200'000);
  std::atomic<bool> outgrown{false};
  std::atomic<bool> answered{false};
  std::jthread other([&] {
    outgrown.wait(false);
    CHECK_FALSE(failure_of([&] { CHECK(echo->twice(21) == 42); }).has_value());
    answered.store(true);
  });
  const struct Wakes {
    std::atomic<bool>& flag;
    ~Wakes() {
      flag.store(true);
      flag.notify_all();
    }
  } wakes{outgrown};  // also if the call fails
  stub::invoke(
      *echo, {"same", stub::Operation::Kind::twoway, {}},
      [&](cdr::Encoder& encoder) {
        encoder << static_cast<std::uint32_t>(large.size());
        for (const std::uint8_t octet : large) encoder << octet;
        outgrown.store(true);
        outgrown.notify_all();
        const auto end = std::chrono::steady_clock::now() + 20s;
        while (!answered.load() && std::chrono::steady_clock::now() < end)
          std::this_thread::yield();
        CHECK(answered.load());
      },
      [&](cdr::Decoder& decoder) {
        OctetVector result;
        decoder >> result;
        CHECK((result == large));
      });
}

TEST_CASE(
    "a request is moved out of the ring if its thread makes another call during the encoding") {
  for (const char* connections : {"1", "5"}) {
    CAPTURE(std::string(connections));
    const OrbPairing pairing{.scheme = "ring", .strategy = "reactive"};
    Surroundings surroundings;
    PairServer server(surroundings, pairing);
    const PairClient client(surroundings, pairing, {"-ORBConnectionsPerEndpointMax", connections});
    const auto echo = client.echo(server.reference);
    CHECK(echo->twice(1) == 2);
    const Commits commits;
    std::int32_t result = 0;
    stub::invoke(
        *echo, {"twice", stub::Operation::Kind::twoway, {}},
        [&](cdr::Encoder& encoder) { encoder << echo->twice(21); },
        [&](cdr::Decoder& decoder) { decoder >> result; });
    CHECK(result == 84);
    CHECK(commits.count() == 3);  // both messages of the inner call, and the outer reply
  }
}

TEST_CASE("buffered oneways are sent in order, before a later call over the ring") {
  const OrbPairing pairing{.scheme = "ring", .strategy = "reactive"};
  Surroundings surroundings;
  PairServer server(surroundings, pairing);
  const PairClient client(surroundings, pairing);
  const auto echo = client.echo(server.reference);
  CORBA::Any scope;
  scope <<= Messaging::SYNC_NONE;
  const auto policy = client.orb->create_policy(Messaging::SYNC_SCOPE_POLICY_TYPE, scope);
  const auto unsynchronised = stub::interface_traits<Echo>::unchecked_narrow(
      echo->_set_policy_overrides({policy}, CORBA::SetOverrideType::SET_OVERRIDE));
  CHECK(echo->twice(1) == 2);
  const Commits commits;
  for (std::int32_t value = 0; value < 5; ++value) note(*unsynchronised, value);
  CHECK(commits.count() == 0);
  CHECK(echo->twice(4) == 8);
  CHECK((server.servant->notes == std::vector<std::int32_t>{0, 1, 2, 3, 4}));
}

TEST_CASE("a client gets the exception if a reply cannot be encoded; the connection stays open") {
  for (const char* strategy : thread_strategies) {
    CAPTURE(std::string(strategy));
    const OrbPairing pairing{.scheme = "ring", .strategy = strategy};
    Surroundings surroundings;
    PairServer server(surroundings, pairing);
    const auto poa =
        IDL::traits<PortableServer::POA>::narrow(server.orb->resolve_initial_references("RootPOA"));
    const auto servant = CORBA::make_reference<FailingServant>();
    const auto reference =
        server.orb->object_to_string(poa->id_to_reference(poa->activate_object(servant)));
    const PairClient client(surroundings, pairing);
    const auto echo = client.echo(reference);
    for (int call = 0; call < 3; ++call) {
      CHECK_THROWS_AS(
          stub::invoke(*echo, {"broken", stub::Operation::Kind::twoway, {}}, nullptr, nullptr),
          CORBA::NO_RESOURCES);
      CHECK(echo->twice(21) == 42);
    }
  }
}

}  // namespace perigee::test
