// Asynchronous calls with deadlines, over every registered transport and every version of the
// messaging protocol.
#include "conformance/limited_calls.h"
#include "conformance/orb_pair.h"
#include "conformance/raw_peer.h"
#include <perigee/async/call.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::test {
namespace {

constexpr stub::Operation twice_operation{"twice", stub::Operation::Kind::twoway, {}};
constexpr stub::Operation later_operation{"later", stub::Operation::Kind::twoway, {}};
constexpr stub::Operation same_operation{"same", stub::Operation::Kind::twoway, {}};

call<std::int32_t> start(const Echo::Ref& echo, const stub::Operation& operation,
                         std::int32_t value) {
  return async::start_call<std::int32_t>(
      *echo, operation, [value](cdr::Encoder& encoder) { encoder << value; },
      [](cdr::Decoder& results) { return results.read<std::int32_t>(); });
}

/// Starts a call that takes a while to send. The server answers it with a long.
call<std::int32_t> start_large(const Echo::Ref& echo, std::size_t size) {
  return async::start_call<std::int32_t>(
      *echo, same_operation, [data = OctetVector(size)](cdr::Encoder& encoder) { encoder << data; },
      [](cdr::Decoder& results) { return results.read<std::int32_t>(); });
}

constexpr auto limit = 100ms;  // a request that has a connection is sent in this time
constexpr auto about = 10s;    // how late a call may end: a loaded machine is slow

/// Waits for a call whose time is limited, and checks that it ends at its deadline.
void check_times_out(call<std::int32_t> late, CORBA::CompletionStatus completed,
                     std::chrono::steady_clock::time_point begin) {
  const auto failed = failure_of([&] { static_cast<void>(late.get()); });
  const auto taken = std::chrono::steady_clock::now() - begin;
  REQUIRE(failed.has_value());
  CHECK(failed->is_timeout);
  CHECK(failed->completed == completed);
  CHECK(taken >= limit);
  CHECK(taken < limit + about);
}

/// Every scheme and version with one thread strategy: the strategy of the server does not matter.
std::vector<OrbPairing> pairings_of_client() {
  std::vector<OrbPairing> pairings = all_pairings();
  std::erase_if(pairings, [](const OrbPairing& pairing) {
    return pairing.strategy != "thread-per-connection" || pairing.lite == "yes";
  });
  return pairings;
}

/// Over TCP, the loop connects while it serves other connections.
bool connects_without_thread(const OrbPairing& pairing) {
  return pairing.scheme == "iiop" || pairing.scheme == "ssliop" ||
         pairing.scheme.ends_with("-tcp") || pairing.scheme.ends_with("-tls");
}

const std::vector<std::string> one_connection{"-ORBConnectionsPerEndpointMax", "1"};

}  // namespace

TEST_CASE("every pairing: an asynchronous call ends at its deadline, and other calls continue") {
  for (const OrbPairing& pairing : all_pairings()) {
    CAPTURE(pairing.name());
    Surroundings surroundings;
    PairServer server(surroundings, pairing);
    const PairClient client(surroundings, pairing, one_connection);
    const auto echo = client.echo(server.reference);
    const auto hurried = limited(client.orb, echo, limit);
    CHECK(start(echo, twice_operation, 1).get() == 2);  // the connection is there
    auto patient = start(limited(client.orb, echo, 1h), later_operation, 1);
    const auto begin = std::chrono::steady_clock::now();
    auto late = start(hurried, later_operation, 2);
    auto prompt = start(echo, twice_operation, 21);
    check_times_out(std::move(late), CORBA::COMPLETED_MAYBE, begin);
    CHECK(prompt.get() == 42);
    auto next = start(echo, later_operation, 3);
    server.servant->answer_up_to(3);
    CHECK(patient.get() == 2);
    CHECK(next.get() == 6);
    CHECK(start(echo, twice_operation, 4).get() == 8);
  }
}

TEST_CASE("every pairing: a reply after the deadline is dropped, and other replies arrive") {
  for (const OrbPairing& pairing : pairings_of_client())
    for (const bool in_parts : {false, true}) {
      CAPTURE(pairing.name());
      CAPTURE(in_parts);
      Surroundings surroundings;
      const PairClient client(surroundings, pairing, one_connection);
      RawServer server(surroundings, *client.orb, pairing);
      const auto echo = client.echo(server.reference);
      std::binary_semaphore timed_out{0};
      std::jthread serving([&] {
        RawPeer peer(*client.orb, pairing, server.accept());
        peer.answer(peer.request().value(), 2);
        const auto late = peer.request().value();
        const Octets reply = peer.reply_to(late, 1);
        const std::size_t part = in_parts ? reply.size() / 2 : 0;
        peer.send(OctetSpan(reply).first(part));
        timed_out.acquire();
        const auto next = in_parts ? std::nullopt : peer.request();
        peer.send(OctetSpan(reply).subspan(part));
        peer.answer(next ? *next : peer.request().value(), 8);
      });
      CHECK(start(echo, twice_operation, 1).get() == 2);  // the connection is there
      const auto begin = std::chrono::steady_clock::now();
      check_times_out(start(limited(client.orb, echo, limit), twice_operation, 1),
                      CORBA::COMPLETED_MAYBE, begin);
      timed_out.release();
      CHECK(start(echo, twice_operation, 4).get() == 8);
    }
}

TEST_CASE("every pairing: an asynchronous call that cannot be sent in time is never sent") {
  constexpr std::size_t more_than_fits = 6u << 20;
  for (const OrbPairing& pairing : pairings_of_client()) {
    CAPTURE(pairing.name());
    Surroundings surroundings;
    const PairClient client(surroundings, pairing, one_connection);
    RawServer server(surroundings, *client.orb, pairing);
    const auto echo = client.echo(server.reference);
    std::binary_semaphore timed_out{0};
    std::vector<std::string> requests;
    std::jthread serving([&] {
      RawPeer peer(*client.orb, pairing, server.accept());
      timed_out.acquire();
      while (requests.size() != 2) {
        const auto request = peer.request().value();
        peer.answer(request, static_cast<std::int32_t>(requests.size()));
        requests.push_back(request.operation);
      }
    });
    auto large = start_large(echo, more_than_fits);
    const auto begin = std::chrono::steady_clock::now();
    check_times_out(start(limited(client.orb, echo, limit), later_operation, 1),
                    CORBA::COMPLETED_NO, begin);
    auto next = start(echo, twice_operation, 4);
    timed_out.release();
    CHECK(large.get() == 0);
    CHECK(next.get() == 1);
    serving.join();
    CHECK((requests == std::vector<std::string>{"same", "twice"}));
  }
}

TEST_CASE("every pairing: an asynchronous call that waits for a connecting thread ends in time") {
  for (const OrbPairing& pairing : pairings_of_client()) {
    CAPTURE(pairing.name());
    Surroundings surroundings;
    PairServer server(surroundings, pairing);
    const PairClient client(surroundings, pairing, {"-ORBConnectingThreadsMax", "1"});
    const auto echo = client.echo(server.reference);
    // The only thread that connects is busy with this connect.
    surroundings.hub().hold("mute");
    iop::Ior mute{"IDL:Echo:1.0", {}};
    mute.profiles.push_back(protocols(*client.orb)
                                .find("memory")
                                ->make_profile({"memory", "mute"}, {1, 2, Octets(8), {}}));
    auto first = start(client.echo(iop::to_ior_string(mute)), twice_operation, 1);
    if (connects_without_thread(pairing)) {
      CHECK(start(echo, twice_operation, 4).get() == 8);
      surroundings.hub().release();
    } else {
      const auto begin = std::chrono::steady_clock::now();
      check_times_out(start(limited(client.orb, echo, limit), twice_operation, 1),
                      CORBA::COMPLETED_NO, begin);
      auto next = start(echo, twice_operation, 4);
      surroundings.hub().release();
      CHECK(next.get() == 8);
    }
    const auto refused = failure_of([&] { static_cast<void>(first.get()); });
    REQUIRE(refused.has_value());
    CHECK_FALSE(refused->is_timeout);
    CHECK(refused->completed == CORBA::COMPLETED_NO);
  }
}

}  // namespace perigee::test
