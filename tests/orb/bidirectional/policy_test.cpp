// BidirectionalPolicy: its creation, and its effects on servers and clients.
#include "orb/bidirectional/both_directions.h"
#include <perigee/orb/policy_manager.h>

using namespace perigee;
using namespace perigee::test;

namespace {

using BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE;
using BiDirPolicy::BidirectionalPolicy;
using enum CORBA::SetOverrideType;

BiDirPolicy::BidirectionalPolicyValue value_of(const PolicyRef& policy) {
  const auto narrowed = IDL::traits<BidirectionalPolicy>::narrow(policy);
  REQUIRE(narrowed);
  return narrowed->value();
}

}  // namespace

TEST_CASE("create_policy makes a BidirectionalPolicy of an unsigned short") {
  const TestOrb orb;
  const PolicyRef both = bidirectional_policy(orb.core(), BiDirPolicy::BOTH);
  CHECK(both->policy_type() == 37);
  CHECK(value_of(both) == BiDirPolicy::BOTH);
  CHECK(value_of(both->copy()) == BiDirPolicy::BOTH);
  CHECK(value_of(bidirectional_policy(orb.core(), BiDirPolicy::NORMAL)) == BiDirPolicy::NORMAL);
}

TEST_CASE("create_policy refuses other values and other types") {
  const TestOrb orb;
  CORBA::Any any;
  any <<= std::uint16_t{2};
  CHECK_THROWS_AS((void)orb.core().create_policy(BIDIRECTIONAL_POLICY_TYPE, any),
                  CORBA::PolicyError);
  any <<= std::uint32_t{1};
  CHECK_THROWS_AS((void)orb.core().create_policy(BIDIRECTIONAL_POLICY_TYPE, any),
                  CORBA::PolicyError);
}

TEST_CASE("the ORB's policy lets a server accept listen points") {
  const ThreadStrategy strategy = each_strategy();
  ServerFixture server(strategy);
  orb::OrbCore& core = server.orb.core();
  const auto manager =
      IDL::traits<CORBA::PolicyManager>::narrow(core.resolve_initial_reference("ORBPolicyManager"));
  manager->set_policy_overrides({bidirectional_policy(core, BiDirPolicy::BOTH)}, SET_OVERRIDE);
  const CalledBack client(offering(strategy));
  CHECK(act(client.see(server.object), 1) == 2);
  const ObjectRef callback = core.make_object(client.object->_reference()->ior());
  CHECK(act(callback, 1) == 2);
  CHECK(value_of(callback->_get_policy(BIDIRECTIONAL_POLICY_TYPE)) == BiDirPolicy::BOTH);
}

TEST_CASE("the policy of a reference lets a client offer its connection") {
  const ThreadStrategy strategy = each_strategy();
  ServerFixture server(accepting(strategy));
  orb::Settings settings = offering(strategy);
  settings.offer_bidirectional = false;
  const CalledBack client(settings);
  const ObjectRef served = client.see(server.object);
  const ObjectRef callback = server.orb.core().make_object(client.object->_reference()->ior());
  CHECK(act(served, 1) == 2);
  CHECK_THROWS_AS((void)act(callback, 1), CORBA::TRANSIENT);
  const ObjectRef both = served->_set_policy_overrides(
      {bidirectional_policy(client.orb.core(), BiDirPolicy::BOTH)}, SET_OVERRIDE);
  CHECK(act(both, 1) == 2);
  CHECK(act(callback, 1) == 2);
}
