// RelativeRequestTimeoutPolicy: limits the time until a request is sent, and nothing else.
#include "orb/client/endpoint_table.h"
#include "orb/context/orb_metrics.h"
#include "orb/fixture.h"
#include "orb/policies.h"
#include "support/fake_clock.h"

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

namespace perigee::test {

namespace {

using Messaging::RELATIVE_REQ_TIMEOUT_POLICY_TYPE;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

PolicyRef request_limit(orb::OrbCore& core, milliseconds limit) {
  return make_policy(core, RELATIVE_REQ_TIMEOUT_POLICY_TYPE,
                     static_cast<TimeBase::TimeT>(limit.count()) * 10'000);
}

ObjectRef object_with(Fixture& fixture, const CORBA::PolicyList& policies) {
  return fixture.object({"peer"})->_set_policy_overrides(policies, SET_OVERRIDE);
}

Script slow_to_connect(FakeClock& clock, seconds time) {
  return {.on_connect = [&clock, time] { clock.advance(time); },
          .on_message = reply_with_nothing()};
}

messaging::ResponseFlags response_of(Messaging::SyncScope scope) {
  switch (scope) {
    case Messaging::SYNC_WITH_SERVER:
      return messaging::ResponseFlags::with_server;
    case Messaging::SYNC_WITH_TARGET:
      return messaging::ResponseFlags::with_target;
    default:
      return messaging::ResponseFlags::none;
  }
}

/// Records which response each request expects.
OnMessage answer_if_asked(std::vector<messaging::ResponseFlags>& asked) {
  return [&asked](ScriptedTransport& transport, const IncomingMessage& message) {
    messaging::ContextStorage contexts;
    const auto request = giop_session().parse_request(message, contexts);
    asked.push_back(request->header.response);
    if (asked.back() != messaging::ResponseFlags::none) reply_with_nothing()(transport, message);
  };
}

// The time-out of a request in seconds; -1 without a policy.
std::int64_t effective(const ObjectRef& object) {
  using Policy = Messaging::RelativeRequestTimeoutPolicy;
  const auto policy =
      IDL::traits<Policy>::narrow(object->_get_policy(RELATIVE_REQ_TIMEOUT_POLICY_TYPE));
  return policy ? static_cast<std::int64_t>(policy->relative_expiry() / 10'000'000) : -1;
}

// A peer that does not take the first request until the test calls `release`. Replies to the second
// request when the test calls `answer_second`.
class BusyPeer {
 public:
  OnMessage on_message() {
    return [this](ScriptedTransport& transport, const IncomingMessage& message) {
      if (++requests_ == 1) {
        inside_.set_value();
        released_.get_future().wait();
        return reply_with_long(1)(transport, message);
      }
      second_.octets = message.octets;
      second_.header_size = message.header_size;
      second_.order = message.order;
      second_.keep();
      transport_ = &transport;
    };
  }
  void await_first() { inside_.get_future().wait(); }
  void release() { released_.set_value(); }
  void answer_second() { reply_with_long(2)(*transport_, second_); }
  [[nodiscard]] int requests() const { return requests_; }

 private:
  std::promise<void> inside_;
  std::promise<void> released_;
  std::atomic<int> requests_{0};
  ScriptedTransport* transport_ = nullptr;
  IncomingMessage second_;
};

void await_queued(orb::OrbCore& core) {
  while (core.metrics().client_traffic.totals().octets_queued == 0) std::this_thread::yield();
}

orb::Settings one_connection() {
  orb::Settings settings;
  settings.connections_per_endpoint_max = 1;
  settings.first_reply_timeout = {};  // the peers of these tests are slow
  return settings;
}

}  // namespace

TEST_CASE("a request whose time is over before it is sent is not sent: TIMEOUT, COMPLETED_NO") {
  FakeClock clock;
  Fixture fixture({}, clock);
  fixture.protocol().add("peer", slow_to_connect(clock, seconds(3)));
  const auto object = object_with(fixture, {request_limit(fixture.core(), seconds(2))});
  CHECK(caught<CORBA::TIMEOUT>([&] { ping(object); }).completed() == CORBA::COMPLETED_NO);
  CHECK(fixture.counts("peer").connect_timeout_ms == 2000);
  CHECK(fixture.counts("peer").sends == 0);
}

TEST_CASE("a oneway of any scope is not sent after its time, and the next oneway is sent") {
  for (const auto scope : {Messaging::SYNC_NONE, Messaging::SYNC_WITH_TRANSPORT,
                           Messaging::SYNC_WITH_SERVER, Messaging::SYNC_WITH_TARGET}) {
    CAPTURE(scope);
    FakeClock clock;
    Fixture fixture({}, clock);
    std::vector<messaging::ResponseFlags> asked;
    const OnMessage answer = answer_if_asked(asked);
    Script slow = slow_to_connect(clock, seconds(3));
    slow.on_message = answer;
    fixture.protocol().add("peer", std::move(slow));
    fixture.peer("peer", answer);
    const auto object =
        object_with(fixture, {request_limit(fixture.core(), seconds(2)),
                              make_policy(fixture.core(), SYNC_SCOPE_POLICY_TYPE, scope)});
    const auto notify = [&] { stub::invoke(*object, notify_operation, nullptr, nullptr); };
    CHECK(caught<CORBA::TIMEOUT>(notify).completed() == CORBA::COMPLETED_NO);
    CHECK(fixture.counts("peer").connect_timeout_ms == 2000);
    CHECK(fixture.core().endpoints().flush().waiting == 0);
    CHECK(asked.empty());
    notify();
    CHECK(fixture.core().endpoints().flush().lost == 0);
    CHECK(asked == std::vector{response_of(scope)});
  }
}

TEST_CASE("the reply to a oneway that waits for its target may take longer than the request time") {
  FakeClock clock;
  Fixture fixture({}, clock);
  fixture.peer("peer", [&](ScriptedTransport& transport, const IncomingMessage& message) {
    clock.advance(seconds(60));
    reply_with_nothing()(transport, message);
  });
  const auto object = object_with(
      fixture, {request_limit(fixture.core(), seconds(2)),
                make_policy(fixture.core(), SYNC_SCOPE_POLICY_TYPE, Messaging::SYNC_WITH_TARGET)});
  stub::invoke(*object, notify_operation, nullptr, nullptr);
  CHECK(fixture.counts("peer").sends == 1);
}

TEST_CASE("the reply to a two-way call may take longer than the request time") {
  FakeClock clock;
  Fixture fixture({}, clock);
  fixture.peer("peer", [&](ScriptedTransport& transport, const IncomingMessage& message) {
    clock.advance(seconds(60));
    reply_with_long(7)(transport, message);
  });
  CHECK(echo(object_with(fixture, {request_limit(fixture.core(), seconds(2))})) == 7);
}

TEST_CASE("a request that waits behind another request is never sent after its request time") {
  FakeClock clock;
  Fixture fixture(one_connection(), clock);
  BusyPeer peer;
  fixture.peer("peer", peer.on_message());
  const auto limited = object_with(fixture, {request_limit(fixture.core(), milliseconds(50))});
  auto first = std::async(std::launch::async, [&] { return echo(fixture.object({"peer"})); });
  peer.await_first();
  auto second = std::async(std::launch::async, [&] {
    return caught<CORBA::TIMEOUT>([&] { ping(limited); }).completed();
  });
  await_queued(fixture.core());
  clock.advance(seconds(3));
  const bool in_time = second.wait_for(minutes(1)) == std::future_status::ready;
  peer.release();  // a second call that still waits can end now
  CHECK(in_time);
  CHECK(first.get() == 1);
  if (!in_time) peer.answer_second();
  CHECK(second.get() == CORBA::COMPLETED_NO);
  CHECK(peer.requests() == 1);
}

TEST_CASE("a request that another thread sent in time may wait longer for its reply") {
  FakeClock clock;
  Fixture fixture(one_connection(), clock);
  BusyPeer peer;
  fixture.peer("peer", peer.on_message());
  const auto limited = object_with(fixture, {request_limit(fixture.core(), milliseconds(50))});
  auto first = std::async(std::launch::async, [&] { return echo(fixture.object({"peer"})); });
  peer.await_first();
  auto second = std::async(std::launch::async, [&] { return echo(limited); });
  await_queued(fixture.core());
  peer.release();
  CHECK(first.get() == 1);  // its thread has sent the second request
  clock.advance(seconds(60));
  CHECK(second.wait_for(milliseconds(20)) == std::future_status::timeout);
  peer.answer_second();
  CHECK(second.get() == 2);
}

TEST_CASE("the shorter of the call's and the request's time limit ends connecting") {
  FakeClock clock;
  Fixture fixture({}, clock);
  orb::OrbCore& core = fixture.core();
  fixture.peer("peer", reply_with_nothing());
  ping(object_with(fixture, {roundtrip(core, seconds(1)), request_limit(core, seconds(2))}));
  CHECK(fixture.counts("peer").connect_timeout_ms == 1000);
}

TEST_CASE("if a level has no policy of a type, the policy of the next level applies") {
  FakeClock clock;
  Fixture fixture({}, clock);
  orb::OrbCore& core = fixture.core();
  fixture.peer("peer", reply_with_nothing());
  policy_manager(core)->set_policy_overrides({request_limit(core, seconds(2))}, SET_OVERRIDE);
  ping(object_with(fixture, {roundtrip(core, seconds(5))}));
  CHECK(fixture.counts("peer").connect_timeout_ms == 2000);
}

TEST_CASE("a reference's request time precedes the thread's time, which precedes the ORB's time") {
  Fixture fixture;
  orb::OrbCore& core = fixture.core();
  const auto object = fixture.object({"peer"});
  CHECK(effective(object) == -1);
  policy_manager(core)->set_policy_overrides({request_limit(core, seconds(3))}, SET_OVERRIDE);
  CHECK(effective(object) == 3);
  policy_current(core)->set_policy_overrides({request_limit(core, seconds(2))}, SET_OVERRIDE);
  CHECK(effective(object) == 2);
  CHECK(effective(object_with(fixture, {request_limit(core, seconds(1))})) == 1);
  policy_current(core)->set_policy_overrides({}, SET_OVERRIDE);
}

}  // namespace perigee::test
