// Connections that end, and messages that wait.
#include "fake_server.h"
#include "services/events_nats/connector.h"
#include "services/events_nats/mailbox.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace perigee::events::nats {

namespace {

using Kind = StoreError::Kind;

}  // namespace

TEST_CASE("a connection that cannot send a message counts as lost at once") {
  FakeServer server;
  server.link->is_dead = true;
  CHECK(server.session.is_up());
  CHECK_FALSE(server.session.publish({.subject = "a"}));
  CHECK_FALSE(server.session.is_up());
  CHECK_FALSE(server.session.publish({.subject = "b"}));
  CHECK(server.link->closed == 1);
  server.session.on_down();
  server.link = std::make_shared<RecordingLink>(1'000);
  server.session.on_up(server.link);
  CHECK(server.session.publish({.subject = "c"}));
}

TEST_CASE("all texts of a message count for the limit of messages that wait") {
  std::string Message::* const texts[] = {
      &Message::subject,     &Message::reply,   &Message::octets,
      &Message::status,      &Message::number,  &Message::last_of_consumer,
      &Message::description, &Message::stalled, &Message::message_id};
  for (std::string Message::* const text : texts) {
    Mailbox mailbox(10'000);
    for (const std::uint64_t dropped : {0u, 1u}) {
      Message message;
      message.*text = std::string(6'000, 'x');
      mailbox.post(std::move(message));
      CHECK(mailbox.dropped() == dropped);
    }
  }
}

TEST_CASE("a refused connection is final after three refusals in a row") {
  Refusals refusals;
  const StoreError refused{Kind::failed, "authorization"};
  const StoreError lost{Kind::unavailable, "no server"};
  for (const Kind kind : {Kind::unavailable, Kind::unavailable, Kind::failed, Kind::failed})
    CHECK(refusals.judge(refused).kind == kind);
  CHECK(refusals.judge(lost).kind == Kind::unavailable);
  CHECK(refusals.judge(refused).kind == Kind::unavailable);
  CHECK(refusals.judge(refused).text == "authorization");
}

}  // namespace perigee::events::nats
