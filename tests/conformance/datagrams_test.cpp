// Guarantees of whole ORBs over a transport of datagrams, which the network may lose, double and
// reorder.
#include "conformance/orb_pair.h"
#include "support/datagram_transport.h"
#include <perigee/async/call.h>
#include <perigee/orb/metrics.h>
#include <perigee/orb/protocols.h>
#include <perigee/orb/stub.h>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* place = "place";

/// An Echo object that also has `large`, whose result fits into no datagram.
class DatagramServant final : public NotingServant {
 public:
  void _dispatch(orb::ServerRequest& request) override {
    if (request.operation() != "large") return NotingServant::_dispatch(request);
    request.end_of_arguments();
    request.reply([](cdr::Encoder& encoder) { encoder << OctetVector(70'000); });
  }
};

/// A server and a client that meet over datagrams.
class Datagrams {
 public:
  explicit Datagrams(const std::string& strategy, const std::string& limit = "20000") {
    server = make_orb({"-ORBThreadStrategy", strategy, "-ORBListenEndpoints",
                       std::string("dgram://") + place, "-ORBDrainIdleTimeout", "3600000"});
    client = make_orb({"-ORBDatagramCallTimeout", limit});
    servant = CORBA::make_reference<DatagramServant>();
    const auto poa =
        IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
    const auto object = poa->id_to_reference(poa->activate_object(servant));
    reference = server->object_to_string(object);
    poa->the_POAManager()->activate();
    echo = stub::interface_traits<Echo>::unchecked_narrow(client->string_to_object(reference));
    runner_ = std::jthread([running = server] {
      try {
        running->run();
      } catch (const CORBA::BAD_INV_ORDER&) {  // shut down before the thread came to it
      }
    });
  }
  ~Datagrams() {
    server->shutdown(true);
    runner_.join();
    server->destroy();
    client->destroy();
  }
  Datagrams(const Datagrams&) = delete;
  Datagrams& operator=(const Datagrams&) = delete;

  DatagramFaults faults;
  OrbRef server;
  OrbRef client;
  CORBA::servant_reference<DatagramServant> servant;
  std::string reference;
  Echo::Ref echo;

  /// The client's end of a connection of its own.
  [[nodiscard]] std::unique_ptr<transport::Transport> connect() { return hub_->connect(place); }
  [[nodiscard]] std::uint64_t dropped() const { return dropped(*server); }
  [[nodiscard]] static std::uint64_t dropped(CORBA::ORB& orb) {
    std::uint64_t count = 0;
    for (const auto& family : orb._metrics().families)
      if (family.name == "perigee_datagrams_dropped_total")
        for (const auto& sample : family.samples) count += static_cast<std::uint64_t>(sample.value);
    return count;
  }

 private:
  [[nodiscard]] OrbRef make_orb(std::vector<std::string> options) const {
    static int number = 0;
    auto orb = CORBA::ORB_init(options, "datagrams" + std::to_string(++number));
    REQUIRE(protocols(*orb).add(make_datagram_protocol(hub_)).has_value());
    return orb;
  }

  std::shared_ptr<MemoryHub> hub_ =
      std::make_shared<MemoryHub>([this] { return make_datagram_ends(faults); });
  std::jthread runner_;
};

std::optional<CORBA::CompletionStatus> timed_out(const std::function<void()>& call) {
  try {
    call();
  } catch (const CORBA::TIMEOUT& timeout) {
    return timeout.completed();
  }
  return std::nullopt;
}

call<std::int32_t> start_twice(const Echo::Ref& echo, std::int32_t value) {
  static constexpr stub::Operation operation{"twice", stub::Operation::Kind::twoway, {}};
  return async::start_call<std::int32_t>(
      *echo, operation, [value](cdr::Encoder& encoder) { encoder << value; },
      [](cdr::Decoder& results) { return results.read<std::int32_t>(); });
}

Octets octets_of(std::string_view text) {
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

}  // namespace

TEST_CASE("datagrams: calls, results and exceptions cross under each strategy") {
  for (const char* const strategy : thread_strategies) {
    CAPTURE(strategy);
    const Datagrams orbs(strategy);
    orbs.echo->ping();
    CHECK(orbs.echo->twice(21) == 42);
    CHECK_THROWS_AS(orbs.echo->fail(), Failure);
    CHECK(orbs.echo->same(OctetVector(60'000, 7)) == OctetVector(60'000, 7));
    orbs.echo->count_up();
    while (orbs.servant->counted != 1) std::this_thread::yield();
    CHECK(start_twice(orbs.echo, 4).get() == 8);
  }
}

TEST_CASE("datagrams: a call whose datagram is lost ends with TIMEOUT, and later calls go on") {
  Datagrams orbs("auto", "300");
  orbs.faults.lose_each = 1;
  CHECK(timed_out([&] { orbs.echo->ping(); }) == CORBA::COMPLETED_MAYBE);
  CHECK(timed_out([&] { (void)start_twice(orbs.echo, 1).get(); }) == CORBA::COMPLETED_MAYBE);
  CHECK(orbs.faults.sent == 3);  // nothing is sent again: two requests and a CancelRequest
  orbs.faults.lose_each = 0;
  CHECK(orbs.echo->twice(3) == 6);
}

TEST_CASE("datagrams: a connection goes on after a lost reply") {
  Datagrams orbs("auto", "300");
  orbs.echo->ping();
  orbs.faults.lose_each = 4;  // the reply to the next call
  CHECK(timed_out([&] { orbs.echo->ping(); }) == CORBA::COMPLETED_MAYBE);
  orbs.faults.lose_each = 0;
  CHECK(orbs.echo->twice(21) == 42);
}

TEST_CASE("datagrams: a request that arrives twice is executed once") {
  for (const char* const strategy : thread_strategies) {
    CAPTURE(strategy);
    Datagrams orbs(strategy);
    orbs.faults.double_each = 1;
    constexpr int count = 300;
    for (int call = 0; call < count; ++call) {
      orbs.echo->count_up();
      if (call % 10 == 9) CHECK(orbs.echo->twice(call) == 2 * call);  // the server keeps pace
    }
    while (orbs.servant->counted < count) std::this_thread::yield();
    orbs.echo->ping();
    CHECK(orbs.servant->counted == count);
  }
}

TEST_CASE("datagrams: each call gets its own reply, whatever the network does") {
  Datagrams orbs("auto", "500");
  orbs.faults.lose_each = 31;
  orbs.faults.double_each = 7;
  orbs.faults.delay_each = 5;
  std::atomic<int> answered{0};
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&orbs, &answered, thread] {
      for (int call = 0; call < 50; ++call) {
        const int value = thread * 1000 + call;
        std::int32_t result = 0;
        if (timed_out([&] { result = orbs.echo->twice(value); })) continue;
        CHECK(result == 2 * value);
        ++answered;
      }
    });
  threads.clear();
  CHECK(answered > 200);
}

TEST_CASE("datagrams: a message that is too large for a datagram raises IMP_LIMIT, on both sides") {
  const Datagrams orbs("auto");
  try {
    (void)orbs.echo->same(OctetVector(70'000));
    FAIL("a datagram cannot have so many octets");
  } catch (const CORBA::IMP_LIMIT& error) {
    CHECK(error.completed() == CORBA::COMPLETED_NO);
  }
  CHECK_THROWS_AS(
      stub::invoke(*orbs.echo, {"large", stub::Operation::Kind::twoway, {}}, nullptr, nullptr),
      CORBA::IMP_LIMIT);
  CHECK(orbs.faults.sent == 2);  // the second call and its reply
  CHECK(orbs.echo->twice(2) == 4);
}

TEST_CASE("datagrams: a server drops and counts datagrams that are not requests, and continues") {
  Datagrams orbs("auto");
  orbs.echo->ping();
  const auto stranger = orbs.connect();
  const auto send = [&](const Octets& datagram) {
    const OctetSpan span = datagram;
    CHECK(stranger->send({&span, 1}, transport::Wait::no).ok());
  };
  const Octets header = octets_of(std::string_view("GIOP\1\2\1\3\10\0\0\0", 12));
  Octets short_request = header;  // eight octets are missing
  Octets close = octets_of(std::string_view("GIOP\1\2\1\5\0\0\0\0", 12));
  Octets two = close;
  two.insert(two.end(), close.begin(), close.end());
  send(octets_of("rubbish"));
  send(octets_of("G"));
  send(short_request);
  send(close);
  send(two);
  send(octets_of(std::string_view("GIOP\1\2\1\1\0\0\0\0", 12)));  // a reply
  send(octets_of(std::string_view("GIOP\1\2\3\0\0\0\0\0", 12)));  // more fragments follow
  while (orbs.dropped() < 7) std::this_thread::sleep_for(1ms);
  CHECK(orbs.dropped() == 7);
  CHECK(orbs.echo->twice(5) == 10);
}

// The sender of a forged reply has guessed the id of a call in progress.
TEST_CASE("datagrams: a malformed reply is dropped and counted, and its call gets the next reply") {
  Datagrams orbs("auto");
  orbs.echo->ping();
  orbs.faults.forge_each = 1;
  CHECK(orbs.echo->twice(2) == 4);
  CHECK(start_twice(orbs.echo, 3).get() == 6);
  orbs.faults.forge_each = 0;
  CHECK(orbs.dropped(*orbs.client) == 2);
  CHECK(orbs.echo->twice(5) == 10);
}

TEST_CASE("datagrams: messages that must not be lost are refused") {
  const Datagrams orbs("auto");
  transport::ProtocolParts parts;
  parts.messagings.push_back(make_numbered_messages);
  parts.schemes.push_back({"numbered-dgram", "numbered", "dgram"});
  const auto added = protocols(*orbs.client).add(std::move(parts));
  REQUIRE_FALSE(added.has_value());
  CHECK(added.error().kind == IoErrorKind::unsupported);
}

}  // namespace perigee::test
