// A connection to NATS whose requests the test reads and answers itself.
#pragma once

#include "services/events_nats/session.h"
#include "support/fake_clock.h"

#include <doctest/doctest.h>

#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <utility>

namespace perigee::events::nats {

/// A link that keeps the sent messages.
class RecordingLink final : public Link {
 public:
  explicit RecordingLink(std::size_t payload_max) : payload_max_(payload_max) {}
  bool publish(const Publication& publication) override {
    if (is_dead) return false;
    sent.push_back(publication);
    return true;
  }
  bool subscribe(const std::string& /*subject*/) override { return true; }
  void unsubscribe(const std::string& /*subject*/) override {}
  [[nodiscard]] std::size_t payload_max() const override { return payload_max_; }
  void close() override { ++closed; }

  std::deque<Publication> sent;
  bool is_dead = false;
  int closed = 0;

 private:
  const std::size_t payload_max_;
};

/// A session that is connected from the beginning.
class FakeServer {
 public:
  explicit FakeServer(std::size_t payload_max = 1'000)
      : link(std::make_shared<RecordingLink>(payload_max)) {
    session.on_up(link);
  }
  ~FakeServer() { stop(); }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  /// Ends the tasks, which may use objects of the test.
  void stop() {
    session.end();
    while (session.tasks() > 0) session.step();
  }
  void wait(int time_ms) {
    clock.advance(std::chrono::milliseconds(time_ms));
    session.step();
  }
  /// Takes the oldest message that the test has not taken.
  Publication take() {
    REQUIRE_FALSE(link->sent.empty());
    Publication oldest = std::move(link->sent.front());
    link->sent.pop_front();
    return oldest;
  }
  /// Answers the oldest request.
  void answer(const std::string& octets) {
    Message message;
    message.octets = octets;
    answer_with(std::move(message));
  }
  void answer_with(Message message) {
    message.subject = take().reply;
    session.on_reply(std::move(message));
  }

  test::FakeClock clock;
  NatsStoreOptions options{.servers = {"nats://h:1"}, .clock = &clock};
  Session session{options, "inbox"};
  std::shared_ptr<RecordingLink> link;
};

}  // namespace perigee::events::nats
