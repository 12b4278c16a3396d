// Idle connections of clients: closed when their time is over, or when the server has closed them.
#include "engine/connection/stand_still.h"
#include "orb/client/endpoint_table.h"
#include "orb/fixture.h"
#include "support/fake_clock.h"
#include <perigee/orb/stub.h>

#include <doctest/doctest.h>

#include <thread>

namespace perigee::test {

namespace {

using std::chrono::milliseconds;

// The sweeper's thread does nothing for an hour. The tests call `close_idle` themselves.
orb::Settings idle_after(milliseconds limit) {
  orb::Settings settings;
  settings.client_idle_timeout = limit;
  settings.connections_per_endpoint_max = 1;
  return settings;
}

constexpr milliseconds hour = std::chrono::hours(1);

}  // namespace

TEST_CASE("a counter stands still if the limit has passed since its value was first seen") {
  engine::StandStill watch;
  const TimePoint start{};
  CHECK_FALSE(watch.lasted(7, start, milliseconds(10)));
  CHECK_FALSE(watch.lasted(7, start + milliseconds(9), milliseconds(10)));
  CHECK(watch.lasted(7, start + milliseconds(10), milliseconds(10)));
  CHECK_FALSE(watch.lasted(8, start + milliseconds(30), milliseconds(10)));
  CHECK(watch.lasted(8, start + milliseconds(40), milliseconds(10)));
}

TEST_CASE("the watch period is an eighth of the limit, at most ten seconds, zero without limit") {
  CHECK(engine::watch_period(milliseconds(0)) == milliseconds(0));
  CHECK(engine::watch_period(milliseconds(1)) == milliseconds(1));
  CHECK(engine::watch_period(milliseconds(800)) == milliseconds(100));
  CHECK(engine::watch_period(hour) == milliseconds(10'000));
}

TEST_CASE("a connection is closed after its idle time-out, and the next call connects anew") {
  FakeClock clock;
  Fixture fixture(idle_after(hour), clock);
  fixture.peer("peer", reply_with_long(1));
  const auto object = fixture.object({"peer"});
  auto& endpoints = fixture.core().endpoints();
  CHECK(echo(object) == 1);
  endpoints.close_idle();
  clock.advance(hour - milliseconds(1));
  endpoints.close_idle();
  CHECK(echo(object) == 1);
  CHECK(fixture.counts("peer").connects == 1);
  endpoints.close_idle();  // notices the call
  clock.advance(hour);
  endpoints.close_idle();
  CHECK(echo(object) == 1);
  CHECK(fixture.counts("peer").connects == 2);
}

TEST_CASE("the idle time of a new connection begins when it opens") {
  FakeClock clock;
  Fixture fixture(idle_after(hour), clock);
  fixture.peer("peer", reply_with_long(1));
  const auto object = fixture.object({"peer"});
  auto& endpoints = fixture.core().endpoints();
  CHECK(echo(object) == 1);
  endpoints.close_idle();
  endpoints.close_all();
  clock.advance(hour);
  CHECK(echo(object) == 1);  // on a connection with as many requests as the old connection had
  endpoints.close_idle();
  CHECK(echo(object) == 1);
  CHECK(fixture.counts("peer").connects == 2);
}

TEST_CASE("a connection with a call in progress is not idle, however long the call takes") {
  FakeClock clock;
  Fixture fixture(idle_after(hour), clock);
  fixture.peer("peer", [&](ScriptedTransport& transport, const IncomingMessage& message) {
    auto& endpoints = fixture.core().endpoints();
    endpoints.close_idle();
    clock.advance(2 * hour);
    endpoints.close_idle();
    send_reply(transport, message, ReplyStatus::no_exception,
               [](cdr::Encoder& encoder) { encoder.write(std::int32_t{5}); });
  });
  const auto object = fixture.object({"peer"});
  CHECK(echo(object) == 5);
  CHECK(echo(object) == 5);
  CHECK(fixture.counts("peer").connects == 1);
}

TEST_CASE("a connection that the server closed is dropped, so that it loses no oneway") {
  Fixture fixture(idle_after(hour));
  ScriptedTransport* first = nullptr;
  fixture.peer("peer", [&](ScriptedTransport& transport, const IncomingMessage& message) {
    first = &transport;
    send_reply(transport, message, ReplyStatus::no_exception,
               [](cdr::Encoder& encoder) { encoder.write(std::int32_t{5}); });
  });
  int arrived = 0;
  fixture.peer("peer", [&](ScriptedTransport&, const IncomingMessage&) { ++arrived; });
  const auto object = fixture.object({"peer"});
  CHECK(echo(object) == 5);
  SUBCASE("with CloseConnection") { send_close_connection(*first); }
  SUBCASE("by dying") { first->reset(); }
  fixture.core().endpoints().close_idle();
  stub::invoke(*object, notify_operation, nullptr, nullptr);
  CHECK(arrived == 1);
  CHECK(fixture.counts("peer").connects == 2);
}

TEST_CASE("an idle connection is closed if the server floods it with late replies") {
  Fixture fixture(idle_after(hour));
  ScriptedTransport* first = nullptr;
  fixture.peer("peer", [&](ScriptedTransport& transport, const IncomingMessage& message) {
    first = &transport;
    send_reply(transport, message, ReplyStatus::no_exception,
               [](cdr::Encoder& encoder) { encoder.write(std::int32_t{5}); });
  });
  fixture.peer("peer", reply_with_long(6));
  const auto object = fixture.object({"peer"});
  CHECK(echo(object) == 5);
  std::size_t count = 0;
  std::size_t size = 0;
  SUBCASE("many messages") { count = 5000; }
  SUBCASE("large messages") {
    count = 10;
    size = std::size_t{1} << 20U;
  }
  SUBCASE("some messages do not matter") { count = 100; }
  cdr::Buffer late;
  cdr::Encoder encoder(late);
  giop_session().begin_reply(encoder, {1, 2}, messaging::ReplyHeader{.request_id = 1000},
                             messaging::Body::present);
  encoder.write_octets(Octets(size));
  giop_session().finish(encoder);
  for (std::size_t number = 0; number != count; ++number) first->deliver(late);
  fixture.core().endpoints().close_idle();
  const bool lost = count != 100;
  CHECK(echo(object) == (lost ? 6 : 5));
  CHECK(fixture.counts("peer").connects == (lost ? 2 : 1));
}

TEST_CASE("the search for connections that the server closed keeps good connections") {
  Fixture fixture(idle_after(hour));
  fixture.peer("peer", reply_with_long(1));
  const auto object = fixture.object({"peer"});
  for (int call = 0; call < 10; ++call) {
    CHECK(echo(object) == 1);
    fixture.core().endpoints().close_idle();
  }
  CHECK(fixture.counts("peer").connects == 1);
}

TEST_CASE("calls of several threads get their replies while a sweeper closes all the time") {
  orb::Settings settings;
  settings.client_idle_timeout = milliseconds(1);
  settings.connections_per_endpoint_max = 2;
  Fixture fixture(settings);
  fixture.peer("peer", reply_with_long(1));
  std::vector<std::jthread> callers;
  std::atomic<int> answered{0};
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      const auto object = fixture.object({"peer"});
      for (int call = 0; call < 500; ++call) answered += echo(object);
    });
  for (int sweep = 0; sweep < 500; ++sweep) fixture.core().endpoints().close_idle();
  callers.clear();
  CHECK(answered == 2000);
}

}  // namespace perigee::test
