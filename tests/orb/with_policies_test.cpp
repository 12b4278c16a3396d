// Policies made of C++ values: the references that have them, the rounding of times, bad values.
#include "orb/fixture.h"
#include "orb/policies.h"
#include <perigee/orb/bidirectional_policy.h>
#include <perigee/orb/buffering_policy.h>
#include <perigee/orb/link_size_policy.h>
#include <perigee/orb/with_policies.h>

#include <doctest/doctest.h>

#include <chrono>
#include <concepts>
#include <limits>
#include <string>

namespace perigee::test {

namespace {

using namespace std::chrono_literals;

/// A stub as `perigee-idl` generates it.
class Account final : public CORBA::Object {
 public:
  using _ref_type = CORBA::object_reference<Account>;
  using CORBA::Object::Object;
};
using AccountRef = CORBA::object_reference<Account>;

class LocalAccount final : public CORBA::LocalObject {};

AccountRef account(Fixture& fixture) {
  return AccountRef(make_counted<Account>(fixture.object({"peer"})->_reference()));
}

/// The policy of this class that a call through the reference obeys.
template <typename Policy, typename T>
CORBA::object_reference<Policy> policy(const CORBA::object_reference<T>& object,
                                       CORBA::PolicyType type) {
  const auto found = IDL::traits<Policy>::narrow(object->_get_policy(type));
  REQUIRE(found);
  return found;
}

template <typename T>
TimeBase::TimeT timeout(const CORBA::object_reference<T>& object) {
  using Policy = Messaging::RelativeRoundtripTimeoutPolicy;
  return policy<Policy>(object, RELATIVE_RT_TIMEOUT_POLICY_TYPE)->relative_expiry();
}

TimeBase::TimeT units(PolicyTime time) { return time.units_of_100_ns(); }

template <typename Time>
std::string refusal(Time time) {
  return caught<CORBA::BAD_PARAM>([&] { (void)PolicyTime(time); }).detail();
}

}  // namespace

TEST_CASE("with_timeout gives a reference of the same interface, and keeps the old reference") {
  Fixture fixture;
  const AccountRef object = account(fixture);
  const auto quick = with_timeout(object, 500ms);
  static_assert(std::same_as<decltype(quick), const AccountRef>);
  CHECK(timeout(quick) == 5'000'000);
  CHECK(quick->_is_equivalent(object));
  CHECK(object->_get_policy_overrides({}).empty());
}

TEST_CASE("with_timeout replaces the time limit, and keeps the other policies of the reference") {
  Fixture fixture;
  const AccountRef object = with_sync_scope(account(fixture), Messaging::SYNC_WITH_SERVER);
  const AccountRef changed = with_timeout(with_timeout(object, 1s), 2s);
  CHECK(timeout(changed) == 20'000'000);
  CHECK(changed->_get_policy_overrides({}).size() == 2);
}

TEST_CASE("a call through a reference of with_timeout raises TIMEOUT if no reply comes") {
  Fixture fixture;
  fixture.peer("peer", {});
  CHECK_THROWS_AS(ping(with_timeout(fixture.object({"peer"}), 1ms)), CORBA::TIMEOUT);
}

TEST_CASE("each function sets its policy on the reference") {
  Fixture fixture;
  const AccountRef object = account(fixture);
  using Messaging::RELATIVE_REQ_TIMEOUT_POLICY_TYPE;
  CHECK(policy<Messaging::RelativeRequestTimeoutPolicy>(with_request_timeout(object, 3us),
                                                        RELATIVE_REQ_TIMEOUT_POLICY_TYPE)
            ->relative_expiry() == 30);
  CHECK(policy<ConnectionTimeoutPolicy>(with_connection_timeout(object, 2min),
                                        CONNECTION_TIMEOUT_POLICY_TYPE)
            ->relative_expiry() == 1'200'000'000);
  CHECK(policy<Messaging::SyncScopePolicy>(with_sync_scope(object, Messaging::SYNC_WITH_TARGET),
                                           SYNC_SCOPE_POLICY_TYPE)
            ->synchronization() == Messaging::SYNC_WITH_TARGET);
  CHECK(policy<LinkSizePolicy>(with_link_size_min(object, 100), LINK_SIZE_POLICY_TYPE)
            ->link_size_min() == 100);
  CHECK(policy<LinkSizePolicy>(with_link_size_min(object, 0), LINK_SIZE_POLICY_TYPE)
            ->link_size_min() == 1);
  CHECK(policy<BiDirPolicy::BidirectionalPolicy>(with_bidirectional(object),
                                                 BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE)
            ->value() == BiDirPolicy::BOTH);
}

TEST_CASE("buffered oneways have SYNC_NONE and the limits of their buffer") {
  Fixture fixture;
  const auto limits = [](const AccountRef& object) {
    CHECK(policy<Messaging::SyncScopePolicy>(object, SYNC_SCOPE_POLICY_TYPE)->synchronization() ==
          Messaging::SYNC_NONE);
    return policy<BufferingConstraintPolicy>(object, BUFFERING_CONSTRAINT_POLICY_TYPE)
        ->buffering_constraint();
  };
  const BufferingConstraint standard;
  const BufferingConstraint without = limits(with_buffered_oneways(account(fixture)));
  CHECK(without.message_count == standard.message_count);
  CHECK(without.message_bytes == standard.message_bytes);
  CHECK(without.timeout == standard.timeout);
  const BufferingConstraint chosen = limits(with_buffered_oneways(
      account(fixture), {.message_count = 7, .message_bytes = 512, .time = 20ms}));
  CHECK(chosen.message_count == 7);
  CHECK(chosen.message_bytes == 512);
  CHECK(chosen.timeout == 200'000);
}

TEST_CASE("a policy that is made of a C++ value can be set for the ORB") {
  Fixture fixture;
  policy_manager(fixture.core())->set_policy_overrides({make_timeout(30ms)}, SET_OVERRIDE);
  CHECK(timeout(fixture.object({"peer"})) == 300'000);
}

TEST_CASE("times are rounded up to 100 ns, so that a positive time is never zero") {
  using PicoSeconds = std::chrono::duration<std::int64_t, std::pico>;
  CHECK(units(0ms) == 0);
  CHECK(units(PicoSeconds(1)) == 1);
  CHECK(units(1ns) == 1);
  CHECK(units(100ns) == 1);
  CHECK(units(101ns) == 2);
  CHECK(units(std::chrono::duration<double>(0.25)) == 2'500'000);
  CHECK(units(std::chrono::duration<double, std::nano>(0.5)) == 1);
  CHECK(units(std::chrono::duration<int, std::ratio<1, 3>>(1)) == 3'333'334);
}

TEST_CASE("a time that is too long for the clock counts as no limit") {
  Fixture fixture;
  fixture.peer("peer", reply_with_long(5));
  for (const PolicyTime time :
       {PolicyTime(std::chrono::hours::max()), PolicyTime(std::chrono::nanoseconds::max()),
        PolicyTime(std::chrono::duration<double>(std::numeric_limits<double>::infinity()))}) {
    CHECK(units(time) > TimeBase::TimeT{1} << 56);  // more than 200 years
    CHECK(echo(with_timeout(fixture.object({"peer"}), time)) == 5);
  }
}

TEST_CASE("a negative time raises BAD_PARAM, and the text has the time") {
  CHECK(refusal(-5ms) == "the time of a policy is negative: -5 ms; pass zero (no limit) or more");
  CHECK(refusal(std::chrono::duration<double, std::micro>(-0.5)) ==
        "the time of a policy is negative: -0.0005 ms; pass zero (no limit) or more");
  CHECK(refusal(std::chrono::hours::min()).starts_with("the time of a policy is negative: -33204"));
  CHECK(refusal(std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN())) ==
        "the time of a policy is not a number; pass zero (no limit) or more");
}

TEST_CASE("a number that is not a SyncScope raises BAD_PARAM, and the text has the number") {
  for (const auto scope : {Messaging::SyncScope{-1}, Messaging::SyncScope{4}})
    CHECK(caught<CORBA::BAD_PARAM>([&] { (void)make_sync_scope(scope); }).detail() ==
          std::to_string(scope) +
              " is not a SyncScope; pass 0 (SYNC_NONE) to 3 (SYNC_WITH_TARGET)");
}

TEST_CASE(
    "only references to stubs get policies: nil raises INV_OBJREF, local types do not compile") {
  CHECK_THROWS_AS((void)with_timeout(AccountRef(), 1s), CORBA::INV_OBJREF);
  static_assert(StubWithPolicies<Account>);
  static_assert(StubWithPolicies<CORBA::Object>);
  static_assert(!StubWithPolicies<LocalAccount>);
  const ObjectRef local(make_counted<LocalAccount>());
  CHECK_THROWS_AS((void)with_timeout(local, 1s), CORBA::NO_IMPLEMENT);
}

TEST_CASE("with_policies sets any policies, but not two policies of one type") {
  Fixture fixture;
  const AccountRef changed = with_policies(
      account(fixture), {make_timeout(1s), make_sync_scope(Messaging::SYNC_WITH_SERVER)});
  CHECK(changed->_get_policy_overrides({}).size() == 2);
  CHECK_THROWS_AS((void)with_policies(account(fixture), {make_timeout(1s), make_timeout(2s)}),
                  CORBA::BAD_PARAM);
}

}  // namespace perigee::test
