// Adapters as users see them: trees, policies, activation, references.
#include "poa/fakes.h"
#include "poa/test_orb.h"
#include <perigee/poa/policies_any.h>

using namespace perigee;
using namespace perigee::test;
using PortableServer::IdAssignmentPolicyValue;
using PortableServer::IdUniquenessPolicyValue;
using PortableServer::ImplicitActivationPolicyValue;
using PortableServer::LifespanPolicyValue;
using PortableServer::ObjectId;
using PortableServer::POA;

namespace {

CORBA::PolicyList user_ids(POA& root) {
  return {root.create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID)};
}

CORBA::PolicyList persistent_user_ids(POA& root) {
  auto policies = user_ids(root);
  policies.push_back(root.create_lifespan_policy(LifespanPolicyValue::PERSISTENT));
  return policies;
}

}  // namespace

TEST_CASE("adapters form a tree of names") {
  const TestOrb orb;
  const auto child = orb.root()->create_POA("child", nullptr, {});
  const auto grandchild = child->create_POA("grandchild", nullptr, {});
  CHECK(orb.root()->the_name() == "RootPOA");
  CHECK(!orb.root()->the_parent());
  CHECK(child->the_name() == "child");
  CHECK(child->the_parent() == orb.root());
  CHECK(orb.root()->the_children().size() == 1);
  CHECK(child->find_POA("grandchild", false) == grandchild);
  CHECK_THROWS_AS(orb.root()->find_POA("grandchild", false), POA::AdapterNonExistent);
  CHECK_THROWS_AS(orb.root()->create_POA("child", nullptr, {}), POA::AdapterAlreadyExists);
}

TEST_CASE("a child shares the manager that it is given, else it gets its own manager") {
  const TestOrb orb;
  const auto manager = orb.root()->the_POAManager();
  CHECK(orb.root()->create_POA("shared", manager, {})->the_POAManager() == manager);
  CHECK(orb.root()->create_POA("own", nullptr, {})->the_POAManager() != manager);
}

TEST_CASE("a child cannot have a manager of another ORB") {
  const TestOrb orb;
  const TestOrb other;
  const auto manager = other.root()->the_POAManager();
  CHECK_THROWS_AS(orb.root()->create_POA("child", manager, {}), CORBA::BAD_PARAM);
  CHECK(orb.root()->the_children().empty());
}

TEST_CASE("the operations of a destroyed adapter fail, and its name is free") {
  const TestOrb orb;
  const auto child = orb.root()->create_POA("child", nullptr, {});
  const auto grandchild = child->create_POA("grandchild", nullptr, {});
  child->destroy(true, true);
  CHECK_THROWS_AS((void)child->the_name(), CORBA::OBJECT_NOT_EXIST);
  CHECK_THROWS_AS(child->activate_object(make_servant()), CORBA::OBJECT_NOT_EXIST);
  CHECK_THROWS_AS((void)grandchild->the_name(), CORBA::OBJECT_NOT_EXIST);
  CHECK_THROWS_AS(orb.root()->find_POA("child", false), POA::AdapterNonExistent);
  CHECK(orb.root()->create_POA("child", nullptr, {}) != child);
}

TEST_CASE("destroying an adapter releases its servants") {
  const TestOrb orb;
  std::atomic<int> alive{0};
  const auto child = orb.root()->create_POA("child", nullptr, persistent_user_ids(*orb.root()));
  child->activate_object_with_id({1}, make_servant(nullptr, &alive));
  CHECK(alive == 1);
  child->destroy(true, true);
  CHECK(alive == 0);
}

TEST_CASE(
    "incompatible policies are refused with the index of the policy that needs another policy") {
  const TestOrb orb;
  auto& root = *orb.root();
  using namespace PortableServer;
  const CORBA::PolicyList lists[] = {
      {root.create_lifespan_policy(LifespanPolicyValue::TRANSIENT),
       root.create_servant_retention_policy(ServantRetentionPolicyValue::NON_RETAIN)},
      {nullptr, root.create_lifespan_policy(LifespanPolicyValue::TRANSIENT)},
      {root.create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID),
       root.create_implicit_activation_policy(ImplicitActivationPolicyValue::IMPLICIT_ACTIVATION)},
      {root.create_request_processing_policy(RequestProcessingPolicyValue::USE_DEFAULT_SERVANT)},
      {root.create_servant_retention_policy(ServantRetentionPolicyValue::NON_RETAIN),
       root.create_request_processing_policy(RequestProcessingPolicyValue::USE_SERVANT_MANAGER),
       root.create_implicit_activation_policy(ImplicitActivationPolicyValue::IMPLICIT_ACTIVATION)},
  };
  const std::uint16_t expected[] = {1, 0, 1, 0, 2};
  for (std::size_t number = 0; number < std::size(lists); ++number) {
    try {
      (void)root.create_POA("child", nullptr, lists[number]);
      FAIL("accepted list ", number);
    } catch (const POA::InvalidPolicy& exception) {
      CHECK(exception.index() == expected[number]);
      CHECK(std::string(exception._rep_id()) == "IDL:omg.org/PortableServer/POA/InvalidPolicy:1.0");
    }
  }
}

TEST_CASE("a UNIQUE_ID adapter takes a servant once, a MULTIPLE_ID adapter many times") {
  const TestOrb orb;
  const auto servant = make_servant();
  (void)orb.root()->activate_object(servant);
  CHECK_THROWS_AS(orb.root()->activate_object(servant), POA::ServantAlreadyActive);
  const auto multiple = orb.root()->create_POA(
      "multiple", nullptr,
      {orb.root()->create_id_uniqueness_policy(IdUniquenessPolicyValue::MULTIPLE_ID)});
  CHECK(multiple->activate_object(servant) != multiple->activate_object(servant));
}

TEST_CASE("ids of the user lead to servants and references, and back") {
  const TestOrb orb;
  const auto poa = orb.root()->create_POA("users", nullptr, user_ids(*orb.root()));
  const auto id = PortableServer::string_to_ObjectId("account");
  const auto servant = make_servant();
  CHECK_THROWS_AS(poa->id_to_servant(id), POA::ObjectNotActive);
  CHECK_THROWS_AS(poa->activate_object(servant), POA::WrongPolicy);
  poa->activate_object_with_id(id, servant);
  CHECK_THROWS_AS(poa->activate_object_with_id(id, make_servant()), POA::ObjectAlreadyActive);
  CHECK(poa->id_to_servant(id) == servant);
  CHECK(poa->servant_to_id(servant) == id);
  const auto reference = poa->id_to_reference(id);
  CHECK(poa->reference_to_id(reference) == id);
  CHECK(poa->reference_to_servant(reference) == servant);
  CHECK(PortableServer::ObjectId_to_string(id) == "account");
  poa->deactivate_object(id);
  CHECK_THROWS_AS(poa->reference_to_servant(reference), POA::ObjectNotActive);
  CHECK_THROWS_AS(poa->deactivate_object(id), POA::ObjectNotActive);
  CHECK_THROWS_AS(poa->servant_to_id(servant), POA::ServantNotActive);
}

TEST_CASE("references made before and after the activation of an object are equivalent") {
  const TestOrb orb;
  const auto poa = orb.root()->create_POA("users", nullptr, user_ids(*orb.root()));
  const auto before = poa->create_reference_with_id({1}, "IDL:Test/Acting:1.0");
  poa->activate_object_with_id({1}, make_servant());
  const auto active = poa->id_to_reference({1});
  poa->deactivate_object({1});
  poa->activate_object_with_id({2}, make_servant());  // takes the slot of object 1
  poa->activate_object_with_id({1}, make_servant());
  const auto again = poa->id_to_reference({1});
  CHECK(before->_is_equivalent(active));
  CHECK(before->_is_equivalent(again));
  CHECK(before->_hash(1u << 20) == again->_hash(1u << 20));
  CHECK(!before->_is_equivalent(poa->id_to_reference({2})));
}

TEST_CASE("a reference of another adapter raises WrongAdapter") {
  const TestOrb orb;
  const auto poa = orb.root()->create_POA("users", nullptr, user_ids(*orb.root()));
  const auto other = orb.root()->create_POA("others", nullptr, user_ids(*orb.root()));
  poa->activate_object_with_id({1}, make_servant());
  const auto reference = poa->id_to_reference({1});
  CHECK_THROWS_AS(other->reference_to_id(reference), POA::WrongAdapter);
  CHECK_THROWS_AS(orb.root()->reference_to_id(reference), POA::WrongAdapter);
}

TEST_CASE("the Root POA activates implicitly, other adapters only with the policy") {
  const TestOrb orb;
  const auto servant = make_servant();
  const auto id = orb.root()->servant_to_id(servant);
  CHECK(orb.root()->servant_to_id(servant) == id);
  CHECK(orb.root()->id_to_servant(id) == servant);
  const auto explicit_only = orb.root()->create_POA("explicit", nullptr, {});
  CHECK_THROWS_AS(explicit_only->servant_to_id(make_servant()), POA::ServantNotActive);
}

TEST_CASE("an adapter with system ids accepts only ids that it has assigned") {
  const TestOrb orb;
  CHECK_THROWS_AS(orb.root()->activate_object_with_id({1, 2, 3}, make_servant()), CORBA::BAD_PARAM);
  const auto reference = orb.root()->create_reference("IDL:Test/Acting:1.0");
  const auto id = orb.root()->reference_to_id(reference);
  const auto servant = make_servant();
  orb.root()->activate_object_with_id(id, servant);
  CHECK(orb.root()->reference_to_servant(reference) == servant);
}

// CORBA 3.0, 11.3.8.17: deactivate_object does not demand that the system has assigned the id.
TEST_CASE("an adapter with system ids has no active object for an id that it did not assign") {
  const TestOrb orb;
  for (const ObjectId& id : {ObjectId(), ObjectId{1, 2, 3}, ObjectId(8, 0), ObjectId(8, 7),
                             ObjectId(12, 1), ObjectId(200, 9)}) {
    CHECK_THROWS_AS(orb.root()->deactivate_object(id), POA::ObjectNotActive);
    CHECK_THROWS_AS((void)orb.root()->id_to_servant(id), POA::ObjectNotActive);
    CHECK_THROWS_AS((void)orb.root()->id_to_reference(id), POA::ObjectNotActive);
  }
}

TEST_CASE("a nil servant raises BAD_PARAM, and a nil reference INV_OBJREF") {
  const TestOrb orb;
  const POA::ServantRef nil;
  const auto users = orb.root()->create_POA("users", nullptr, user_ids(*orb.root()));
  CHECK_THROWS_AS((void)orb.root()->activate_object(nil), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(users->activate_object_with_id({1}, nil), CORBA::BAD_PARAM);
  for (const auto& poa : {orb.root(), users}) {
    CHECK_THROWS_AS((void)poa->servant_to_id(nil), CORBA::BAD_PARAM);
    CHECK_THROWS_AS((void)poa->servant_to_reference(nil), CORBA::BAD_PARAM);
    CHECK_THROWS_AS((void)poa->reference_to_id(nullptr), CORBA::INV_OBJREF);
    CHECK_THROWS_AS((void)poa->reference_to_servant(nullptr), CORBA::INV_OBJREF);
  }
}

TEST_CASE("the adapter does not assign an id that another object already has") {
  TestOrb orb;
  const auto root = orb.root();
  PortableServer::ObjectId id = root->activate_object(make_servant());
  id[3] = static_cast<std::uint8_t>(id[3] + 2);  // the id of the slot after the next
  root->activate_object_with_id(id, make_servant());
  CHECK_THROWS_AS(root->activate_object(make_servant()), CORBA::OBJ_ADAPTER);
  const auto next = root->activate_object(make_servant());
  CHECK(next != id);
  CHECK(root->id_to_servant(next) != root->id_to_servant(id));
  root->destroy(false, true);
}

TEST_CASE("references carry the type of the servant, or the type that the caller gives") {
  const TestOrb orb;
  const auto reference = orb.root()->servant_to_reference(make_servant());
  CHECK(reference->_reference()->ior().type_id == "IDL:Test/Acting:1.0");
  const auto other = orb.root()->create_reference("IDL:Test/Other:1.0");
  CHECK(other->_reference()->ior().type_id == "IDL:Test/Other:1.0");
}

TEST_CASE("an id with a NUL cannot become a string") {
  CHECK_THROWS_AS(PortableServer::ObjectId_to_string({'a', 0}), CORBA::BAD_PARAM);
}

TEST_CASE("a local object is narrowed only to interfaces that it implements") {
  const TestOrb orb;
  const CORBA::object_reference<CORBA::Object> object = orb.root();
  CHECK(IDL::traits<POA>::narrow(object) == orb.root());
  CHECK(!IDL::traits<PortableServer::POAManager>::narrow(object));
  CHECK(object->_is_a("IDL:omg.org/PortableServer/POA:2.3"));
}

TEST_CASE("RootPOA resolves to a new Root POA after the old Root POA was destroyed") {
  const TestOrb orb;
  orb.root()->destroy(true, true);
  const auto again = IDL::traits<POA>::narrow(orb.core().resolve_initial_reference("RootPOA"));
  REQUIRE(again);
  CHECK(again != orb.root());
  CHECK(again->the_name() == "RootPOA");
}

TEST_CASE("create_policy makes the POA's policies from their values in an Any") {
  const TestOrb orb;
  CORBA::ORB face(orb.core().shared_from_this());
  CORBA::Any value;
  value <<= LifespanPolicyValue::PERSISTENT;
  const auto policy = face.create_policy(PortableServer::LIFESPAN_POLICY_ID, value);
  const auto lifespan = IDL::traits<PortableServer::LifespanPolicy>::narrow(policy);
  REQUIRE(lifespan);
  CHECK(lifespan->value() == LifespanPolicyValue::PERSISTENT);
  CHECK(orb.root()->create_POA("persistent", nullptr, {policy}));
}

TEST_CASE("create_policy gives the reason of its failure") {
  const TestOrb orb;
  CORBA::ORB face(orb.core().shared_from_this());
  const auto reason = [&face](CORBA::PolicyType type, const CORBA::Any& value) {
    try {
      (void)face.create_policy(type, value);
    } catch (const CORBA::PolicyError& error) {
      return error.reason();
    }
    return CORBA::PolicyErrorCode{-1};
  };
  CORBA::Any value;
  value <<= LifespanPolicyValue::PERSISTENT;
  CHECK(reason(4711, value) == CORBA::BAD_POLICY);
  CHECK(reason(PortableServer::THREAD_POLICY_ID, value) == CORBA::BAD_POLICY_TYPE);
  CHECK(reason(PortableServer::THREAD_POLICY_ID, CORBA::Any()) == CORBA::BAD_POLICY_TYPE);
}
