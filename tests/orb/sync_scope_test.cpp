// SyncScopePolicy: when oneway calls return.
#include "orb/fixture.h"
#include "orb/policies.h"

#include <doctest/doctest.h>

namespace perigee::test {

namespace {

using messaging::ResponseFlags;

ObjectRef with_scope(Fixture& fixture, const ObjectRef& object, Messaging::SyncScope scope) {
  return object->_set_policy_overrides({make_policy(fixture.core(), SYNC_SCOPE_POLICY_TYPE, scope)},
                                       SET_OVERRIDE);
}

void notify(const ObjectRef& object) { stub::invoke(*object, notify_operation, nullptr, nullptr); }

}  // namespace

TEST_CASE("the response flags of a oneway contain its scope, and the client waits for the reply") {
  Fixture fixture;
  ResponseFlags seen{};
  fixture.peer("peer", [&](ScriptedTransport& transport, const IncomingMessage& message) {
    messaging::ContextStorage contexts;
    seen = giop_session().parse_request(message, contexts)->header.response;
    if (seen != ResponseFlags::none) send_reply(transport, message, ReplyStatus::no_exception);
  });
  const auto object = fixture.object({"peer"});
  notify(object);
  CHECK(seen == ResponseFlags::none);
  CHECK(fixture.counts("peer").receives == 0);
  notify(with_scope(fixture, object, Messaging::SYNC_WITH_TRANSPORT));
  CHECK(seen == ResponseFlags::none);
  notify(with_scope(fixture, object, Messaging::SYNC_WITH_SERVER));
  CHECK(seen == ResponseFlags::with_server);
  CHECK(fixture.counts("peer").receives == 1);
  notify(with_scope(fixture, object, Messaging::SYNC_WITH_TARGET));
  CHECK(seen == ResponseFlags::with_target);
  CHECK(fixture.counts("peer").receives == 2);
}

TEST_CASE("a oneway with scope server or target raises the exception that the server replies") {
  Fixture fixture;
  fixture.peer("peer", reply_with_exception("IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0", 2,
                                            CORBA::COMPLETED_NO));
  const auto object = fixture.object({"peer"});
  CHECK_THROWS_AS(notify(with_scope(fixture, object, Messaging::SYNC_WITH_SERVER)),
                  CORBA::OBJECT_NOT_EXIST);
  CHECK_THROWS_AS(notify(with_scope(fixture, object, Messaging::SYNC_WITH_TARGET)),
                  CORBA::OBJECT_NOT_EXIST);
}

TEST_CASE("a oneway with scope server follows location forwards") {
  Fixture fixture;
  fixture.peer("first", fixture.forward_to(fixture.ior({"second"})));
  fixture.peer("second", reply_with_nothing());
  notify(with_scope(fixture, fixture.object({"first"}), Messaging::SYNC_WITH_SERVER));
  CHECK(fixture.counts("second").sends == 1);
}

TEST_CASE("the scope of the ORB or the thread changes nothing about two-way calls") {
  Fixture fixture;
  fixture.peer("peer", reply_with_long(3));
  const auto scope =
      make_policy(fixture.core(), SYNC_SCOPE_POLICY_TYPE, Messaging::SYNC_WITH_SERVER);
  policy_manager(fixture.core())->set_policy_overrides({scope}, SET_OVERRIDE);
  const auto object = fixture.object({"peer"});
  CHECK(echo(object) == 3);
  notify(object);
  CHECK(fixture.counts("peer").receives == 2);
}

}  // namespace perigee::test
