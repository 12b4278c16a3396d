// Guarantees of whole ORBs, over every registered transport and every version of the messaging
// protocol. These tests include each protocol that is registered (orb_pair.h).
#include "conformance/limited_calls.h"
#include "conformance/orb_pair.h"
#include "conformance/raw_peer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

namespace perigee::test {
namespace {

using namespace std::chrono_literals;

bool is_stopping(CORBA::ORB& orb) {
  try {
    static_cast<void>(orb.resolve_initial_references("RootPOA"));
    return false;
  } catch (const CORBA::BAD_INV_ORDER&) {
    return true;
  }
}

/// Upcalls of `stop` wait until the test opens the gate.
class Gate {
 public:
  explicit Gate(NotingServant& servant) : servant_(servant) {
    servant_.on_stop = [this] {
      std::unique_lock lock(mutex_);
      ++inside_;
      changed_.notify_all();
      changed_.wait(lock, [this] { return open_; });
    };
  }
  ~Gate() { open(); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void await(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return inside_ == count; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  NotingServant& servant_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  int inside_ = 0;
  bool open_ = false;
};

}  // namespace

TEST_CASE("every pairing: calls, results and exceptions cross") {
  for (const OrbPairing& pairing : all_pairings()) {
    CAPTURE(pairing.name());
    Surroundings surroundings;
    PairServer server(surroundings, pairing);
    const PairClient client(surroundings, pairing);
    const auto echo = client.echo(server.reference);
    echo->ping();
    CHECK(echo->twice(21) == 42);
    CHECK(echo->_is_a("IDL:Echo:1.0"));
    CHECK_FALSE(echo->_non_existent());
    CHECK_THROWS_AS(echo->fail(), Failure);
    CHECK_THROWS_AS(
        stub::invoke(*echo, {"none", stub::Operation::Kind::twoway, {}}, nullptr, nullptr),
        CORBA::BAD_OPERATION);
  }
}

TEST_CASE("every pairing: messages of any size come back as they were") {
  constexpr std::size_t mebi = 1u << 20;
  for (const OrbPairing& pairing : all_pairings()) {
    CAPTURE(pairing.name());
    Surroundings surroundings;
    PairServer server(surroundings, pairing);
    const PairClient client(surroundings, pairing);
    const auto echo = client.echo(server.reference);
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{1000},
          std::size_t{8191}, std::size_t{8192}, std::size_t{65535}, std::size_t{65536}, mebi - 100,
          mebi + 1, 8 * mebi}) {
      CAPTURE(size);
      const OctetVector data = octets_of_size(size);
      CHECK((echo->same(data) == data));
    }
  }
}

TEST_CASE("every pairing: messages in many fragments come back as they were") {
  const std::vector<std::string> small{"-ORBFragmentSize", "1024"};
  for (const OrbPairing& pairing : all_pairings()) {
    CAPTURE(pairing.name());
    Surroundings surroundings;
    PairServer server(surroundings, pairing, small);
    const PairClient client(surroundings, pairing, small);
    const auto echo = client.echo(server.reference);
    for (const std::size_t size : {900u, 1023u, 1024u, 1025u, 300'001u}) {
      CAPTURE(size);
      const OctetVector data = octets_of_size(size);
      CHECK((echo->same(data) == data));
    }
  }
}

TEST_CASE("every pairing: each of many calls in flight gets its own reply") {
  for (const OrbPairing& pairing : all_pairings()) {
    CAPTURE(pairing.name());
    Surroundings surroundings;
    PairServer server(surroundings, pairing);
    const PairClient client(surroundings, pairing, {"-ORBConnectionsPerEndpointMax", "2"});
    const auto echo = client.echo(server.reference);
    std::atomic<int> right{0};
    {
      std::vector<std::jthread> callers;
      for (std::int32_t caller = 0; caller < 12; ++caller)
        callers.emplace_back([&, caller] {
          const OctetVector data = octets_of_size(static_cast<std::size_t>(caller) * 5000);
          for (std::int32_t call = 0; call < 20; ++call) {
            const std::int32_t value = caller * 1000 + call;
            if (echo->twice(value) == 2 * value && echo->same(data) == data) ++right;
          }
        });
    }
    CHECK(right == 12 * 20);
  }
}

TEST_CASE("every pairing: a thread's oneways arrive in order, and before its next call") {
  for (const OrbPairing& pairing : all_pairings()) {
    CAPTURE(pairing.name());
    Surroundings surroundings;
    PairServer server(surroundings, pairing);
    const PairClient client(surroundings, pairing);
    const auto echo = client.echo(server.reference);
    for (std::int32_t value = 0; value < 500; ++value) note(*echo, value);
    echo->ping();
    std::vector<std::int32_t> expected(500);
    std::iota(expected.begin(), expected.end(), 0);
    CHECK((server.servant->notes == expected));
  }
}

TEST_CASE(
    "every pairing: a client that has ended sending gets its reply, then the end of the stream") {
  for (const OrbPairing& pairing : all_pairings()) {
    CAPTURE(pairing.name());
    Surroundings surroundings;
    PairServer server(surroundings, pairing);
    const PairClient client(surroundings, pairing);
    RawClient raw(*client.orb, server.reference);
    CHECK(send_all(raw.transport(), raw.request(version_of(pairing), 4)).ok());
    raw.transport().shutdown_send();
    CHECK(raw.reply() == 8);
    CHECK_FALSE(raw.reply().has_value());
  }
}

TEST_CASE(
    "every pairing: a client that dies in the middle of a message does not disturb other clients") {
  for (const OrbPairing& pairing : all_pairings()) {
    CAPTURE(pairing.name());
    Surroundings surroundings;
    PairServer server(surroundings, pairing);
    const PairClient client(surroundings, pairing);
    const auto echo = client.echo(server.reference);
    for (const std::size_t size : {1u, 12u, 30u}) {
      RawClient raw(*client.orb, server.reference);
      const Octets request = raw.request(version_of(pairing), 4);
      CHECK(send_all(raw.transport(), OctetSpan(request).first(size)).ok());
      raw.hang_up();
      CHECK(echo->twice(3) == 6);
    }
  }
}

TEST_CASE("every pairing: a call whose server dies with the request fails with COMPLETED_MAYBE") {
  for (const OrbPairing& pairing : all_pairings()) {
    CAPTURE(pairing.name());
    Surroundings surroundings;
    const PairClient client(surroundings, pairing);
    RawServer server(surroundings, *client.orb, pairing);
    std::jthread dying([&] { server.accept_request().reset(); });
    const auto failed = failure_of([&] { client.echo(server.reference)->ping(); });
    REQUIRE(failed.has_value());
    CHECK_FALSE(failed->is_timeout);
    CHECK(failed->completed == CORBA::COMPLETED_MAYBE);
  }
}

TEST_CASE("every pairing: a call ends when its time has passed") {
  for (const OrbPairing& pairing : all_pairings()) {
    CAPTURE(pairing.name());
    Surroundings surroundings;
    const PairClient client(surroundings, pairing);
    RawServer server(surroundings, *client.orb, pairing);
    const auto echo = client.echo(server.reference);
    std::optional<RawPeer> peer;
    std::jthread answering([&] {
      peer.emplace(*client.orb, pairing, server.accept());
      peer->answer(peer->request().value(), 2);
    });
    CHECK(echo->twice(1) == 2);  // the connection is there
    answering.join();
    const auto failed = failure_of([&] { limited(client.orb, echo, 100ms)->ping(); });
    REQUIRE(failed.has_value());
    CHECK(failed->is_timeout);
    CHECK(failed->completed == CORBA::COMPLETED_MAYBE);
  }
}

TEST_CASE("every pairing: a call ends when its ORB is destroyed by another thread") {
  for (const OrbPairing& pairing : all_pairings()) {
    CAPTURE(pairing.name());
    Surroundings surroundings;
    const PairClient outer(surroundings, pairing);
    RawServer server(surroundings, *outer.orb, pairing);
    std::optional<Failed> failed;
    std::unique_ptr<transport::Transport> mute;
    {
      const PairClient client(surroundings, pairing);
      const auto echo = client.echo(server.reference);
      std::jthread calling([&] { failed = failure_of([&] { echo->ping(); }); });
      mute = server.accept_request();
      client.orb->destroy();
    }
    REQUIRE(failed.has_value());
    CHECK_FALSE(failed->is_timeout);
  }
}

TEST_CASE(
    "every pairing: a server that stops replies to requests in progress, and later calls fail") {
  for (const OrbPairing& pairing : all_pairings()) {
    CAPTURE(pairing.name());
    Surroundings surroundings;
    const PairClient client(surroundings, pairing);
    Echo::Ref echo;
    std::atomic<bool> answered{false};
    std::jthread calling;
    {
      PairServer server(surroundings, pairing);
      echo = client.echo(server.reference);
      Gate gate(*server.servant);
      calling = std::jthread([&] {
        echo->stop();
        answered = true;
      });
      gate.await(1);
      std::jthread stopping([&] { server.orb->shutdown(true); });
      while (!is_stopping(*server.orb)) std::this_thread::yield();
      CHECK_FALSE(answered);
      gate.open();
      stopping.join();
      calling.join();
      server.servant->on_stop = nullptr;
    }
    CHECK(answered);
    const auto failed = failure_of([&] { echo->ping(); });
    REQUIRE(failed.has_value());
    CHECK(failed->completed == CORBA::COMPLETED_NO);
  }
}

// A connection that receives a message with a wrong number ends, so a test above fails, too.
TEST_CASE("every pairing with numbered messages: none was missing, duplicated or out of order") {
  CHECK(numbered_messages() > 0);
  CHECK(misnumbered_messages() == 0);
}

}  // namespace perigee::test
