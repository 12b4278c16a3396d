// Default servants: one servant for all objects that are not active. CORBA 3.0, 11.2.6 and 11.3.8.
#include "poa/fakes.h"
#include "poa/test_orb.h"

using namespace perigee;
using namespace perigee::test;
using namespace PortableServer;

namespace {

CORBA::PolicyList default_servant_policies(
    POA& root, ServantRetentionPolicyValue retention = ServantRetentionPolicyValue::RETAIN) {
  return {root.create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID),
          root.create_id_uniqueness_policy(IdUniquenessPolicyValue::MULTIPLE_ID),
          root.create_servant_retention_policy(retention),
          root.create_request_processing_policy(RequestProcessingPolicyValue::USE_DEFAULT_SERVANT)};
}

struct Fixture {
  explicit Fixture(ServantRetentionPolicyValue retention = ServantRetentionPolicyValue::RETAIN)
      : current(IDL::traits<Current>::narrow(orb.core().resolve_initial_reference("POACurrent"))) {
    orb.root()->the_POAManager()->activate();
    poa = orb.root()->create_POA("defaults", orb.root()->the_POAManager(),
                                 default_servant_policies(*orb.root(), retention));
  }
  Octets key_of(const ObjectId& id) {
    return orb.key_of(poa->create_reference_with_id(id, "IDL:Test/Acting:1.0"));
  }
  std::string ask(const ObjectId& id) {
    FakeRequest request(key_of(id));
    orb.dispatcher().dispatch(request);
    minor = request.minor();
    return request.answer();
  }
  TestOrb orb;
  CORBA::object_reference<Current> current;
  TestOrb::PoaRef poa;
  std::uint32_t minor = 0;
};

}  // namespace

TEST_CASE("the default servant serves every object, and can ask for the object's id") {
  Fixture f(ServantRetentionPolicyValue::NON_RETAIN);
  std::vector<ObjectId> asked;
  f.poa->set_servant(
      make_servant([&](orb::ServerRequest&) { asked.push_back(f.current->get_object_id()); }));
  CHECK(f.ask({1}) == "reply");
  CHECK(f.ask({2, 3}) == "reply");
  CHECK(asked == std::vector<ObjectId>{{1}, {2, 3}});
  CHECK(f.orb.dispatcher().locate(f.key_of({9})).status == orb::Location::Status::here);
}

TEST_CASE("an active object is served by its own servant") {
  Fixture f;
  int defaults = 0;
  int own = 0;
  f.poa->set_servant(make_servant([&](orb::ServerRequest&) { ++defaults; }));
  f.poa->activate_object_with_id({1}, make_servant([&](orb::ServerRequest&) { ++own; }));
  CHECK(f.ask({1}) == "reply");
  CHECK(f.ask({2}) == "reply");
  CHECK(own == 1);
  CHECK(defaults == 1);
}

TEST_CASE("without a default servant the client gets OBJ_ADAPTER") {
  Fixture f;
  CHECK_THROWS_AS((void)f.poa->get_servant(), POA::NoServant);
  CHECK(f.ask({1}) == "system OBJ_ADAPTER");
  CHECK(f.minor == (CORBA::OMGVMCID | 3));
}

TEST_CASE("ids and references lead to the default servant if nothing else is active") {
  Fixture f;
  const auto servant = make_servant();
  CHECK_THROWS_AS((void)f.poa->id_to_servant({1}), POA::ObjectNotActive);
  f.poa->set_servant(servant);
  CHECK(f.poa->get_servant() == servant);
  CHECK(f.poa->id_to_servant({1}) == servant);
  CHECK(f.poa->reference_to_servant(f.poa->create_reference_with_id({1}, "")) == servant);
  CHECK_THROWS_AS((void)f.poa->id_to_reference({1}), POA::ObjectNotActive);
  CHECK_THROWS_AS((void)f.poa->servant_to_id(servant), POA::ServantNotActive);
}

TEST_CASE("in an upcall the default servant has the id of the request") {
  Fixture f(ServantRetentionPolicyValue::NON_RETAIN);
  ObjectId id;
  ObjectId through_reference;
  CORBA::servant_reference<Servant> self;
  self = make_servant([&](orb::ServerRequest&) {
    id = f.poa->servant_to_id(self);
    through_reference = f.poa->reference_to_id(f.poa->servant_to_reference(self));
  });
  f.poa->set_servant(self);
  CHECK(f.ask({7}) == "reply");
  CHECK(id == ObjectId{7});
  CHECK(through_reference == ObjectId{7});
  self.reset();
}

TEST_CASE("operations that need RETAIN raise WrongPolicy without it") {
  Fixture f(ServantRetentionPolicyValue::NON_RETAIN);
  CHECK_THROWS_AS(f.poa->activate_object_with_id({1}, make_servant()), POA::WrongPolicy);
  CHECK_THROWS_AS(f.poa->deactivate_object({1}), POA::WrongPolicy);
  CHECK_THROWS_AS((void)f.poa->id_to_reference({1}), POA::WrongPolicy);
  CHECK_THROWS_AS((void)f.orb.root()->get_servant(), POA::WrongPolicy);
  CHECK_THROWS_AS(f.orb.root()->set_servant(make_servant()), POA::WrongPolicy);
}

TEST_CASE("a destroyed adapter releases its default servant") {
  Fixture f;
  std::atomic<int> alive{0};
  f.poa->set_servant(make_servant(nullptr, &alive));
  f.poa->destroy(false, true);
  CHECK(alive == 0);
}
