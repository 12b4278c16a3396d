// Subscriptions to a stream that has lost its newest events, and has given their numbers to other
// events. The test answers for NATS.
#include "fake_server.h"
#include "services/events_nats/channel.h"
#include "services/events_nats/following.h"
#include "services/events_nats/read_budget.h"
#include "services/events_nats/subscriptions.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::events::nats {

namespace {

std::string base64(const std::string& text) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string encoded;
  for (std::size_t at = 0; at < text.size(); at += 3) {
    unsigned group = 0;
    for (std::size_t next = at; next < at + 3; ++next)
      group = group << 8U | (next < text.size() ? static_cast<unsigned char>(text[next]) : 0U);
    for (std::size_t digit = 0; digit < 4; ++digit)
      encoded += at + digit <= text.size() ? digits[group >> (18 - 6 * digit) & 0x3fU] : '=';
  }
  return encoded;
}

/// The state of NATS: the message ids of the channel's events, and the records of subscriptions.
class Streams {
 public:
  std::string name = "stream";  // the name of the channel's stream
  std::map<SequenceNumber, std::string> ids;
  SequenceNumber last = 0;
  std::map<std::string, std::string> records;  // by the subject
  std::uint64_t revision = 0;
  int replicas = 1;
  int event_requests = 0;
  int removals = 0;  // removals of acknowledged events

  void append(SequenceNumber up_to, const std::string& publisher) {
    while (last < up_to) {
      ++last;
      ids[last] = publisher + std::to_string(last);
    }
  }
  void lose_behind(SequenceNumber number) {
    ids.erase(ids.upper_bound(number), ids.end());
    last = number;
  }
  void remove_up_to(SequenceNumber number) { ids.erase(ids.begin(), ids.upper_bound(number)); }

  std::string answer_to(const Publication& request) {
    if (request.subject == "$JS.API.STREAM.INFO." + name)
      return R"({"created":"monday","config":{"num_replicas":)" + std::to_string(replicas) +
             R"(},"state":{"last_seq":)" + std::to_string(last) + "}}";
    if (request.subject == "$JS.API.CONSUMER.CREATE." + name) return R"({"name":"c"})";
    if (request.subject == "$JS.API.STREAM.MSG.GET." + name) return event_of(request.octets);
    if (request.subject == "$JS.API.STREAM.PURGE." + name) {
      ++removals;
      return R"({"success":true,"purged":1})";
    }
    if (request.subject == "$JS.API.STREAM.INFO.test-_subscriptions") return list();
    if (request.subject == "$JS.API.STREAM.MSG.GET.test-_subscriptions")
      return record_of(request.octets);
    records[request.subject] = request.octets;
    return R"({"stream":"x","seq":)" + std::to_string(++revision) + "}";
  }

 private:
  static std::string none() {
    return R"({"error":{"code":404,"err_code":10037,"description":"none"}})";
  }
  std::string event_of(const std::string& request) {
    ++event_requests;
    for (const auto& [number, id] : ids)
      if (request == get_json(number))
        return R"({"message":{"seq":)" + std::to_string(number) + R"(,"hdrs":")" +
               base64("NATS/1.0\r\nNats-Msg-Id: " + id + "\r\n\r\n") + "\"}}";
    return none();
  }
  [[nodiscard]] std::string record_of(const std::string& request) const {
    for (const auto& [subject, record] : records)
      if (request == get_last_json(subject))
        return R"({"message":{"seq":)" + std::to_string(revision) + R"(,"data":")" +
               base64(record) + "\"}}";
    return none();
  }
  [[nodiscard]] std::string list() const {
    std::string text = R"({"total":)" + std::to_string(records.size()) +
                       R"(,"config":{},"created":"monday","state":{"subjects":{)";
    for (const auto& [subject, record] : records)
      text += (text.ends_with('{') ? "\"" : ",\"") + subject + "\":1";
    return text + "}}}";
  }
};

template <typename Value>
task<void> keep(task<std::expected<Value, StoreError>> work,
                std::optional<std::expected<Value, StoreError>>& result) {
  result = co_await std::move(work);
}

/// The channel of an event service that has started now.
class Service {
 public:
  explicit Service(Streams& streams) : streams_(streams), info_{stream_now(streams)} {
    server.session.start(following.run());
    answer_all();
  }
  ~Service() { server.stop(); }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Pushes an event of the stream to the channel.
  void push(SequenceNumber number) {
    Message message;
    message.reply = "$JS.ACK.stream.c.1." + std::to_string(number) + "." +
                    std::to_string(++pushed_) + ".1600000000000000000.0";
    message.message_id = streams_.ids.at(number);
    following.on_message(following.consumers_made(), std::move(message));
  }
  void subscribe(const std::string& name, Begin begin) {
    (void)result_of(subscriptions.subscribe(name, begin, end()));
  }
  [[nodiscard]] SequenceNumber position(const std::string& name) {
    return result_of(subscriptions.find(name, end())).acknowledged;
  }
  /// Finds the subscription, for at most 10 seconds of the fake clock.
  [[nodiscard]] std::expected<Subscription, StoreError> find(const std::string& name) {
    std::optional<std::expected<Subscription, StoreError>> result;
    server.session.start(keep(subscriptions.find(name, end()), result));
    answer_all();
    for (int seconds = 0; !result && seconds < 10; ++seconds) {
      server.wait(1'000);
      answer_all();
    }
    REQUIRE(result);
    return *result;
  }
  [[nodiscard]] std::vector<Subscription> list() {
    return result_of(subscriptions.list(end())).subscriptions;
  }
  void acknowledge(const std::string& name, SequenceNumber number) {
    bool is_done = false;
    subscriptions.acknowledge(name, number, end(),
                              [&is_done](const auto& result) { is_done = result.has_value(); });
    answer_all();
    CHECK(is_done);
  }
  void answer_all() {
    while (!server.link->sent.empty()) {
      if (server.link->sent.front().reply.empty())
        (void)server.take();
      else
        server.answer(streams_.answer_to(server.link->sent.front()));
    }
  }

  FakeServer server;

 private:
  static StreamInfo stream_now(const Streams& streams) {
    StreamInfo info;
    info.made = "monday";
    info.last = streams.last;
    return info;
  }
  [[nodiscard]] TimePoint end() const {
    return server.clock.now() + std::chrono::milliseconds(5'000);
  }
  template <typename Value>
  Value result_of(task<std::expected<Value, StoreError>> work) {
    std::optional<std::expected<Value, StoreError>> result;
    server.session.start(keep(std::move(work), result));
    answer_all();
    REQUIRE(result);
    REQUIRE(result->has_value());
    return std::move(**result);
  }

  Streams& streams_;
  StreamInfo info_;
  std::uint64_t pushed_ = 0;
  KnownEvents known_;
  const Keys keys_{"test"};

 public:
  ReadBudget budget{1 << 20};
  Following following{
      server.session,
      {"stream", "subject", "inbox.f.0."},
      info_,
      known_,
      {[](const StoredEvent&, std::string_view) {}, [] {}, [](const StoreError&) {}}};
  Subscriptions subscriptions{server.session, keys_,  following,
                              known_,         budget, {"news", "stream", "monday"}};
};

/// A stream with 10 events, which the subscription "s" has acknowledged one after the other.
Streams acknowledged_stream() {
  Streams streams;
  streams.append(10, "first.");
  Service service(streams);
  service.subscribe("s", Begin::first_event);
  for (SequenceNumber number = 1; number <= 10; ++number) service.acknowledge("s", number);
  return streams;
}

/// Names the stream of `streams`, and returns the stream's state in NATS.
StreamInfo name_stream(Streams& streams, const std::string& name) {
  streams.name = name;
  StreamInfo info;
  info.made = "monday";
  info.last = streams.last;
  return info;
}

/// Answers all requests for some seconds. With `says_state`, this includes the state of the stream.
void pass_seconds(FakeServer& server, Streams& streams, int seconds, bool says_state) {
  const std::string state = "$JS.API.STREAM.INFO." + streams.name;
  for (int passed = 0; passed < seconds; ++passed) {
    server.wait(1'000);
    while (!server.link->sent.empty()) {
      const Publication& request = server.link->sent.front();
      if (request.reply.empty() || (!says_state && request.subject == state))
        (void)server.take();
      else
        server.answer(streams.answer_to(request));
    }
  }
}

/// Answers all requests for at most 25 s, until the next request has this subject.
void pass_until(FakeServer& server, Streams& streams, const std::string& subject) {
  for (int passed = 0; passed < 25; ++passed) {
    server.wait(1'000);
    while (!server.link->sent.empty()) {
      const Publication& request = server.link->sent.front();
      if (request.subject == subject) return;
      if (request.reply.empty())
        (void)server.take();
      else
        server.answer(streams.answer_to(request));
    }
  }
  FAIL("no request has the subject " << subject);
}

}  // namespace

TEST_CASE("a subscription gets the events that have taken the numbers of lost events") {
  for (const SequenceNumber last : {SequenceNumber{10}, SequenceNumber{12}}) {
    Streams streams = acknowledged_stream();
    streams.lose_behind(8);
    streams.append(last, "second.");
    Service service(streams);
    CHECK(service.position("s") == 7);  // the newest mark before the loss
    CHECK(Service(streams).position("s") == 7);
    for (SequenceNumber number = 8; number <= last; ++number) service.acknowledge("s", number);
    CHECK(Service(streams).position("s") == last);
  }
}

TEST_CASE("a list of subscriptions has the positions that they have after a loss") {
  Streams streams = acknowledged_stream();
  streams.lose_behind(8);
  streams.append(12, "second.");
  Service service(streams);
  const auto all = service.list();
  REQUIRE(all.size() == 1);
  CHECK(all[0].acknowledged == 7);
}

TEST_CASE("new events do not change a position that a list has corrected after a loss") {
  Streams streams;
  streams.append(5, "first.");
  streams.records["test.subscriptions.news.s"] = "perigee-subscription 1\n10\nmonday\ns";
  streams.revision = 1;
  Service service(streams);
  const auto all = service.list();
  REQUIRE(all.size() == 1);
  CHECK(all[0].acknowledged == 5);
  streams.append(12, "second.");
  CHECK(Service(streams).position("s") == 5);
}

TEST_CASE("while the leader of several replicas is behind, subscriptions keep their positions") {
  Streams streams;
  streams.replicas = 3;
  streams.append(10, "first.");
  Service(streams).subscribe("s", Begin::next_event);
  const auto records = streams.records;
  streams.lose_behind(8);
  Service service(streams);
  const auto all = service.list();
  REQUIRE(all.size() == 1);
  CHECK(all[0].acknowledged == 10);
  const auto found = service.find("s");
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == StoreError::Kind::unavailable);
  CHECK(streams.records == records);
  streams.append(10, "first.");
  CHECK(service.position("s") == 10);
}

TEST_CASE("if several replicas stay behind for 30 s, their missing events count as lost") {
  Streams streams = acknowledged_stream();
  streams.replicas = 3;
  streams.lose_behind(8);
  Service service(streams);
  int failures = 0;
  while (failures < 10 && !service.find("s")) ++failures;
  CHECK(failures == 6);  // each after 5 s
  CHECK(service.position("s") == 7);
}

TEST_CASE("no events are removed while the leader of several replicas is behind") {
  Streams streams = acknowledged_stream();
  streams.replicas = 3;
  streams.lose_behind(8);
  FakeServer server;
  const Keys keys("test");
  ReadBudget budget(1 << 20);
  const StreamInfo info = name_stream(streams, keys.stream("news"));
  Channel channel(server.session, keys, budget, {"news", 0, "store", "secret"}, info, {});
  channel.start();
  pass_seconds(server, streams, 25, true);
  CHECK(streams.removals == 0);
  server.stop();
}

TEST_CASE(
    "a subscription continues after a mark if the stream ends before the acknowledged event") {
  Streams streams = acknowledged_stream();
  streams.lose_behind(8);
  CHECK(Service(streams).position("s") == 7);
}

TEST_CASE("a subscription gets all events of a stream that has no marked event") {
  Streams streams = acknowledged_stream();
  streams.lose_behind(0);
  streams.append(12, "second.");
  CHECK(Service(streams).position("s") == 0);
}

TEST_CASE("a subscription keeps its position when acknowledged events were removed") {
  for (const SequenceNumber removed : {SequenceNumber{5}, SequenceNumber{10}}) {
    Streams streams = acknowledged_stream();
    streams.remove_up_to(removed);
    streams.append(12, "first.");
    CHECK(Service(streams).position("s") == 10);
    const auto all = Service(streams).list();
    REQUIRE(all.size() == 1);
    CHECK(all[0].acknowledged == 10);
  }
}

TEST_CASE("a subscription that begins with the next event notices a loss") {
  Streams streams;
  streams.append(10, "first.");
  Service(streams).subscribe("s", Begin::next_event);
  CHECK(Service(streams).position("s") == 10);
  streams.lose_behind(8);
  streams.append(12, "second.");
  CHECK(Service(streams).position("s") == 0);
}

TEST_CASE("a record without marks keeps its position, as far as the stream has it") {
  for (const auto& [acknowledged, position] : {std::pair{3, 3}, std::pair{10, 5}}) {
    Streams streams;
    streams.append(5, "first.");
    streams.records["test.subscriptions.news.s"] =
        "perigee-subscription 1\n" + std::to_string(acknowledged) + "\nmonday\ns";
    streams.revision = 1;
    CHECK(Service(streams).position("s") == static_cast<SequenceNumber>(position));
    CHECK(streams.event_requests == 0);
  }
}

TEST_CASE("the acknowledgement of an event that the channel got needs no request for its mark") {
  Streams streams;
  Service service(streams);
  service.subscribe("s", Begin::next_event);
  streams.append(3, "first.");
  for (SequenceNumber number = 1; number <= 3; ++number) service.push(number);
  service.acknowledge("s", 2);
  CHECK(service.position("s") == 2);
  CHECK(streams.event_requests == 0);
  const auto record = decode(streams.records.at("test.subscriptions.news.s")).value();
  CHECK(record.marks == Marks{{2, sum_of_id("first.2")}});
}

TEST_CASE("requests for marked events wait for room in the budget of reads") {
  Streams streams = acknowledged_stream();
  Service service(streams);
  const int requests = streams.event_requests;
  const std::size_t taken = service.budget.take(1, 1 << 20);
  REQUIRE(taken == 1);
  const auto found = service.find("s");
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == StoreError::Kind::unavailable);
  CHECK(streams.event_requests == requests);
  service.budget.give_back(1 << 20);
  CHECK(service.position("s") == 10);
  CHECK(streams.event_requests == requests + 1);
  CHECK(service.budget.take(2, 1 << 19) == 2);  // all room was given back
}

TEST_CASE("acknowledged events are removed only from a stream that was checked") {
  Streams streams = acknowledged_stream();
  FakeServer server;
  const Keys keys("test");
  ReadBudget budget(1 << 20);
  const StreamInfo info = name_stream(streams, keys.stream("news"));
  Channel channel(server.session, keys, budget, {"news", 0, "store", "secret"}, info, {});
  channel.start();
  pass_seconds(server, streams, 25, false);
  CHECK(streams.removals == 0);
  pass_seconds(server, streams, 15, true);
  CHECK(streams.removals > 0);
  server.stop();
}

TEST_CASE("the removal of events is not repeated over a connection that was not checked") {
  Streams streams = acknowledged_stream();
  FakeServer server;
  const Keys keys("test");
  ReadBudget budget(1 << 20);
  const StreamInfo info = name_stream(streams, keys.stream("news"));
  Channel channel(server.session, keys, budget, {"news", 0, "store", "secret"}, info, {});
  channel.start();
  pass_until(server, streams, "$JS.API.STREAM.PURGE." + streams.name);
  (void)server.take();
  server.session.on_down();
  server.session.on_up(server.link);
  channel.on_connection_changed();
  pass_seconds(server, streams, 25, false);
  CHECK(streams.removals == 0);
  pass_seconds(server, streams, 15, true);
  CHECK(streams.removals > 0);
  server.stop();
}

TEST_CASE("an acknowledgement takes no mark from a stream that was not checked") {
  Streams streams;
  streams.append(10, "first.");
  Service service(streams);
  service.subscribe("s", Begin::first_event);
  service.server.session.on_down();
  streams.lose_behind(5);
  streams.append(12, "second.");
  service.server.session.on_up(service.server.link);
  service.acknowledge("s", 8);  // the eighth event before the loss
  CHECK(streams.event_requests == 0);
  CHECK(decode(streams.records.at("test.subscriptions.news.s")).value().marks.empty());
}

}  // namespace perigee::events::nats
