// How stored events are read. The test answers for NATS.
#include "services/events_nats/reading.h"

#include "fake_server.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace perigee::events::nats {

namespace {

using std::chrono::milliseconds;

task<void> keep(task<Reading::Events> read, std::vector<Reading::Events>& results) {
  results.push_back(co_await std::move(read));
}

/// A stream with 1,000 events that are not in memory.
class Stored {
 public:
  explicit Stored(std::size_t payload_max = 1'000) : server(payload_max) {}
  ~Stored() { server.stop(); }
  Stored(const Stored&) = delete;
  Stored& operator=(const Stored&) = delete;

  void read(SequenceNumber after, Reading::Limits limits) {
    const TimePoint end = server.clock.now() + milliseconds(5'000);
    server.session.start(keep(reading.read(after, limits, end), results));
  }
  void answer_event(SequenceNumber number, std::size_t size = 1) {
    Message message;
    message.number = std::to_string(number);
    message.octets = std::string(size, 'x');
    message.message_id = "id." + std::to_string(number);
    server.answer_with(std::move(message));
  }
  void answer_missing() {
    Message message;
    message.status = "404";
    server.answer_with(std::move(message));
  }
  [[nodiscard]] std::string subject() const { return server.link->sent.front().subject; }

  FakeServer server;
  StreamInfo info{.made = "monday", .last = 1'000};
  KnownEvents known;
  Following following{
      server.session,
      {"stream", "subject", "inbox.f.0."},
      info,
      known,
      {[](const StoredEvent&, std::string_view) {}, [] {}, [](const StoreError&) {}}};
  ReadBudget budget{10'000};
  Reading reading{server.session, following, known, budget, {"stream", "subject"}};
  std::vector<Reading::Events> results;
};

}  // namespace

TEST_CASE("a missing event is skipped only when the leader has no such event") {
  Stored stored;
  stored.read(4, {1, 1'000});
  CHECK(stored.subject() == "$JS.API.DIRECT.GET.stream");
  stored.answer_missing();
  CHECK(stored.subject() == "$JS.API.STREAM.MSG.GET.stream");
  stored.server.answer(R"({"message":{"seq":9}})");
  CHECK(stored.server.link->sent.front().octets == R"({"seq":9})");
  stored.answer_event(9);
  REQUIRE(stored.results.size() == 1);
  CHECK(stored.results[0].value().at(0).number == 9);
}

TEST_CASE("the message ids of events that were read are known") {
  Stored stored;
  stored.read(4, {1, 1'000});
  stored.answer_event(5);
  CHECK(stored.known.sum_of(5) == sum_of_id("id.5"));
}

TEST_CASE("the waves of a read begin small, and are doubled while the events have room") {
  Stored stored;
  stored.read(0, {1'000, 20});
  SequenceNumber number = 1;
  for (const std::size_t wave : {2u, 4u, 8u}) {
    CHECK(stored.server.link->sent.size() == wave);
    for (std::size_t count = 0; count < wave; ++count) stored.answer_event(number++);
  }
  CHECK(stored.server.link->sent.size() == 6);  // as many as have room
}

TEST_CASE("all reads together ask for no more octets than their budget has") {
  Stored stored(5'000);
  stored.read(0, {10, 100'000});
  stored.read(500, {1, 100'000});
  CHECK(stored.server.link->sent.size() == 2);
  stored.answer_event(1, 5'000);
  CHECK(stored.server.link->sent.size() == 1);
  stored.answer_event(2, 5'000);
  // The room of both answers goes to the read that waits first.
  CHECK(stored.server.link->sent.front().octets == R"({"seq":501})");
  CHECK(stored.server.link->sent.size() == 2);
  stored.answer_event(501, 5'000);
  REQUIRE(stored.results.size() == 1);
  CHECK(stored.results[0].value().size() == 1);
}

TEST_CASE("a message that is larger than the budget of reads is read alone") {
  Stored stored(50'000);
  stored.read(0, {2, 100'000});
  stored.read(500, {1, 100'000});
  CHECK(stored.server.link->sent.size() == 1);
  stored.answer_event(1, 50'000);
  CHECK(stored.server.link->sent.front().octets == R"({"seq":501})");
  CHECK(stored.server.link->sent.size() == 1);
}

TEST_CASE("an event that only the leader has is asked for again") {
  Stored stored;
  stored.read(4, {1, 1'000});
  stored.answer_missing();
  stored.server.answer(R"({"message":{"seq":5}})");
  CHECK(stored.server.link->sent.empty());
  stored.server.wait(50);
  CHECK(stored.server.link->sent.front().octets == R"({"seq":5})");
  stored.answer_event(5);
  REQUIRE(stored.results.size() == 1);
  CHECK(stored.results[0].value().at(0).number == 5);
}

}  // namespace perigee::events::nats
