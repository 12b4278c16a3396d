// Which events are sent again after faults, with a connection that the test answers itself.
#include "services/events_nats/appending.h"

#include "support/fake_clock.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace perigee::events::nats {

namespace {

using std::chrono::milliseconds;

/// Keeps what is sent.
class FakeLink final : public Link {
 public:
  bool publish(const Publication& publication) override {
    if (is_dead) return false;
    sent.push_back(publication.octets);
    ids.push_back(publication.headers.at(0).second);
    return true;
  }
  bool subscribe(const std::string& /*subject*/) override { return true; }
  void unsubscribe(const std::string& /*subject*/) override {}
  [[nodiscard]] std::size_t payload_max() const override { return 1'000; }
  void close() override {}

  std::vector<std::string> sent;
  std::vector<std::string> ids;
  bool is_dead = false;
};

std::string id_of(std::uint64_t count) { return MessageIds("id.", "secret").id_of(count); }

/// The events of a channel, and their results as text.
class Events {
 public:
  Events() { connect(); }

  void connect() {
    link = std::make_shared<FakeLink>();
    session.on_up(link);
    appending.on_checked();
  }
  void disconnect() { session.on_down(); }
  void add(const std::string& text) {
    appending.add(text, clock.now() + milliseconds(5'000),
                  [this, text](std::expected<SequenceNumber, StoreError> result) {
                    results.push_back(text + " " + to_text(result));
                  });
  }
  void acknowledge(std::uint64_t count, SequenceNumber number) {
    Message message;
    message.octets = R"({"stream":"s","seq":)" + std::to_string(number) + "}";
    appending.on_answer(count, message);
    hear(count, number);
  }
  /// The listener gets the event with this count.
  void hear(std::uint64_t count, SequenceNumber number) {
    appending.on_heard(id_of(count), number);
  }
  /// Acknowledges the event. The listener does not get it.
  void confirm(std::uint64_t count, SequenceNumber number) {
    Message message;
    message.octets = R"({"stream":"s","seq":)" + std::to_string(number) + "}";
    appending.on_answer(count, message);
  }
  void refuse(std::uint64_t count) {
    Message message;
    message.octets =
        R"({"error":{"code":503,"err_code":10077,"description":"maximum bytes exceeded"}})";
    appending.on_answer(count, message);
  }
  void say_not_ready(std::uint64_t count) {
    Message message;
    message.status = "503";
    appending.on_answer(count, message);
  }
  void wait(int time_ms) {
    clock.advance(milliseconds(time_ms));
    appending.step();
  }
  std::vector<std::string> take_sent() { return std::exchange(link->sent, {}); }

  test::FakeClock clock;
  NatsStoreOptions options{.clock = &clock};
  Session session{options, "inbox"};
  int doubts = 0;
  Appending appending{
      session, {"subject", MessageIds("id.", "secret"), "inbox.a.0.", 0}, [this] { ++doubts; }};
  std::shared_ptr<FakeLink> link;
  std::vector<std::string> results;

 private:
  static std::string to_text(const std::expected<SequenceNumber, StoreError>& result) {
    if (result) return std::to_string(*result);
    switch (result.error().kind) {
      case StoreError::Kind::uncertain:
        return "uncertain";
      case StoreError::Kind::unavailable:
        return "unavailable";
      case StoreError::Kind::full:
        return "full";
      case StoreError::Kind::too_large:
        return "too large";
      default:
        return "failed";
    }
  }
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("several events are sent before the first acknowledgement") {
  Events events;
  for (const char* const text : {"a", "b", "c"}) events.add(text);
  CHECK(events.take_sent() == Texts{"a", "b", "c"});
  CHECK(events.link->ids == Texts{id_of(1), id_of(2), id_of(3)});
  for (std::uint64_t count = 1; count <= 3; ++count) events.acknowledge(count, count + 10);
  CHECK(events.results == Texts{"a 11", "b 12", "c 13"});
}

TEST_CASE("after a lost connection, events are sent again in their order with the same ids") {
  Events events;
  for (const char* const text : {"a", "b", "c"}) events.add(text);
  events.acknowledge(1, 1);
  events.disconnect();
  events.add("d");
  events.connect();
  CHECK(events.take_sent() == Texts{"b", "c", "d"});
  CHECK(events.link->ids == Texts{id_of(2), id_of(3), id_of(4)});
  CHECK(events.appending.sent_again() == 2);
}

TEST_CASE("an event is not sent again after a later event was stored") {
  Events events;
  for (const char* const text : {"a", "b", "c"}) events.add(text);
  events.acknowledge(2, 1);  // "a" was lost on its way
  events.take_sent();
  events.wait(1'000);
  CHECK(events.take_sent() == Texts{"c"});
  events.acknowledge(3, 2);
  CHECK(events.results == Texts{"b 1", "a uncertain", "c 2"});
}

TEST_CASE("an event that is not sent again does not keep later events back for long") {
  Events events;
  for (int number = 0; number < 1'000; ++number) events.add(std::to_string(number));
  for (std::uint64_t count = 2; count <= 512; ++count) events.acknowledge(count, count);
  events.take_sent();
  events.wait(1'000);
  CHECK(events.results.back() == "0 uncertain");
  CHECK(events.take_sent().front() == "512");
}

TEST_CASE("an event whose first copy is still being stored waits for it") {
  Events events;
  events.add("a");
  Message message;
  for (const char* const answer :
       {R"({"stream":"s","seq":0,"duplicate":true})",
        R"({"error":{"code":409,"err_code":10158,"description":"in progress"}})"}) {
    message.octets = answer;
    events.appending.on_answer(1, message);
    CHECK(events.results.empty());
  }
  events.hear(1, 7);
  CHECK(events.results == Texts{"a 7"});
}

TEST_CASE("an event in the stream is stored, even if its acknowledgement was lost") {
  Events events;
  events.add("a");
  events.hear(1, 7);
  CHECK(events.results == Texts{"a 7"});
  events.acknowledge(1, 7);
  for (const char* const other : {"", "id.", "id.x", "id.9", "other.1", "id.18446744073709551616"})
    events.appending.on_heard(other, 8);
  CHECK(events.results.size() == 1);
}

TEST_CASE("the result of an event comes after the listener has got it, or at its time limit") {
  Events events;
  events.add("a");
  events.add("b");
  Message message;
  message.octets = R"({"stream":"s","seq":5})";
  events.appending.on_answer(1, message);
  CHECK(events.results.empty());
  events.appending.on_heard("", 4);
  CHECK(events.results.empty());
  events.hear(1, 5);
  CHECK(events.results == Texts{"a 5"});
  message.octets = R"({"stream":"s","seq":6})";
  events.appending.on_answer(2, message);
  events.take_sent();
  events.wait(1'000);
  CHECK(events.take_sent().empty());  // it is stored
  events.wait(4'000);
  CHECK(events.results == Texts{"a 5", "b 6"});
}

TEST_CASE("a new event waits while an older event has no acknowledgement") {
  Events events;
  events.add("a");
  events.take_sent();
  events.wait(600);
  events.add("b");
  CHECK(events.take_sent().empty());
  events.wait(400);
  CHECK(events.take_sent() == Texts{"a", "b"});
}

TEST_CASE("an event that no server accepts is unavailable, not uncertain") {
  Events events;
  events.add("a");
  for (int attempts = 0; attempts < 3; ++attempts) {
    events.take_sent();
    events.say_not_ready(1);
    CHECK(events.take_sent().empty());
    events.wait(100);
    CHECK(events.take_sent() == Texts{"a"});
  }
  events.say_not_ready(1);
  events.disconnect();
  events.wait(5'000);
  CHECK(events.results == Texts{"a unavailable"});
}

TEST_CASE("an event that a server has refused waits for the answers to later events") {
  Events events;
  for (const char* const text : {"a", "b", "c"}) events.add(text);
  events.take_sent();
  events.say_not_ready(1);
  events.wait(100);
  CHECK(events.take_sent().empty());
  events.say_not_ready(3);
  events.wait(100);
  CHECK(events.take_sent().empty());  // "b" may still be stored
  events.acknowledge(2, 1);
  events.wait(100);
  CHECK(events.take_sent() == Texts{"c"});
  events.wait(900);
  CHECK(events.results == Texts{"b 1", "a unavailable"});
}

TEST_CASE("a refused event waits for later events no longer than an attempt lasts") {
  Events events;
  events.add("a");
  events.add("b");
  events.take_sent();
  events.say_not_ready(1);
  events.wait(999);
  CHECK(events.take_sent().empty());
  CHECK(events.appending.next_step() == events.clock.now() + milliseconds(1));
  events.wait(1);
  CHECK(events.take_sent() == Texts{"a", "b"});
}

TEST_CASE("after an event whose send failed, later events count as not sent") {
  Events events;
  events.link->is_dead = true;
  events.add("a");
  events.add("b");
  events.wait(5'000);
  CHECK(events.results == Texts{"a uncertain", "b unavailable"});
}

TEST_CASE("an event without a connection is unavailable after its time") {
  Events events;
  events.disconnect();
  events.add("a");
  events.wait(4'999);
  CHECK(events.results.empty());
  events.wait(1);
  CHECK(events.results == Texts{"a unavailable"});
}

TEST_CASE("a full stream and an event that is too large are errors of their own") {
  Events events;
  events.add("a");
  events.add(std::string(1'000, 'x'));
  events.add("c");
  CHECK(events.take_sent() == Texts{"a", "c"});
  events.refuse(1);
  events.acknowledge(3, 1);
  CHECK(events.results == Texts{std::string(1'000, 'x') + " too large", "a full", "c 1"});
}

TEST_CASE("an event that is refused when it is sent again may be stored") {
  Events events;
  events.add("a");
  events.disconnect();
  events.connect();
  CHECK(events.take_sent() == Texts{"a"});
  events.refuse(1);
  CHECK(events.results == Texts{"a uncertain"});
}

TEST_CASE("a limited number of events is sent without an acknowledgement") {
  Events events;
  for (int number = 0; number < 1'000; ++number) events.add(std::to_string(number));
  CHECK(events.take_sent().size() == 512);
  events.acknowledge(1, 1);
  CHECK(events.take_sent() == Texts{"512"});
}

TEST_CASE("a message id that another program has guessed is not the id of an event") {
  Events events;
  events.add("a");
  for (const std::string& guess : {std::string("id.1"), std::string("id.1."), id_of(1) + "0",
                                   MessageIds("id.", "other secret").id_of(1), id_of(2)})
    events.appending.on_heard(guess, 7);
  CHECK(events.results.empty());
  CHECK(MessageIds("id.", "secret").count_of(id_of(1)) == 1);
  events.hear(1, 8);
  CHECK(events.results == Texts{"a 8"});
}

TEST_CASE("events are sent only after the stream was checked over the same connection") {
  Events events;
  events.disconnect();
  events.add("a");
  events.link = std::make_shared<FakeLink>();
  events.session.on_up(events.link);
  events.wait(100);
  CHECK(events.take_sent().empty());
  events.appending.on_checked();
  CHECK(events.take_sent() == Texts{"a"});
  events.appending.on_checked();  // over the same connection
  CHECK(events.take_sent().empty());
}

TEST_CASE("an event with a number that another event had is uncertain, and sending stops") {
  Events events;
  for (SequenceNumber number = 1; number <= 10; ++number)
    events.appending.on_heard("other", number);
  events.add("a");
  events.add("b");
  events.confirm(1, 8);  // the stream has lost the events from 8 on
  CHECK(events.results == Texts{"a uncertain"});
  CHECK(events.doubts == 1);
  events.take_sent();
  events.wait(100);
  events.add("c");
  CHECK(events.take_sent().empty());
  events.appending.on_checked();
  CHECK(events.take_sent() == Texts{"b", "c"});
}

TEST_CASE("a stored event is uncertain if the listener gets another event of its number") {
  Events events;
  events.add("a");
  events.add("b");
  events.confirm(1, 5);
  events.hear(2, 5);
  CHECK(events.results == Texts{"a uncertain", "b 5"});
  CHECK(events.doubts == 1);
}

TEST_CASE("an event that a limit removed before the listener got it is stored") {
  Events events;
  events.appending.on_heard("other", 1);
  events.add("a");
  events.add("b");
  events.confirm(1, 3);
  events.appending.on_heard("other", 9);
  events.confirm(2, 4);
  CHECK(events.results == Texts{"a 3", "b 4"});
  CHECK(events.doubts == 0);
}

TEST_CASE("the numbers before the channel was opened belong to other events") {
  Events events;
  int doubts = 0;
  Appending appending(events.session, {"subject", MessageIds("id.", "x"), "inbox.a.1.", 10},
                      [&doubts] { ++doubts; });
  appending.on_checked();
  std::optional<StoreError::Kind> kind;
  appending.add("a", events.clock.now() + milliseconds(5'000),
                [&kind](std::expected<SequenceNumber, StoreError> result) {
                  if (!result) kind = result.error().kind;
                });
  Message message;
  message.octets = R"({"stream":"s","seq":10})";
  appending.on_answer(1, message);
  CHECK(kind == StoreError::Kind::uncertain);
  CHECK(doubts == 1);
}

TEST_CASE("the failure of a channel ends all its events, and tells which may be stored") {
  Events events;
  events.add("a");
  events.add("b");
  events.confirm(2, 1);
  events.disconnect();
  events.add("c");
  events.appending.fail({StoreError::Kind::corrupt, "gone"});
  events.add("d");
  CHECK(events.results == Texts{"a uncertain", "b uncertain", "c failed", "d failed"});
  CHECK(events.appending.next_step() == TimePoint::max());
}

}  // namespace perigee::events::nats
