// Requests at the dispatcher: which servant they reach, and what clients get for exceptions.
#include "poa/fakes.h"
#include "poa/test_orb.h"

#include <random>

using namespace perigee;
using namespace perigee::test;
using PortableServer::IdAssignmentPolicyValue;
using PortableServer::LifespanPolicyValue;

namespace {

class NotDeclared final : public CORBA::UserException {
 public:
  [[nodiscard]] const char* _rep_id() const noexcept override { return "IDL:Test/Mine:1.0"; }
  [[nodiscard]] const char* _name() const noexcept override { return "Mine"; }
  [[noreturn]] void _raise() const override { throw *this; }
  void _encode(cdr::Encoder&) const override {}
};

std::uint32_t omg(std::uint32_t code) { return CORBA::OMGVMCID | code; }

/// The answer to "act" on a servant of an active Root POA.
struct Acted {
  explicit Acted(ActingServant::Action action) {
    orb.root()->the_POAManager()->activate();
    const auto reference = orb.root()->servant_to_reference(make_servant(std::move(action)));
    request.emplace(orb.key_of(reference));
    orb.dispatcher().dispatch(*request);
  }
  TestOrb orb;
  std::optional<FakeRequest> request;
};

TestOrb::PoaRef make_poa(const TestOrb& orb, LifespanPolicyValue lifespan,
                         IdAssignmentPolicyValue assignment) {
  const auto& root = orb.root();
  root->the_POAManager()->activate();
  return root->create_POA(
      "child", root->the_POAManager(),
      {root->create_lifespan_policy(lifespan), root->create_id_assignment_policy(assignment)});
}

}  // namespace

TEST_CASE("a request reaches the servant of its reference") {
  int calls = 0;
  const Acted acted([&calls](orb::ServerRequest&) { ++calls; });
  CHECK(acted.request->answer() == "reply");
  CHECK(calls == 1);
}

TEST_CASE("a system exception goes to the client as it was thrown") {
  const Acted acted(
      [](orb::ServerRequest&) { throw CORBA::NO_PERMISSION(5, CORBA::COMPLETED_NO); });
  CHECK(acted.request->answer() == "system NO_PERMISSION");
  CHECK(acted.request->minor() == 5);
}

TEST_CASE("a declared user exception goes to the client, an undeclared one becomes UNKNOWN") {
  static constexpr std::string_view raises[] = {"IDL:Test/Mine:1.0"};
  const Acted declared([](orb::ServerRequest& request) {
    request.set_raises(raises);
    throw NotDeclared();
  });
  CHECK(declared.request->answer() == "user IDL:Test/Mine:1.0");
  const Acted undeclared([](orb::ServerRequest&) { throw NotDeclared(); });
  CHECK(undeclared.request->answer() == "system UNKNOWN");
  CHECK(undeclared.request->minor() == omg(1));
}

TEST_CASE("anything else that a servant throws becomes UNKNOWN") {
  const Acted number([](orb::ServerRequest&) { throw 7; });
  CHECK(number.request->answer() == "system UNKNOWN");
  CHECK(number.request->completed() == CORBA::COMPLETED_MAYBE);
  const Acted standard([](orb::ServerRequest&) { throw std::runtime_error("no"); });
  CHECK(standard.request->answer() == "system UNKNOWN");
  const Acted memory([](orb::ServerRequest&) { throw std::bad_alloc(); });
  CHECK(memory.request->answer() == "system NO_MEMORY");
}

TEST_CASE("if a servant throws ForwardRequest, the reply has the reference of the exception") {
  TestOrb orb;
  orb.root()->the_POAManager()->activate();
  const auto target = orb.root()->servant_to_reference(make_servant());
  const auto forwarding = make_servant(
      [&target](orb::ServerRequest&) { throw PortableServer::ForwardRequest(target); });
  FakeRequest request(orb.key_of(orb.root()->servant_to_reference(forwarding)));
  orb.dispatcher().dispatch(request);
  CHECK(request.answer() == "forward");
  CHECK(request.forward() == target.get());
}

TEST_CASE("ForwardRequest with a nil reference is an exception") {
  const Acted acted([](orb::ServerRequest&) { throw PortableServer::ForwardRequest(); });
  CHECK(acted.request->answer() == "system INV_OBJREF");
}

TEST_CASE("a second reply is refused, and an exception after the first reply is dropped") {
  bool refused = false;
  const Acted acted([&refused](orb::ServerRequest& request) {
    request.reply(nullptr);
    try {
      request.reply(nullptr);
    } catch (const CORBA::BAD_INV_ORDER&) {
      refused = true;
    }
    throw std::runtime_error("too late");
  });
  CHECK(refused);
  CHECK(acted.request->answer() == "reply");
}

TEST_CASE("the servant executes the operations that every object has") {
  TestOrb orb;
  orb.root()->the_POAManager()->activate();
  const Octets key = orb.key_of(orb.root()->servant_to_reference(make_servant()));
  const auto answer_of = [&](const char* operation) {
    FakeRequest request(key, operation);
    orb.dispatcher().dispatch(request);
    return request.answer();
  };
  CHECK(answer_of("_non_existent") == "reply");
  CHECK(answer_of("_repository_id") == "reply");
  CHECK(answer_of("_component") == "reply");
  CHECK(answer_of("_interface") == "system INTF_REPOS");  // the ORB has no repository
  CHECK(answer_of("_is_a") == "system MARSHAL");          // its argument is missing
  CHECK(answer_of("jump") == "system BAD_OPERATION");
}

TEST_CASE("a deactivated object does not exist, and its key does not reach its successor") {
  TestOrb orb;
  orb.root()->the_POAManager()->activate();
  const auto servant = make_servant();
  const auto id = orb.root()->activate_object(servant);
  const Octets old_key = orb.key_of(orb.root()->id_to_reference(id));
  orb.root()->deactivate_object(id);
  const Octets new_key =
      orb.key_of(orb.root()->id_to_reference(orb.root()->activate_object(servant)));
  CHECK(old_key != new_key);
  FakeRequest old_request(old_key);
  orb.dispatcher().dispatch(old_request);
  CHECK(old_request.answer() == "system OBJECT_NOT_EXIST");
  FakeRequest question(old_key, "_non_existent");
  orb.dispatcher().dispatch(question);
  CHECK(question.answer() == "reply");  // TRUE
  FakeRequest new_request(new_key);
  orb.dispatcher().dispatch(new_request);
  CHECK(new_request.answer() == "reply");
}

TEST_CASE("an object that is activated again with its id is reached by its old references") {
  TestOrb orb;
  orb.root()->the_POAManager()->activate();
  const auto id = orb.root()->activate_object(make_servant());
  const Octets key = orb.key_of(orb.root()->id_to_reference(id));
  orb.root()->deactivate_object(id);
  (void)orb.root()->activate_object(make_servant());  // takes the slot of the deactivated object
  orb.root()->activate_object_with_id(id, make_servant());
  FakeRequest request(key);
  orb.dispatcher().dispatch(request);
  CHECK(request.answer() == "reply");
}

TEST_CASE("a reference made before the object was activated finds it by its id") {
  TestOrb orb;
  const auto poa = make_poa(orb, LifespanPolicyValue::TRANSIENT, IdAssignmentPolicyValue::USER_ID);
  const Octets key = orb.key_of(poa->create_reference_with_id({7}, "IDL:Test/Acting:1.0"));
  FakeRequest before(key);
  orb.dispatcher().dispatch(before);
  CHECK(before.answer() == "system OBJECT_NOT_EXIST");
  poa->activate_object_with_id({7}, make_servant());
  FakeRequest after(key);
  orb.dispatcher().dispatch(after);
  CHECK(after.answer() == "reply");
}

TEST_CASE("requests to a destroyed adapter find no adapter") {
  TestOrb orb;
  const auto poa =
      make_poa(orb, LifespanPolicyValue::TRANSIENT, IdAssignmentPolicyValue::SYSTEM_ID);
  const Octets key = orb.key_of(poa->id_to_reference(poa->activate_object(make_servant())));
  poa->destroy(true, true);
  FakeRequest request(key);
  orb.dispatcher().dispatch(request);
  CHECK(request.answer() == "system OBJECT_NOT_EXIST");
  CHECK(request.minor() == omg(2));
}

TEST_CASE("a transient key of another ORB instance leads to no object") {
  TestOrb one;
  TestOrb other;
  one.root()->the_POAManager()->activate();
  other.root()->the_POAManager()->activate();
  (void)other.root()->activate_object(make_servant());
  const auto id = one.root()->activate_object(make_servant());
  FakeRequest request(one.key_of(one.root()->id_to_reference(id)));
  other.dispatcher().dispatch(request);
  CHECK(request.answer() == "system OBJECT_NOT_EXIST");
  CHECK(request.minor() == omg(2));
}

TEST_CASE("a persistent key works in the next run of the server") {
  Octets key;
  {
    TestOrb first;
    const auto poa =
        make_poa(first, LifespanPolicyValue::PERSISTENT, IdAssignmentPolicyValue::USER_ID);
    key = first.key_of(poa->create_reference_with_id({1, 2}, "IDL:Test/Acting:1.0"));
  }
  TestOrb second;
  FakeRequest early(key);
  second.dispatcher().dispatch(early);
  CHECK(early.minor() == omg(2));  // no adapter yet
  const auto poa =
      make_poa(second, LifespanPolicyValue::PERSISTENT, IdAssignmentPolicyValue::USER_ID);
  FakeRequest inactive(key);
  second.dispatcher().dispatch(inactive);
  CHECK(inactive.answer() == "system OBJECT_NOT_EXIST");
  CHECK(second.dispatcher().locate(key).status == orb::Location::Status::unknown);
  poa->activate_object_with_id({1, 2}, make_servant());
  FakeRequest request(key);
  second.dispatcher().dispatch(request);
  CHECK(request.answer() == "reply");
  CHECK(second.dispatcher().locate(key).status == orb::Location::Status::here);
  poa->deactivate_object({1, 2});
  CHECK(second.dispatcher().locate(key).status == orb::Location::Status::unknown);
}

TEST_CASE("forged keys never reach a servant") {
  TestOrb orb;
  orb.root()->the_POAManager()->activate();
  int calls = 0;
  const auto servant = make_servant([&calls](orb::ServerRequest&) { ++calls; });
  const Octets key = orb.key_of(orb.root()->servant_to_reference(servant));
  std::mt19937 random(4711);
  for (int round = 0; round < 20'000; ++round) {
    Octets forged = key;
    forged[random() % forged.size()] ^= static_cast<std::byte>(1 + random() % 255);
    if (round % 4 == 0) forged.resize(random() % (2 * key.size()));
    if (forged == key) continue;
    FakeRequest request(forged);
    orb.dispatcher().dispatch(request);
    CHECK(request.answer() == "system OBJECT_NOT_EXIST");
    CHECK(orb.dispatcher().locate(forged).status == orb::Location::Status::unknown);
  }
  CHECK(calls == 0);
}

TEST_CASE("a key with an adapter and an object of another adapter leads to no object") {
  TestOrb orb;
  const auto poa =
      make_poa(orb, LifespanPolicyValue::TRANSIENT, IdAssignmentPolicyValue::SYSTEM_ID);
  const Octets key = orb.key_of(poa->id_to_reference(poa->activate_object(make_servant())));
  const Octets root_key =
      orb.key_of(orb.root()->id_to_reference(orb.root()->activate_object(make_servant())));
  Octets mixed = key;
  for (std::size_t index = 9; index < 17; ++index)  // the adapter's slot
    mixed[index] = root_key[index];
  FakeRequest request(mixed);
  orb.dispatcher().dispatch(request);
  CHECK(request.answer() == "system OBJECT_NOT_EXIST");
}

TEST_CASE("an upcall can ask for its POA, object id, reference and servant") {
  TestOrb orb;
  orb.root()->the_POAManager()->activate();
  const auto current = IDL::traits<PortableServer::Current>::narrow(
      orb.core().resolve_initial_reference("POACurrent"));
  REQUIRE(current);
  CHECK_THROWS_AS((void)current->get_object_id(), PortableServer::Current::NoContext);
  PortableServer::ObjectId id;
  bool poa_is_root = false;
  bool reference_is_mine = false;
  const auto servant = make_servant([&](orb::ServerRequest&) {
    id = current->get_object_id();
    poa_is_root = current->get_POA() == orb.root();
    const auto reference = current->get_reference();
    reference_is_mine = orb.root()->reference_to_id(reference) == id;
    CHECK(orb.root()->reference_to_servant(reference) == current->get_servant());
  });
  const auto expected = orb.root()->activate_object(servant);
  FakeRequest request(orb.key_of(orb.root()->id_to_reference(expected)));
  orb.dispatcher().dispatch(request);
  CHECK(request.answer() == "reply");
  CHECK(id == expected);
  CHECK(poa_is_root);
  CHECK(reference_is_mine);
}

TEST_CASE("_this is the object of the upcall, or outside of upcalls the servant's own object") {
  TestOrb orb;
  const auto poa = make_poa(orb, LifespanPolicyValue::TRANSIENT, IdAssignmentPolicyValue::USER_ID);
  PortableServer::Servant* self = nullptr;
  Octets inside;
  const auto servant = make_servant(
      [&](orb::ServerRequest&) { inside = orb.key_of(skeleton::reference_to_this(*self)); });
  self = servant.get();
  poa->activate_object_with_id({3}, servant);
  const Octets key = orb.key_of(poa->id_to_reference({3}));
  FakeRequest request(key);
  orb.dispatcher().dispatch(request);
  CHECK(inside == key);
  // Outside of upcalls the servant is activated in the Root POA, which is its default POA.
  const auto outside = skeleton::reference_to_this(*servant);
  CHECK(orb.root()->reference_to_servant(outside) == servant);
  CHECK(orb.key_of(skeleton::reference_to_this(*servant)) == orb.key_of(outside));
}

TEST_CASE("waiting for completion from within an upcall is refused") {
  TestOrb orb;
  orb.root()->the_POAManager()->activate();
  const auto servant = make_servant([&](orb::ServerRequest&) {
    CHECK_THROWS_AS(orb.root()->destroy(true, true), CORBA::BAD_INV_ORDER);
    CHECK_THROWS_AS(orb.root()->the_POAManager()->hold_requests(true), CORBA::BAD_INV_ORDER);
  });
  FakeRequest request(orb.key_of(orb.root()->servant_to_reference(servant)));
  orb.dispatcher().dispatch(request);
  CHECK(request.answer() == "reply");
}

TEST_CASE("a servant may deactivate itself and is released after the upcall") {
  TestOrb orb;
  orb.root()->the_POAManager()->activate();
  std::atomic<int> alive{0};
  PortableServer::ObjectId id;
  bool alive_inside = false;
  id = orb.root()->activate_object(make_servant(
      [&](orb::ServerRequest&) {
        orb.root()->deactivate_object(id);
        alive_inside = alive == 1;
      },
      &alive));
  FakeRequest request(orb.key_of(orb.root()->id_to_reference(id)));
  orb.dispatcher().dispatch(request);
  CHECK(request.answer() == "reply");
  CHECK(alive_inside);
  CHECK(alive == 0);
}

TEST_CASE("adapters have at most 255 adapters above them") {
  const TestOrb orb;
  auto deepest = orb.root();
  for (int depth = 0; depth < 255; ++depth)
    deepest = deepest->create_POA("a", orb.root()->the_POAManager(), {});
  CHECK_THROWS_AS(deepest->create_POA("a", orb.root()->the_POAManager(), {}), CORBA::BAD_PARAM);
  deepest->destroy(true, true);
}
