// RelativeRequestTimeoutPolicy: ends what comes before the reply, and nothing else.
#include "orb/fixture.h"
#include "orb/policies.h"
#include "support/fake_clock.h"

#include <doctest/doctest.h>

namespace perigee::test {

namespace {

using Messaging::RELATIVE_REQ_TIMEOUT_POLICY_TYPE;
using std::chrono::seconds;

PolicyRef request_limit(orb::OrbCore& core, seconds limit) {
  return make_policy(core, RELATIVE_REQ_TIMEOUT_POLICY_TYPE,
                     static_cast<TimeBase::TimeT>(limit.count()) * 10'000'000);
}

ObjectRef object_with(Fixture& fixture, const CORBA::PolicyList& policies) {
  return fixture.object({"peer"})->_set_policy_overrides(policies, SET_OVERRIDE);
}

Script slow_to_connect(FakeClock& clock, seconds time) {
  return {.on_connect = [&clock, time] { clock.advance(time); },
          .on_message = reply_with_nothing()};
}

// Seconds of the time-out that holds for requests; -1 without a policy.
std::int64_t effective(const ObjectRef& object) {
  using Policy = Messaging::RelativeRequestTimeoutPolicy;
  const auto policy =
      IDL::traits<Policy>::narrow(object->_get_policy(RELATIVE_REQ_TIMEOUT_POLICY_TYPE));
  return policy ? static_cast<std::int64_t>(policy->relative_expiry() / 10'000'000) : -1;
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

TEST_CASE("a oneway has a request's time, too") {
  FakeClock clock;
  Fixture fixture({}, clock);
  fixture.protocol().add("peer", slow_to_connect(clock, seconds(3)));
  const auto object = object_with(fixture, {request_limit(fixture.core(), seconds(2))});
  CHECK_THROWS_AS(stub::invoke(*object, notify_operation, nullptr, nullptr), CORBA::TIMEOUT);
}

TEST_CASE("a reply may take longer than the request's time") {
  FakeClock clock;
  Fixture fixture({}, clock);
  fixture.peer("peer", [&](ScriptedTransport& transport, const IncomingMessage& message) {
    clock.advance(seconds(60));
    reply_with_long(7)(transport, message);
  });
  CHECK(echo(object_with(fixture, {request_limit(fixture.core(), seconds(2))})) == 7);
}

TEST_CASE("of the call's time and the request's, the shorter one ends connecting") {
  FakeClock clock;
  Fixture fixture({}, clock);
  orb::OrbCore& core = fixture.core();
  fixture.peer("peer", reply_with_nothing());
  ping(object_with(fixture, {roundtrip(core, seconds(1)), request_limit(core, seconds(2))}));
  CHECK(fixture.counts("peer").connect_timeout_ms == 1000);
}

TEST_CASE("a level that has no policy of a type leaves that type to the next level") {
  FakeClock clock;
  Fixture fixture({}, clock);
  orb::OrbCore& core = fixture.core();
  fixture.peer("peer", reply_with_nothing());
  policy_manager(core)->set_policy_overrides({request_limit(core, seconds(2))}, SET_OVERRIDE);
  ping(object_with(fixture, {roundtrip(core, seconds(5))}));
  CHECK(fixture.counts("peer").connect_timeout_ms == 2000);
}

TEST_CASE("the request's time: the reference's before the thread's, before the ORB's") {
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
