// The parts of a store while NATS does not answer, or answers strangely. The test answers for NATS.
#include "fake_server.h"
#include "services/events_nats/following.h"
#include "services/events_nats/reading.h"
#include "services/events_nats/subscriptions.h"
#include "support/fake_clock.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace perigee::events::nats {

namespace {

using std::chrono::milliseconds;

std::string stream_json(const std::string& made, SequenceNumber last, int replicas = 1) {
  return R"({"created":")" + made + R"(","config":{"subjects":["s"],"num_replicas":)" +
         std::to_string(replicas) + R"(},"state":{"first_seq":1,"last_seq":)" +
         std::to_string(last) + "}}";
}

std::string error_json(int status, int code) {
  return R"({"error":{"code":)" + std::to_string(status) + R"(,"err_code":)" +
         std::to_string(code) + R"(,"description":"x"}})";
}

StreamInfo stream_with(SequenceNumber last) {
  StreamInfo info;
  info.made = "monday";
  info.last = last;
  return info;
}

/// A stream that had 5 events when the channel was opened.
class Followed {
 public:
  ~Followed() {
    session.end();
    while (session.tasks() > 0) session.step();
  }
  void connect() {
    link = std::make_shared<RecordingLink>(1'000);
    session.on_up(link);
    session.start(following.run());
  }
  void wait(int time_ms) {
    clock.advance(milliseconds(time_ms));
    session.step();
  }
  /// Answers the oldest request that has no answer.
  void answer(const std::string& octets) {
    REQUIRE_FALSE(link->sent.empty());
    Message message;
    message.subject = link->sent.front().reply;
    message.octets = octets;
    link->sent.erase(link->sent.begin());
    session.on_reply(std::move(message));
  }
  /// Answers each question about the stream with the same text for a while.
  void answer_for(int time_ms, const std::string& octets) {
    for (int passed = 0; passed < time_ms; passed += 100) {
      if (!link->sent.empty()) answer(octets);
      wait(100);
    }
  }

  test::FakeClock clock;
  NatsStoreOptions options{.servers = {"nats://h:1"}, .clock = &clock};
  Session session{options, "inbox"};
  std::vector<std::string> broken;
  int checks = 0;
  KnownEvents known;
  Following following{session,
                      {"stream", "subject", "inbox.f.0."},
                      stream_with(5),
                      known,
                      {[](const StoredEvent&, std::string_view) {}, [this] { ++checks; },
                       [this](const StoreError& error) { broken.push_back(error.text); }}};
  std::shared_ptr<RecordingLink> link;
};

task<void> keep(task<Reading::Events> read, std::vector<Reading::Events>& results) {
  results.push_back(co_await std::move(read));
}

task<void> keep_error(task<std::expected<Subscriptions::List, StoreError>> list,
                      std::optional<StoreError>& error) {
  auto result = co_await std::move(list);
  if (!result) error = std::move(result.error());
}

/// A page of a list that never ends.
std::string endless_page(int subjects) {
  std::string text = R"({"total":1000000000000,"state":{"subjects":{)";
  for (int count = 0; count < subjects; ++count)
    text += (count == 0 ? "\"s" : ",\"s") + std::to_string(count) + "\":1";
  return text + "}}}";
}

}  // namespace

TEST_CASE("the store gives up reading an endless list of subscriptions") {
  Followed followed;
  followed.link = std::make_shared<RecordingLink>(1'000);
  followed.session.on_up(followed.link);
  const Keys keys("test");
  ReadBudget budget(1 << 20);
  Subscriptions subscriptions(followed.session, keys, followed.following, followed.known, budget,
                              {"news", "test-news", "monday"});
  std::optional<StoreError> error;
  const TimePoint end = followed.clock.now() + milliseconds(5'000);
  followed.session.start(keep_error(subscriptions.list(end), error));
  for (int pages = 0; pages < 4 && !error; ++pages) followed.answer(endless_page(4'000));
  REQUIRE(error);
  CHECK(error->kind == StoreError::Kind::corrupt);
}

TEST_CASE("a read of old events leaves the thread to other work while there is no connection") {
  Followed followed;
  ReadBudget budget(1 << 20);
  Reading reading(followed.session, followed.following, followed.known, budget,
                  {"stream", "subject"});
  std::vector<Reading::Events> results;
  const TimePoint end = followed.clock.now() + milliseconds(200);
  followed.session.start(keep(reading.read(0, {10, 1'000}, end), results));
  CHECK(results.empty());
  for (int passed = 0; passed < 4; ++passed) followed.wait(50);
  REQUIRE(results.size() == 1);
  CHECK(results[0].error().kind == StoreError::Kind::unavailable);
}

TEST_CASE("each of many reads ends in time while there is no connection") {
  Followed followed;
  ReadBudget budget(1 << 20);
  Reading reading(followed.session, followed.following, followed.known, budget,
                  {"stream", "subject"});
  std::vector<Reading::Events> results;
  const TimePoint end = followed.clock.now() + milliseconds(200);
  for (int count = 0; count < 40; ++count)
    followed.session.start(keep(reading.read(0, {10, 1'000}, end), results));
  for (int passed = 0; passed < 5; ++passed) followed.wait(50);
  CHECK(results.size() == 40);
}

TEST_CASE("a channel goes on after errors of NATS that pass") {
  Followed followed;
  followed.connect();
  for (const std::string& passing : {error_json(500, 10118), error_json(404, 10059),
                                     error_json(503, 10076), std::string("no JSON")})
    followed.answer_for(1'000, passing);
  followed.link->sent.clear();
  followed.answer_for(5'000, error_json(404, 10059));
  CHECK(followed.broken.empty());
  followed.answer(stream_json("monday", 5));
  REQUIRE_FALSE(followed.link->sent.empty());
  CHECK(followed.link->sent.back().subject == "$JS.API.CONSUMER.CREATE.stream");
}

TEST_CASE("a stream that is missing for long ends its channel") {
  Followed followed;
  followed.connect();
  followed.answer_for(29'000, error_json(404, 10059));
  CHECK(followed.broken.empty());
  followed.answer_for(2'000, error_json(404, 10059));
  REQUIRE(followed.broken.size() == 1);
  CHECK(followed.broken[0].ends_with("; start the event service again"));
}

TEST_CASE("the time without a connection does not count as a time in which the stream is missing") {
  Followed followed;
  followed.connect();
  followed.answer_for(1'000, error_json(404, 10059));
  followed.session.on_down();  // the servers of the cluster start again
  followed.wait(30'000);
  followed.session.on_up(followed.link);
  followed.following.on_connection_changed();
  followed.link->sent.clear();
  followed.wait(1'000);
  followed.answer_for(1'000, error_json(404, 10059));
  CHECK(followed.broken.empty());
}

TEST_CASE("a stream that was made again, or has lost events, ends its channel at once") {
  for (const std::string& info : {stream_json("tuesday", 5), stream_json("monday", 4)}) {
    Followed followed;
    followed.connect();
    followed.answer(info);
    CHECK(followed.broken.size() == 1);
  }
}

TEST_CASE("a channel checks its stream after each connect, and again after a doubt") {
  Followed followed;
  followed.connect();
  CHECK(followed.checks == 0);
  followed.answer(stream_json("monday", 5));
  CHECK(followed.checks == 1);
  followed.answer(R"({"name":"c"})");
  followed.following.check_again();
  followed.wait(100);
  followed.link->sent.erase(followed.link->sent.begin());  // the removal of the consumer
  followed.answer(stream_json("monday", 5));
  CHECK(followed.checks == 2);
}

TEST_CASE("a doubt about the stream during its check leads to another check") {
  Followed followed;
  followed.connect();
  followed.following.check_again();
  followed.answer(stream_json("monday", 5));
  CHECK(followed.checks == 0);
  followed.wait(100);
  followed.answer(stream_json("monday", 5));
  CHECK(followed.checks == 1);
}

TEST_CASE("a channel waits for a new leader of replicas that does not have all events yet") {
  Followed followed;
  followed.connect();
  followed.answer(stream_json("monday", 4, 3));
  CHECK(followed.broken.empty());
  followed.wait(100);
  followed.answer(stream_json("monday", 5, 3));
  CHECK(followed.link->sent.back().subject == "$JS.API.CONSUMER.CREATE.stream");
}

}  // namespace perigee::events::nats
