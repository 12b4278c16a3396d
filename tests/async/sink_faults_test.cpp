// A middle tier with a faulty sink: a raw peer that replies twice, dies, or never replies. The
// middle tier calls it by callbacks and by coroutines, on each thread strategy.
#include "async/serving.h"
#include "orb/async/forward.h"
#include "orb/policies.h"
#include "orb/server/server_fixture.h"

#include <chrono>
#include <cstdint>
#include <latch>
#include <optional>
#include <set>
#include <thread>
#include <utility>

using namespace perigee;
using namespace perigee::test;

namespace {

enum class Asks : std::uint8_t { by_callbacks, as_coroutine };

ActingServant::Action asking(Asks asks, const ObjectRef& sink) {
  if (asks == Asks::by_callbacks) return forward_to(sink);
  return serving([&sink](std::uint32_t argument) {
    constexpr auto ask = [](ObjectRef whom, std::uint32_t what) -> task<std::uint32_t> {
      const std::uint32_t result = co_await start_act(whom, what);
      co_return result;
    };
    return ask(sink, argument);
  });
}

constexpr unsigned type_request = 0;

/// The middle tier has one connection to the sink at a time, on which the test plays the sink.
orb::Settings settings_of(ThreadStrategy strategy) {
  orb::Settings settings = server_settings(strategy);
  settings.connections_per_endpoint_max = 1;
  return settings;
}

/// The middle tier, its sink and its client.
class Tiers {
 public:
  Tiers(Asks asks, ThreadStrategy strategy)
      : middle_(settings_of(strategy), asking(asks, sink_)), client_(middle_.endpoint) {
    sink_ = middle_.orb.core().string_to_object(listening_.reference());
  }
  ~Tiers() { sink_ = nullptr; }
  Tiers(const Tiers&) = delete;
  Tiers& operator=(const Tiers&) = delete;

  void ask(std::uint32_t id) {
    client_.send(make_request({.key = middle_.key, .id = id, .argument = id}));
  }
  void cancel(std::uint32_t id) { client_.send(make_cancel_request(id)); }
  [[nodiscard]] RawReply answer() { return client_.reply(); }

  /// Sets how long the middle tier waits for its sink; no call may be in progress.
  void limit(std::chrono::milliseconds time) { sink_ = limited(sink_, middle_.orb.core(), time); }
  /// The middle tier's next connection to the sink.
  [[nodiscard]] RawClient connection() { return listening_.accept(); }

 private:
  RawServer listening_;
  ObjectRef sink_;
  ServerFixture middle_;
  RawClient client_;
};

void for_tiers(function_ref<void(Tiers& tiers)> test) {
  const ThreadStrategy strategy = each_strategy();
  for (const Asks asks : {Asks::by_callbacks, Asks::as_coroutine}) {
    CAPTURE(static_cast<int>(asks));
    Tiers tiers(asks, strategy);
    test(tiers);
  }
}

/// The id of the next request that reaches the sink. CancelRequests before it are skipped.
std::uint32_t next_request(RawClient& connection) {
  for (;;) {
    const RawReply message(connection.receive());
    if (message.type() == type_request) return message.id();
  }
}

/// The argument of a request: the number in its last four octets.
std::uint32_t argument_of(const RawReply& request) {
  return request.ulong(request.message.size() - 4);
}

}  // namespace

TEST_CASE("a second reply of a sink is ignored, and later requests get their own replies") {
  for_tiers([](Tiers& tiers) {
    tiers.ask(1);
    RawClient sink = tiers.connection();
    const std::uint32_t first = next_request(sink);
    sink.send(make_reply(first, 7) + make_reply(first, 8));
    CHECK(tiers.answer().result() == 7);
    for (const std::uint32_t id : {2u, 3u}) {
      tiers.ask(id);
      sink.send(make_reply(first, 9) + make_reply(next_request(sink), 10 * id));
      const RawReply reply = tiers.answer();
      CHECK(reply.id() == id);
      CHECK(reply.result() == 10 * id);
    }
  });
}

TEST_CASE("after a sink dies each waiting client gets an error, and the next sink is called") {
  for_tiers([](Tiers& tiers) {
    constexpr std::uint32_t count = 20;
    for (std::uint32_t id = 0; id < count; ++id) tiers.ask(id);
    {
      RawClient sink = tiers.connection();
      for (std::uint32_t id = 0; id < count; ++id) (void)next_request(sink);
    }
    std::set<std::uint32_t> told;
    for (std::uint32_t id = 0; id < count; ++id) {
      const RawReply reply = tiers.answer();
      told.insert(reply.id());
      CHECK(reply.repository_id() == "IDL:omg.org/CORBA/COMM_FAILURE:1.0");
    }
    CHECK(told.size() == count);
    tiers.ask(count);
    RawClient successor = tiers.connection();
    successor.send(make_reply(next_request(successor), 5));
    CHECK(tiers.answer().result() == 5);
  });
}

TEST_CASE("a call to a sink that never replies ends at its time limit") {
  for_tiers([](Tiers& tiers) {
    tiers.ask(5);
    RawClient sink = tiers.connection();
    sink.send(make_reply(next_request(sink), 50));
    CHECK(tiers.answer().result() == 50);
    tiers.limit(std::chrono::milliseconds(50));
    tiers.ask(1);
    CHECK(tiers.answer().repository_id() == "IDL:omg.org/CORBA/TIMEOUT:1.0");
    tiers.limit(std::chrono::hours(1));
    tiers.ask(2);
    for (bool answered = false; !answered;) {
      const RawReply message(sink.receive());
      if (message.type() != type_request) continue;  // CancelRequest
      answered = argument_of(message) == 2;
      sink.send(make_reply(message.id(), argument_of(message) * 10));  // too late for 1
    }
    const RawReply reply = tiers.answer();
    CHECK(reply.id() == 2);
    CHECK(reply.result() == 20);
  });
}

TEST_CASE("a request that is cancelled while its sink replies gets that reply, or none") {
  for_tiers([](Tiers& tiers) {
    std::optional<RawClient> sink;
    for (std::uint32_t id = 0; id < 50; id += 2) {
      tiers.ask(id);
      if (!sink) sink.emplace(tiers.connection());
      const std::uint32_t asked = next_request(*sink);
      std::latch both(2);
      std::jthread answering([&] {
        both.arrive_and_wait();
        sink->send(make_reply(asked, id));
      });
      both.arrive_and_wait();
      tiers.cancel(id);
      answering.join();
      tiers.ask(id + 1);
      sink->send(make_reply(next_request(*sink), 7));
      RawReply reply = tiers.answer();
      if (reply.id() == id) {
        CHECK(reply.result() == id);
        reply = tiers.answer();
      }
      CHECK(reply.id() == id + 1);
      CHECK(reply.result() == 7);
    }
  });
}
