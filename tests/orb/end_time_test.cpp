// Policies with absolute times, and the policy of rebinding: how they are made, and the limits that
// they give to a call.
#include "orb/fixture.h"
#include "orb/policies.h"
#include "orb/policies/client_policies.h"
#include <perigee/orb/codec.h>
#include <perigee/orb/typecode_factory.h>
#include <perigee/orb/with_policies.h>

#include <doctest/doctest.h>

namespace perigee::test {

namespace {

using namespace std::chrono_literals;
using std::chrono::system_clock;

orb::CallPolicies values_of(const CORBA::PolicyList& policies) {
  return orb::override_policies(nullptr, policies, SET_OVERRIDE, orb::PolicyLevel::object)
      ->values();
}

/// A TimeBase::UtcT, as a program with TimeBase.idl makes it.
CORBA::Any utc(Fixture& fixture, TimeBase::TimeT time) {
  CORBA::TypeCodeFactory factory;
  const auto type = factory.create_struct_tc("IDL:omg.org/TimeBase/UtcT:1.0", "UtcT",
                                             {CORBA::StructMember("time", CORBA::_tc_ulonglong),
                                              CORBA::StructMember("inacclo", CORBA::_tc_ulong),
                                              CORBA::StructMember("inacchi", CORBA::_tc_ushort),
                                              CORBA::StructMember("tdf", CORBA::_tc_short)});
  const auto codec = initial<IOP::CodecFactory>(fixture.core(), "CodecFactory")
                         ->create_codec(IOP::Encoding(IOP::ENCODING_CDR_ENCAPS, 1, 2));
  std::vector<std::uint8_t> octets(24);
  octets[0] = 1;  // little-endian
  for (std::size_t index = 0; index < 8; ++index)
    octets[8 + index] = static_cast<std::uint8_t>(time >> (8 * index));
  return codec->decode_value(octets, type);
}

}  // namespace

TEST_CASE("times of the system clock count from 1582 in units of 100 ns") {
  CHECK(orb::units_since_1582(system_clock::time_point()) == 0x01b21dd213814000);
  CHECK(orb::units_since_1582(system_clock::time_point(1us)) == 0x01b21dd213814000 + 10);
  CHECK(orb::units_since_1582(system_clock::time_point(-1us)) == 0x01b21dd213814000 - 10);
}

TEST_CASE("an end time limits a call to the time that is left") {
  const auto limit = values_of({make_reply_end(system_clock::now() + 1h)}).time_limit();
  CHECK(limit > 59min);
  CHECK(limit <= 1h);
  const auto sending = values_of({make_request_end(system_clock::now() + 1h)}).send_limit();
  CHECK(sending > 59min);
  CHECK(sending <= 1h);
  CHECK(values_of({make_request_end(system_clock::now() + 1h)}).time_limit() == 0us);
}

TEST_CASE("the earlier of a relative and an absolute limit holds") {
  const auto end = make_reply_end(system_clock::now() + 1h);
  CHECK(values_of({end, make_timeout(1s)}).time_limit() == 1s);
  CHECK(values_of({end, make_timeout(2h)}).time_limit() <= 1h);
  CHECK(values_of({end, make_timeout(0s)}).time_limit() <= 1h);
  CHECK(values_of({end, make_timeout(0s)}).time_limit() > 59min);
}

TEST_CASE("a call that begins after its end time raises TIMEOUT and sends no request") {
  Fixture fixture;
  fixture.peer("peer", reply_with_long(5));
  CHECK(values_of({make_reply_end(system_clock::now() - 1h)}).time_limit() < 0us);
  const auto object = with_reply_end(fixture.object({"peer"}), system_clock::now() - 1h);
  CHECK_THROWS_AS((void)echo(object), CORBA::TIMEOUT);
  CHECK(fixture.counts("peer").sends == 0);
  CHECK(echo(fixture.object({"peer"})) == 5);  // from now on there is a connection
  const auto error = caught<CORBA::TIMEOUT>([&] { (void)echo(object); });
  CHECK(error.completed() == CORBA::COMPLETED_NO);
  CHECK(fixture.counts("peer").sends == 1);
}

TEST_CASE("create_policy makes end times from a TimeBase::UtcT") {
  Fixture fixture;
  const auto reply = IDL::traits<Messaging::ReplyEndTimePolicy>::narrow(
      fixture.core().create_policy(Messaging::REPLY_END_TIME_POLICY_TYPE, utc(fixture, 77)));
  REQUIRE(reply);
  CHECK(reply->end_time() == 77);
  const auto request = IDL::traits<Messaging::RequestEndTimePolicy>::narrow(
      fixture.core().create_policy(Messaging::REQUEST_END_TIME_POLICY_TYPE, utc(fixture, 78)));
  REQUIRE(request);
  CHECK(request->end_time() == 78);
  const auto error = caught<CORBA::PolicyError>([&] {
    (void)make_policy(fixture.core(), Messaging::REPLY_END_TIME_POLICY_TYPE, TimeBase::TimeT{77});
  });
  CHECK(error.reason() == CORBA::BAD_POLICY_TYPE);
}

TEST_CASE("create_policy makes a RebindPolicy, and refuses NO_RECONNECT and other numbers") {
  Fixture fixture;
  const auto rebind = IDL::traits<Messaging::RebindPolicy>::narrow(
      make_policy(fixture.core(), Messaging::REBIND_POLICY_TYPE, Messaging::NO_REBIND));
  REQUIRE(rebind);
  CHECK(rebind->rebind_mode() == Messaging::NO_REBIND);
  CHECK(*values_of({rebind}).no_rebind);
  const auto reason = [&](Messaging::RebindMode mode) {
    return caught<CORBA::PolicyError>(
               [&] { (void)make_policy(fixture.core(), Messaging::REBIND_POLICY_TYPE, mode); })
        .reason();
  };
  CHECK(reason(Messaging::NO_RECONNECT) == CORBA::UNSUPPORTED_POLICY_VALUE);
  CHECK(reason(3) == CORBA::BAD_POLICY_VALUE);
  CHECK(reason(-1) == CORBA::BAD_POLICY_VALUE);
}

TEST_CASE("create_policy refuses start times, and the exception says why") {
  Fixture fixture;
  for (const CORBA::PolicyType type :
       {Messaging::REQUEST_START_TIME_POLICY_TYPE, Messaging::REPLY_START_TIME_POLICY_TYPE}) {
    const auto error = caught<CORBA::PolicyError>(
        [&] { (void)fixture.core().create_policy(type, utc(fixture, 77)); });
    CHECK(error.reason() == CORBA::UNSUPPORTED_POLICY);
    CHECK(std::string(error.what()).find("limit it by an end time") != std::string::npos);
  }
}

}  // namespace perigee::test
