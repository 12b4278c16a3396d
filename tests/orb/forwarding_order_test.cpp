// The order in which a call tries the profiles of a reference and of its forwards.
#include "orb/fixture.h"
#include "orb/policies.h"
#include "orb/references/reference.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

namespace perigee::test {

namespace {

/// Peers that record when a client tries them.
class Trail {
 public:
  explicit Trail(Fixture& fixture) : fixture_(fixture) {}

  void dead(const char* address) { add(address, {}, true); }
  void peer(const char* address, OnMessage on_message) {
    add(address, std::move(on_message), false);
  }
  /// The addresses that were tried since the last call of `tried`.
  [[nodiscard]] std::vector<std::string> tried() { return std::exchange(*tried_, {}); }

 private:
  void add(const char* address, OnMessage on_message, bool refuse) {
    Script script;
    script.refuse = refuse;
    script.on_connect = [tried = tried_, address] { tried->emplace_back(address); };
    script.on_message = std::move(on_message);
    fixture_.protocol().add(address, std::move(script));
  }

  Fixture& fixture_;
  std::shared_ptr<std::vector<std::string>> tried_ =
      std::make_shared<std::vector<std::string>>();  // shared with the scripts
};

using Order = std::vector<std::string>;

/// P2 forwards to a list with P6, which forwards to another list. Of the others, all but P4 refuse.
void make_nested_forwards(Fixture& fixture, Trail& trail) {
  for (const char* address : {"P1", "P3", "P5", "P7", "P8", "P9"}) trail.dead(address);
  trail.peer("P2", fixture.forward_to(fixture.ior({"P5", "P6", "P9"})));
  trail.peer("P6", fixture.forward_to(fixture.ior({"P7", "P8"})));
}

}  // namespace

TEST_CASE("forwarded profiles are tried after the forwarding profile: P1 P2 P5-P9 P3 P4") {
  Fixture fixture;
  Trail trail(fixture);
  make_nested_forwards(fixture, trail);
  trail.peer("P4", reply_with_long(4));
  const auto object = fixture.object({"P1", "P2", "P3", "P4"});
  CHECK(echo(object) == 4);
  CHECK(trail.tried() == Order{"P1", "P2", "P5", "P6", "P7", "P8", "P9", "P3", "P4"});
  CHECK(echo(object) == 4);
  CHECK(trail.tried().empty());  // the next call begins with the peer that replied
}

TEST_CASE("if no profile replies, all are tried once more, then the call raises TRANSIENT") {
  Fixture fixture;
  Trail trail(fixture);
  make_nested_forwards(fixture, trail);
  trail.dead("P4");
  const auto object = fixture.object({"P1", "P2", "P3", "P4"});
  CHECK(caught<CORBA::TRANSIENT>([&] { ping(object); }).completed() == CORBA::COMPLETED_NO);
  // P2 and P6, which are connected already, answered last: they come first in their lists.
  CHECK(trail.tried() == Order{"P1", "P2", "P5", "P6", "P7", "P8", "P9", "P3", "P4",  //
                               "P7", "P8", "P9", "P5", "P3", "P4", "P1"});
}

TEST_CASE("if all profiles of a remembered forward fail, the reference's own are tried") {
  Fixture fixture;
  Trail trail(fixture);
  trail.peer("old", fixture.forward_to(fixture.ior({"new"})));
  auto calls = std::make_shared<int>(0);
  trail.peer("new", [calls](ScriptedTransport& transport, const IncomingMessage& message) {
    if (++*calls == 2) return send_close_connection(transport);
    reply_with_long(1)(transport, message);
  });
  trail.dead("new");
  trail.peer("spare", reply_with_long(2));
  const auto object = fixture.object({"old", "spare"});
  CHECK(echo(object) == 1);
  CHECK(trail.tried() == Order{"old", "new"});
  CHECK(echo(object) == 2);
  CHECK(trail.tried() == Order{"new", "new", "spare"});
}

TEST_CASE("a request that may have been executed is not sent to the next profile") {
  Fixture fixture;
  Trail trail(fixture);
  trail.peer("first",
             [](ScriptedTransport& transport, const IncomingMessage&) { transport.reset(); });
  trail.peer("second", reply_with_long(2));
  const auto object = fixture.object({"first", "second"});
  CHECK(caught<CORBA::COMM_FAILURE>([&] { ping(object); }).completed() == CORBA::COMPLETED_MAYBE);
  CHECK(trail.tried() == Order{"first"});
}

TEST_CASE("after a permanent forward to an unusable reference the old target is called again") {
  Fixture fixture;
  const iop::Ior unusable{"IDL:Test:1.0", {{4711, Octets(8)}}};
  auto calls = std::make_shared<int>(0);
  const auto forward = fixture.forward_to(unusable, ReplyStatus::location_forward_perm);
  fixture.peer("old", [=](ScriptedTransport& transport, const IncomingMessage& message) {
    if (++*calls <= 2) return forward(transport, message);
    reply_with_long(9)(transport, message);
  });
  const auto object = fixture.object({"old"});
  CHECK(caught<CORBA::TRANSIENT>([&] { ping(object); }).completed() == CORBA::COMPLETED_NO);
  CHECK(echo(object) == 9);
}

TEST_CASE("a reference becomes usable when its protocol is added") {
  const auto core = std::make_shared<orb::OrbCore>(orb::CoreParts{
      {}, std::make_unique<transport::ProtocolRegistry>(), giop::make_giop(), nullptr});
  auto protocol = std::make_unique<ScriptedProtocol>(giop_protocol());
  protocol->add("peer", Script{.on_message = reply_with_long(5)});
  const auto object = core->make_object(
      {"IDL:Test:1.0",
       {protocol->make_profile({"test", "peer"}, {1, 2, octets_of(std::string_view("key")), {}})}});
  CHECK(caught<CORBA::TRANSIENT>([&] { ping(object); }).completed() == CORBA::COMPLETED_NO);
  REQUIRE(core->protocols().add(std::move(protocol)).has_value());
  CHECK(echo(object) == 5);
  core->destroy();
}

}  // namespace perigee::test
