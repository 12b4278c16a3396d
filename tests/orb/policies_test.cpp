// The client's policies: levels, precedence, and policies that cannot be set.
#include "orb/policies.h"

#include "orb/fixture.h"
#include "orb/invocation/policy_contexts.h"
#include "support/allocations.h"
#include "support/fake_clock.h"
#include <perigee/orb/with_policies.h>

#include <doctest/doctest.h>

#include <span>
#include <thread>

namespace perigee::test {

namespace {

// A policy of a type that clients do not have, such as an adapter's policy.
class ForeignPolicy final : public CORBA::Policy {
 public:
  explicit ForeignPolicy(CORBA::PolicyType type) noexcept : type_(type) {}
  [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override { return type_; }
  [[nodiscard]] PolicyRef copy() const override {
    return PolicyRef(make_counted<ForeignPolicy>(type_));
  }

 private:
  CORBA::PolicyType type_;
};

constexpr CORBA::PolicyType lifespan_policy_type = 17;

PolicyRef foreign(CORBA::PolicyType type) { return PolicyRef(make_counted<ForeignPolicy>(type)); }

// The time-out of a call in microseconds; -1 without a policy.
std::int64_t effective(const ObjectRef& object) {
  using Policy = Messaging::RelativeRoundtripTimeoutPolicy;
  const auto policy =
      IDL::traits<Policy>::narrow(object->_get_policy(RELATIVE_RT_TIMEOUT_POLICY_TYPE));
  return policy ? static_cast<std::int64_t>(policy->relative_expiry() / 10) : -1;
}

class LocalThing : public CORBA::Object {};

}  // namespace

TEST_CASE("the contexts of a policy are passed to a collocated servant without an allocation") {
  Fixture fixture;
  const auto object = with_service_contexts(fixture.object({"peer"}), {{0x48000001, {1, 2}}});
  const auto call = orb::policy_context_hooks().begin(object->_reference(), ping_operation);
  REQUIRE(call != nullptr);
  std::span<const iop::ServiceContext> found;
  CHECK(allocations_of([&] { found = call->request_contexts({}); }).count == 0);
  REQUIRE(found.size() == 1);
  CHECK(found[0].id == 0x48000001);
  CHECK(found[0].data.size() == 2);
}

TEST_CASE("a reference's policy precedes the thread's policy, which precedes the ORB's policy") {
  Fixture fixture;
  orb::OrbCore& core = fixture.core();
  const auto object = fixture.object({"peer"});
  CHECK(effective(object) == -1);
  policy_manager(core)->set_policy_overrides({roundtrip(core, std::chrono::seconds(3))},
                                             SET_OVERRIDE);
  CHECK(effective(object) == 3'000'000);
  policy_current(core)->set_policy_overrides({roundtrip(core, std::chrono::seconds(2))},
                                             SET_OVERRIDE);
  CHECK(effective(object) == 2'000'000);
  CHECK(effective(limited(object, core, std::chrono::seconds(1))) == 1'000'000);
  policy_current(core)->set_policy_overrides({}, SET_OVERRIDE);
  CHECK(effective(object) == 3'000'000);
  policy_manager(core)->set_policy_overrides({}, SET_OVERRIDE);
  CHECK(effective(object) == -1);
}

TEST_CASE("setting policies of a reference returns a new reference and keeps the old reference") {
  Fixture fixture;
  fixture.peer("peer", reply_with_long(5));
  const auto object = fixture.object({"peer"});
  const auto with_limit = limited(object, fixture.core(), std::chrono::seconds(60));
  CHECK(object->_get_policy_overrides({}).empty());
  CHECK(with_limit->_get_policy_overrides({}).size() == 1);
  CHECK(with_limit->_is_equivalent(object));
  CHECK(echo(with_limit) == 5);
  const auto without = with_limit->_set_policy_overrides({}, SET_OVERRIDE);
  CHECK(without->_get_policy_overrides({}).empty());
}

TEST_CASE("a narrowed reference keeps its policies") {
  Fixture fixture;
  const auto with_limit =
      limited(fixture.object({"peer"}), fixture.core(), std::chrono::seconds(60));
  const auto narrowed = IDL::traits<CORBA::Object>::unchecked_narrow(with_limit);
  CHECK(effective(narrowed) == 60'000'000);
}

TEST_CASE("ADD_OVERRIDE replaces policies of the same type and keeps the other policies") {
  Fixture fixture;
  orb::OrbCore& core = fixture.core();
  const auto manager = policy_manager(core);
  const auto scope = make_policy(core, SYNC_SCOPE_POLICY_TYPE, Messaging::SYNC_WITH_TARGET);
  const auto limit = roundtrip(core, std::chrono::seconds(1));
  const auto other_limit = roundtrip(core, std::chrono::seconds(2));
  manager->set_policy_overrides({scope, limit}, SET_OVERRIDE);
  manager->set_policy_overrides({other_limit}, ADD_OVERRIDE);
  CHECK(manager->get_policy_overrides({}).size() == 2);
  CHECK(manager->get_policy_overrides({RELATIVE_RT_TIMEOUT_POLICY_TYPE}) ==
        CORBA::PolicyList{other_limit});
  CHECK(manager->get_policy_overrides({SYNC_SCOPE_POLICY_TYPE}) == CORBA::PolicyList{scope});
  CHECK(manager->get_policy_overrides({lifespan_policy_type}).empty());
  manager->set_policy_overrides({}, ADD_OVERRIDE);
  CHECK(manager->get_policy_overrides({}).size() == 2);
  manager->set_policy_overrides({limit}, SET_OVERRIDE);
  CHECK(manager->get_policy_overrides({}) == CORBA::PolicyList{limit});
}

TEST_CASE("each thread has policies of its own, and initially no policy") {
  Fixture fixture;
  orb::OrbCore& core = fixture.core();
  const auto object = fixture.object({"peer"});
  const auto current = policy_current(core);
  current->set_policy_overrides({roundtrip(core, std::chrono::seconds(1))}, SET_OVERRIDE);
  std::int64_t at_first = 0;
  std::int64_t then = 0;
  std::jthread([&] {
    at_first = effective(object);
    current->set_policy_overrides({roundtrip(core, std::chrono::seconds(2))}, SET_OVERRIDE);
    then = effective(object);
  }).join();
  CHECK(at_first == -1);
  CHECK(then == 2'000'000);
  CHECK(effective(object) == 1'000'000);
}

TEST_CASE("policies that a thread has set for one ORB do not affect another ORB") {
  Fixture fixture;
  Fixture other;
  policy_current(fixture.core())
      ->set_policy_overrides({roundtrip(fixture.core(), std::chrono::seconds(1))}, SET_OVERRIDE);
  CHECK(effective(fixture.object({"peer"})) == 1'000'000);
  CHECK(effective(other.object({"peer"})) == -1);
}

TEST_CASE("a policy that clients do not have cannot be set; the exception has its index") {
  Fixture fixture;
  const auto object = fixture.object({"peer"});
  const auto good = roundtrip(fixture.core(), std::chrono::seconds(1));
  const CORBA::PolicyList policies{good, foreign(lifespan_policy_type), nullptr,
                                   foreign(SYNC_SCOPE_POLICY_TYPE)};
  const std::vector<std::uint16_t> bad{1, 2, 3};
  const auto indices = [](auto&& set) { return caught<CORBA::InvalidPolicies>(set).indices(); };
  CHECK(indices([&] { (void)object->_set_policy_overrides(policies, SET_OVERRIDE); }) == bad);
  const auto manager = policy_manager(fixture.core());
  const auto current = policy_current(fixture.core());
  manager->set_policy_overrides({good}, SET_OVERRIDE);
  CHECK(indices([&] { manager->set_policy_overrides(policies, SET_OVERRIDE); }) == bad);
  CHECK(indices([&] { current->set_policy_overrides(policies, ADD_OVERRIDE); }) == bad);
  CHECK(manager->get_policy_overrides({}) == CORBA::PolicyList{good});
}

TEST_CASE("the text of the exception names each bad policy and the reason") {
  Fixture fixture;
  const auto manager = policy_manager(fixture.core());
  const auto set = caught<CORBA::InvalidPolicies>([&] {
    manager->set_policy_overrides({foreign(lifespan_policy_type), nullptr}, SET_OVERRIDE);
  });
  CHECK(
      std::string(set.what()) ==
      "IDL:omg.org/CORBA/InvalidPolicies:1.0: number 0, LifespanPolicy (type 17), is not a policy "
      "of calls; number 1, is nil");
  const auto text = [&](CORBA::PolicyType type, auto value) {
    const auto error =
        caught<CORBA::PolicyError>([&] { (void)make_policy(fixture.core(), type, value); });
    return std::string(error.what());
  };
  CHECK(text(RELATIVE_RT_TIMEOUT_POLICY_TYPE, std::int32_t{5}) ==
        "IDL:omg.org/CORBA/PolicyError:1.0 BAD_POLICY_TYPE: RelativeRoundtripTimeoutPolicy (type "
        "32): a TimeBase::TimeT is needed: an unsigned 64-bit number of units of 100 ns");
  CHECK(text(SYNC_SCOPE_POLICY_TYPE, std::int16_t{4}) ==
        "IDL:omg.org/CORBA/PolicyError:1.0 BAD_POLICY_VALUE: SyncScopePolicy (type 24): 4 is "
        "not a SyncScope; pass 0 (SYNC_NONE) to 3 (SYNC_WITH_TARGET)");
  CHECK(text(4711, std::int32_t{5}) ==
        "IDL:omg.org/CORBA/PolicyError:1.0 BAD_POLICY: policy type 4711 cannot be made from "
        "the value of an Any");
}

TEST_CASE("two policies of one type in a list raise BAD_PARAM, OMG minor 30") {
  Fixture fixture;
  const auto policy = roundtrip(fixture.core(), std::chrono::seconds(1));
  const auto exception = caught<CORBA::BAD_PARAM>([&] {
    (void)fixture.object({"peer"})->_set_policy_overrides({policy, policy}, SET_OVERRIDE);
  });
  CHECK(exception.minor() == (CORBA::OMGVMCID | 30));
}

TEST_CASE(
    "the effective policy of a type that clients do not have raises INV_POLICY, OMG minor 2") {
  Fixture fixture;
  const auto object = fixture.object({"peer"});
  const auto exception =
      caught<CORBA::INV_POLICY>([&] { (void)object->_get_client_policy(lifespan_policy_type); });
  CHECK(exception.minor() == (CORBA::OMGVMCID | 2));
}

TEST_CASE("local objects have no policies: NO_IMPLEMENT, OMG minor 8") {
  const ObjectRef local(make_counted<LocalThing>());
  CORBA::PolicyList inconsistent;
  const auto minor = [](auto&& use) { return caught<CORBA::NO_IMPLEMENT>(use).minor(); };
  CHECK(minor([&] { (void)local->_get_policy(RELATIVE_RT_TIMEOUT_POLICY_TYPE); }) ==
        (CORBA::OMGVMCID | 8));
  CHECK(minor([&] { (void)local->_set_policy_overrides({}, SET_OVERRIDE); }) ==
        (CORBA::OMGVMCID | 8));
  CHECK(minor([&] { (void)local->_get_policy_overrides({}); }) == (CORBA::OMGVMCID | 8));
  CHECK(minor([&] { (void)local->_validate_connection(inconsistent); }) == (CORBA::OMGVMCID | 8));
}

TEST_CASE("policies are made of values of their own type only") {
  Fixture fixture;
  orb::OrbCore& core = fixture.core();
  const auto reason = [&](CORBA::PolicyType type, auto value) {
    return caught<CORBA::PolicyError>([&] { (void)make_policy(core, type, value); }).reason();
  };
  CHECK(reason(RELATIVE_RT_TIMEOUT_POLICY_TYPE, std::int32_t{5}) == CORBA::BAD_POLICY_TYPE);
  CHECK(reason(SYNC_SCOPE_POLICY_TYPE, std::int32_t{2}) == CORBA::BAD_POLICY_TYPE);
  CHECK(reason(SYNC_SCOPE_POLICY_TYPE, std::int16_t{4}) == CORBA::BAD_POLICY_VALUE);
  CHECK(reason(4711, std::int32_t{5}) == CORBA::BAD_POLICY);
}

TEST_CASE("a policy's copy is another object with the same value") {
  Fixture fixture;
  const auto scope =
      make_policy(fixture.core(), SYNC_SCOPE_POLICY_TYPE, Messaging::SYNC_WITH_SERVER);
  const auto copy = IDL::traits<Messaging::SyncScopePolicy>::narrow(scope->copy());
  REQUIRE(copy);
  CHECK(copy->synchronization() == Messaging::SYNC_WITH_SERVER);
  CHECK(copy->policy_type() == SYNC_SCOPE_POLICY_TYPE);
  CHECK_FALSE(copy == scope);
}

TEST_CASE("PolicyCurrent is a PolicyManager and a Current") {
  Fixture fixture;
  const auto object = fixture.core().resolve_initial_reference("PolicyCurrent");
  CHECK(IDL::traits<CORBA::PolicyManager>::narrow(object));
  CHECK(IDL::traits<CORBA::Current>::narrow(object));
  CHECK(object->_is_a("IDL:omg.org/CORBA/PolicyCurrent:1.0"));
  CHECK(object->_is_a("IDL:omg.org/CORBA/PolicyManager:1.0"));
  CHECK(object->_is_a("IDL:omg.org/CORBA/Current:1.0"));
  CHECK_FALSE(IDL::traits<CORBA::Current>::narrow(
      fixture.core().resolve_initial_reference("ORBPolicyManager")));
}

TEST_CASE("validating a connection connects, and raises the same exceptions as a call") {
  Fixture fixture;
  fixture.peer("peer", reply_with(ReplyStatus::no_exception,
                                  [](cdr::Encoder& encoder) { encoder.write_boolean(false); }));
  fixture.peer("gone", reply_with(ReplyStatus::no_exception,
                                  [](cdr::Encoder& encoder) { encoder.write_boolean(true); }));
  CORBA::PolicyList inconsistent{foreign(lifespan_policy_type)};
  CHECK(fixture.object({"peer"})->_validate_connection(inconsistent));
  CHECK(inconsistent.empty());
  CHECK(fixture.counts("peer").connects == 1);
  CHECK_THROWS_AS((void)fixture.object({"gone"})->_validate_connection(inconsistent),
                  CORBA::OBJECT_NOT_EXIST);
  CHECK_THROWS_AS((void)fixture.object({"nobody"})->_validate_connection(inconsistent),
                  CORBA::TRANSIENT);
}

TEST_CASE(
    "the ConnectionTimeoutPolicy of the ORB, of the thread or of the reference limits connecting") {
  using std::chrono::milliseconds;
  orb::Settings settings;
  settings.connect_timeout = milliseconds(4000);
  Fixture fixture(settings);
  orb::OrbCore& core = fixture.core();
  const auto object = fixture.object({"peer"});  // the peer refuses, so each call connects
  const auto waits = [&](const ObjectRef& reference) {
    CHECK_THROWS_AS(ping(reference), CORBA::TRANSIENT);
    return fixture.counts("peer").connect_timeout_ms.load();
  };
  CHECK(waits(object) == 4000);
  policy_manager(core)->set_policy_overrides({connection_timeout(core, milliseconds(3000))},
                                             SET_OVERRIDE);
  CHECK(waits(object) == 3000);
  policy_current(core)->set_policy_overrides({connection_timeout(core, milliseconds(2000))},
                                             SET_OVERRIDE);
  CHECK(waits(object) == 2000);
  const auto quick = object->_set_policy_overrides(
      {connection_timeout(core, std::chrono::microseconds(999'500))}, SET_OVERRIDE);
  CHECK(waits(quick) == 1000);
  const auto patient =
      object->_set_policy_overrides({connection_timeout(core, milliseconds(0))}, SET_OVERRIDE);
  CHECK(waits(patient) == 0);
  policy_current(core)->set_policy_overrides({}, SET_OVERRIDE);
}

TEST_CASE("connecting takes at most the remaining time of the call") {
  using std::chrono::milliseconds;
  FakeClock clock;
  Fixture fixture({}, clock);
  const auto object = fixture.object({"peer"})->_set_policy_overrides(
      {roundtrip(fixture.core(), milliseconds(500)),
       connection_timeout(fixture.core(), milliseconds(700))},
      SET_OVERRIDE);
  CHECK_THROWS_AS(ping(object), CORBA::TRANSIENT);
  CHECK(fixture.counts("peer").connect_timeout_ms == 500);
}

TEST_CASE("a ConnectionTimeoutPolicy is made of a TimeT and returns it") {
  Fixture fixture;
  const auto policy = IDL::traits<ConnectionTimeoutPolicy>::narrow(
      connection_timeout(fixture.core(), std::chrono::microseconds(5)));
  REQUIRE(policy);
  CHECK(policy->relative_expiry() == 50);
  CHECK(policy->policy_type() == CONNECTION_TIMEOUT_POLICY_TYPE);
  CHECK(policy->copy()->policy_type() == CONNECTION_TIMEOUT_POLICY_TYPE);
  CHECK_THROWS_AS((void)make_policy(fixture.core(), CONNECTION_TIMEOUT_POLICY_TYPE, true),
                  CORBA::PolicyError);
}

}  // namespace perigee::test
