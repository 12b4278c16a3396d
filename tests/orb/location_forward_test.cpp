// LOCATION_FORWARD in all its forms. Interop fact 24 of docs/interop.md.
#include "orb/fixture.h"
#include "orb/references/reference.h"
#include <perigee/orb/with_policies.h>

#include <doctest/doctest.h>

namespace perigee::test {

TEST_CASE("a forwarded call goes to the new place, and the next calls go there directly") {
  Fixture fixture;
  fixture.peer("old", fixture.forward_to(fixture.ior({"new"})));
  fixture.peer("new", reply_with_long(3));
  const auto object = fixture.object({"old"});
  CHECK(echo(object) == 3);
  CHECK(echo(object) == 3);
  CHECK(fixture.counts("old").sends == 1);
  CHECK(object->_reference()->ior() == fixture.ior({"old"}));
}

TEST_CASE("with NO_REBIND only the first call of a reference follows a forward") {
  Fixture fixture;
  auto calls = std::make_shared<int>(0);
  const auto to_last = fixture.forward_to(fixture.ior({"last"}));
  fixture.peer("old", fixture.forward_to(fixture.ior({"new"})));
  fixture.peer("new", [=](ScriptedTransport& transport, const IncomingMessage& message) {
    if (++*calls == 2) return to_last(transport, message);
    reply_with_long(3)(transport, message);
  });
  fixture.peer("last", reply_with_long(4));
  const auto object = with_policies(fixture.object({"old"}), {make_no_rebind()});
  CHECK(echo(object) == 3);
  const auto error = caught<CORBA::REBIND>([&] { (void)echo(object); });
  CHECK(error.completed() == CORBA::COMPLETED_NO);
  CHECK(error.detail().find("RebindPolicy has the value NO_REBIND") != std::string::npos);
  CHECK(fixture.counts("last").sends == 0);
  const auto transparent = object->_set_policy_overrides({}, CORBA::SetOverrideType::SET_OVERRIDE);
  *calls = 1;
  CHECK(echo(transparent) == 4);
}

TEST_CASE("with NO_REBIND a call does not go back to the place that has forwarded it") {
  Fixture fixture;
  auto calls = std::make_shared<int>(0);
  const auto forward = fixture.forward_to(fixture.ior({"new"}));
  fixture.peer("old", [=](ScriptedTransport& transport, const IncomingMessage& message) {
    if (++*calls == 1) return forward(transport, message);
    reply_with_long(9)(transport, message);
  });
  auto answers = std::make_shared<int>(0);
  fixture.peer("new", [=](ScriptedTransport& transport, const IncomingMessage& message) {
    if (++*answers == 1) return reply_with_long(3)(transport, message);
    reply_with_exception("IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0", 0, CORBA::COMPLETED_NO)(
        transport, message);
  });
  const auto object = with_policies(fixture.object({"old"}), {make_no_rebind()});
  CHECK(echo(object) == 3);
  CHECK_THROWS_AS((void)echo(object), CORBA::OBJECT_NOT_EXIST);
  CHECK(*calls == 1);
}

TEST_CASE("with NO_REBIND a reference is not bound by a system exception") {
  Fixture fixture;
  auto calls = std::make_shared<int>(0);
  const auto forward = fixture.forward_to(fixture.ior({"new"}));
  fixture.peer("old", [=](ScriptedTransport& transport, const IncomingMessage& message) {
    if (++*calls == 1)
      return reply_with_exception("IDL:omg.org/CORBA/TRANSIENT:1.0", 0, CORBA::COMPLETED_NO)(
          transport, message);
    forward(transport, message);
  });
  fixture.peer("new", reply_with_long(3));
  const auto object = with_policies(fixture.object({"old"}), {make_no_rebind()});
  CHECK_THROWS_AS((void)echo(object), CORBA::TRANSIENT);
  CHECK(echo(object) == 3);
}

TEST_CASE("a permanent forward replaces the reference") {
  Fixture fixture;
  fixture.peer("old", fixture.forward_to(fixture.ior({"new"}), ReplyStatus::location_forward_perm));
  fixture.peer("new", reply_with_long(3));
  const auto object = fixture.object({"old"});
  CHECK(echo(object) == 3);
  CHECK(object->_reference()->ior() == fixture.ior({"new"}));
}

TEST_CASE("when the new place cannot be reached, the old place is called again") {
  Fixture fixture;
  auto calls = std::make_shared<int>(0);
  const auto forward = fixture.forward_to(fixture.ior({"gone"}));
  fixture.peer("old", [=](ScriptedTransport& transport, const IncomingMessage& message) {
    if (++*calls == 1) return forward(transport, message);
    reply_with_long(9)(transport, message);
  });
  CHECK(echo(fixture.object({"old"})) == 9);
}

TEST_CASE("when the object no longer exists at the new place, the old place is called again") {
  Fixture fixture;
  auto calls = std::make_shared<int>(0);
  const auto forward = fixture.forward_to(fixture.ior({"new"}));
  fixture.peer("old", [=](ScriptedTransport& transport, const IncomingMessage& message) {
    if (++*calls == 1) return forward(transport, message);
    reply_with_long(9)(transport, message);
  });
  fixture.peer("new", reply_with_exception("IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0", 0,
                                           CORBA::COMPLETED_NO));
  CHECK(echo(fixture.object({"old"})) == 9);
}

TEST_CASE("_non_existent asks the old server if the object does not exist at the new server") {
  for (const bool gone_from_old : {false, true}) {
    Fixture fixture;
    auto calls = std::make_shared<int>(0);
    const auto forward = fixture.forward_to(fixture.ior({"new"}));
    const auto reply = reply_with(ReplyStatus::no_exception, [=](cdr::Encoder& encoder) {
      encoder.write_boolean(gone_from_old);
    });
    fixture.peer("old", [=](ScriptedTransport& transport, const IncomingMessage& message) {
      if (++*calls == 1) return forward(transport, message);
      reply(transport, message);
    });
    fixture.peer("new", reply_with(ReplyStatus::no_exception,
                                   [](cdr::Encoder& encoder) { encoder.write_boolean(true); }));
    CHECK(fixture.object({"old"})->_non_existent() == gone_from_old);
    CHECK(*calls == 2);
  }
}

TEST_CASE("OBJECT_NOT_EXIST of an executed operation is its reply, also after a forward") {
  for (const auto completed : {CORBA::COMPLETED_YES, CORBA::COMPLETED_MAYBE}) {
    Fixture fixture;
    fixture.peer("old", fixture.forward_to(fixture.ior({"new"})));
    fixture.peer("new",
                 reply_with_exception("IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0", 7, completed));
    const auto object = fixture.object({"old"});
    const auto exception = caught<CORBA::OBJECT_NOT_EXIST>([&] { ping(object); });
    CHECK(exception.minor() == 7);
    CHECK(exception.completed() == completed);
    CHECK(fixture.counts("new").sends == 1);
  }
}

TEST_CASE("two places that forward to each other end in TRANSIENT after a limited number of hops") {
  orb::Settings settings;
  settings.forward_hops_max = 4;
  Fixture fixture(settings);
  fixture.peer("a", fixture.forward_to(fixture.ior({"b"})));
  fixture.peer("b", fixture.forward_to(fixture.ior({"a"})));
  const auto object = fixture.object({"a"});
  const auto exception = caught<CORBA::TRANSIENT>([&] { ping(object); });
  CHECK(exception.completed() == CORBA::COMPLETED_NO);
  CHECK(fixture.counts("a").sends + fixture.counts("b").sends == 5);
}

TEST_CASE("a forward to nil raises INV_OBJREF") {
  Fixture fixture;
  fixture.peer("old", fixture.forward_to({}));
  const auto object = fixture.object({"old"});
  CHECK(caught<CORBA::INV_OBJREF>([&] { ping(object); }).completed() == CORBA::COMPLETED_NO);
}

TEST_CASE("a forward that does not decode raises MARSHAL, COMPLETED_NO") {
  Fixture fixture;
  fixture.peer("old", reply_with(ReplyStatus::location_forward));
  const auto object = fixture.object({"old"});
  CHECK(caught<CORBA::MARSHAL>([&] { ping(object); }).completed() == CORBA::COMPLETED_NO);
}

TEST_CASE("more forwards than are remembered are followed all the same") {
  orb::Settings settings;
  settings.forwards_remembered_max = 1;
  Fixture fixture(settings);
  fixture.peer("a", fixture.forward_to(fixture.ior({"b"})));
  fixture.peer("b", fixture.forward_to(fixture.ior({"c"})));
  fixture.peer("c", reply_with_long(1));
  const auto object = fixture.object({"a"});
  CHECK(echo(object) == 1);
  CHECK(echo(object) == 1);
}

TEST_CASE("a forward without a usable profile ends in TRANSIENT, remembered or not") {
  orb::Settings settings;
  settings.forwards_remembered_max = 0;
  Fixture fixture(settings);
  const iop::Ior unusable{"IDL:Test:1.0", {{4711, Octets(8)}}};
  fixture.peer("a", fixture.forward_to(fixture.ior({"b"})));
  fixture.peer("b", fixture.forward_to(unusable));
  const auto object = fixture.object({"a"});
  CHECK(caught<CORBA::TRANSIENT>([&] { ping(object); }).completed() == CORBA::COMPLETED_NO);
}

}  // namespace perigee::test
