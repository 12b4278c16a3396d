// How a channel follows its stream when numbers are missing, or when its consumers end at once.
#include "services/events_nats/following.h"

#include "fake_server.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace perigee::events::nats {

namespace {

using Numbers = std::vector<SequenceNumber>;

/// A stream that had 5 events when the channel was opened.
class Followed {
 public:
  Followed() { server.session.start(following.run()); }
  ~Followed() { server.stop(); }
  Followed(const Followed&) = delete;
  Followed& operator=(const Followed&) = delete;

  /// Answers the check of the stream, and the request for a consumer.
  void make_consumer(SequenceNumber first) {
    check_request("$JS.API.STREAM.INFO.stream");
    server.answer(R"({"created":"monday","config":{},"state":{"first_seq":)" +
                  std::to_string(first) + R"(,"last_seq":1000}})");
    check_request("$JS.API.CONSUMER.CREATE.stream");
    server.answer(R"({"name":"c"})");
    pushed = 0;
  }
  void check_request(const std::string& subject) {
    REQUIRE_FALSE(server.link->sent.empty());
    CHECK(server.link->sent.front().subject == subject);
  }
  void push(SequenceNumber number, std::size_t size = 1, const std::string& message_id = {}) {
    Message message;
    message.reply = "$JS.ACK.stream.c.1." + std::to_string(number) + "." +
                    std::to_string(++pushed) + ".1600000000000000000.0";
    message.octets = std::string(size, 'x');
    message.message_id = message_id;
    following.on_message(following.consumers_made(), std::move(message));
  }
  void say_ended() {
    Message message;
    message.status = "409";
    following.on_message(following.consumers_made(), std::move(message));
  }
  /// Answers that `number` is the leader's next event after the last heard event.
  void answer_next(SequenceNumber number) {
    check_request("$JS.API.STREAM.MSG.GET.stream");
    server.answer(R"({"message":{"seq":)" + std::to_string(number) + "}}");
  }

  FakeServer server;
  Numbers heard;
  std::string broken;
  std::uint64_t pushed = 0;
  StreamInfo info{.made = "monday", .last = 5};
  KnownEvents known;
  Following following{
      server.session,
      {"stream", "subject", "inbox.f.0."},
      info,
      known,
      {[this](const StoredEvent& event, std::string_view) { heard.push_back(event.number); }, [] {},
       [this](const StoreError& error) { broken = error.text; }}};
};

}  // namespace

TEST_CASE("events after a jump in the numbers are passed on if the leader has no earlier event") {
  Followed followed;
  followed.make_consumer(1);
  followed.push(6);
  followed.push(50);
  followed.push(51);
  CHECK(followed.heard == Numbers{6});
  CHECK(followed.server.link->sent.front().octets == R"({"next_by_subj":"subject","seq":7})");
  followed.answer_next(53);  // a limit has removed further events meanwhile
  followed.push(52);
  CHECK(followed.heard == Numbers{6, 50, 51, 52});
  CHECK(followed.following.consumers_made() == 1);
}

TEST_CASE("each jump in the numbers is checked, also a jump that follows another jump") {
  Followed followed;
  followed.make_consumer(1);
  followed.push(10);
  followed.push(20);
  followed.push(21);
  followed.answer_next(10);
  CHECK(followed.heard == Numbers{10});
  followed.answer_next(20);
  CHECK(followed.heard == Numbers{10, 20, 21});
}

TEST_CASE("a consumer that skips events of the leader is replaced") {
  Followed followed;
  followed.make_consumer(1);
  followed.push(50);
  followed.answer_next(7);
  CHECK(followed.heard.empty());
  CHECK(followed.server.take().subject == "$JS.API.CONSUMER.DELETE.stream.c");
  followed.push(51);  // an event of the removed consumer
  followed.server.wait(100);
  followed.make_consumer(1);
  followed.push(6);
  CHECK(followed.heard == Numbers{6});
}

TEST_CASE("events that wait for the leader have a limit") {
  Followed followed;
  followed.make_consumer(1);
  for (int count = 0; count < 40; ++count)
    followed.push(static_cast<SequenceNumber>(50 + count), 1 << 20);
  followed.answer_next(50);
  CHECK(followed.heard.empty());
  followed.server.wait(100);
  followed.server.take();  // the removal of the consumer
  followed.make_consumer(1);
}

TEST_CASE("a stream in which another event has replaced the last event ends its channel") {
  for (const bool is_replaced : {false, true}) {
    Followed followed;
    followed.make_consumer(1);
    followed.push(6, 1, "id.6");
    followed.say_ended();
    followed.server.take();  // the removal of the consumer
    followed.server.wait(100);
    followed.server.answer(R"({"created":"monday","config":{},"state":{"last_seq":1000}})");
    followed.check_request("$JS.API.STREAM.MSG.GET.stream");
    // The headers are "NATS/1.0", and "Nats-Msg-Id: " with id.6 or id.7.
    const std::string headers = is_replaced ? "TkFUUy8xLjANCk5hdHMtTXNnLUlkOiBpZC43DQoNCg=="
                                            : "TkFUUy8xLjANCk5hdHMtTXNnLUlkOiBpZC42DQoNCg==";
    followed.server.answer(R"({"message":{"seq":6,"hdrs":")" + headers + "\"}}");
    CHECK(followed.broken.contains("event 6 is another one now") == is_replaced);
    if (!is_replaced) followed.check_request("$JS.API.CONSUMER.CREATE.stream");
  }
}

TEST_CASE("an event that a limit has removed is not a lost event") {
  Followed followed;
  followed.make_consumer(1);
  followed.push(6, 1, "id.6");
  followed.say_ended();
  followed.server.take();  // the removal of the consumer
  followed.server.wait(100);
  followed.server.answer(R"({"created":"monday","config":{},"state":{"last_seq":1000}})");
  followed.server.answer(R"({"error":{"code":404,"err_code":10037,"description":"none"}})");
  CHECK(followed.broken.empty());
  followed.check_request("$JS.API.CONSUMER.CREATE.stream");
}

TEST_CASE("the message ids of all events that the listener got are known") {
  Followed followed;
  followed.make_consumer(1);
  followed.push(6, 1, "id.6");
  followed.push(7);
  CHECK(followed.known.sum_of(6) == sum_of_id("id.6"));
  CHECK(followed.known.sum_of(7) == no_id);
  CHECK_FALSE(followed.known.sum_of(8));
}

TEST_CASE("a stream counts as checked until the connection is lost, or an event is in doubt") {
  Followed followed;
  CHECK_FALSE(followed.following.is_checked());
  followed.make_consumer(1);
  CHECK(followed.following.is_checked());
  followed.server.session.on_down();
  CHECK_FALSE(followed.following.is_checked());
  followed.server.session.on_up(followed.server.link);
  CHECK_FALSE(followed.following.is_checked());
  Followed doubted;
  doubted.make_consumer(1);
  doubted.following.check_again();
  CHECK_FALSE(doubted.following.is_checked());
}

TEST_CASE("the delay before a new consumer grows while consumers end at once") {
  Followed followed;
  for (const int delay : {100, 200, 400, 800, 1'600, 2'000, 2'000}) {
    followed.make_consumer(1);
    followed.say_ended();
    CHECK(followed.server.take().subject == "$JS.API.CONSUMER.DELETE.stream.c");
    followed.server.wait(delay - 1);
    CHECK(followed.server.link->sent.empty());
    followed.server.wait(1);
  }
  CHECK(followed.following.consumers_made() == 7);
}

}  // namespace perigee::events::nats
