// Adapter activators: adapters made when requests or find_POA need them. CORBA 3.0, 11.3.3.
#include "poa/fakes.h"
#include "poa/test_orb.h"

#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::test;
using namespace PortableServer;
using PoaRef = CORBA::object_reference<POA>;

namespace {

CORBA::PolicyList persistent(POA& root) {
  return {root.create_lifespan_policy(LifespanPolicyValue::PERSISTENT),
          root.create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID)};
}

/// Makes any adapter down to "leaf", with one object {1} in it.
class Activator final : public IDL::traits<AdapterActivator>::base_type {
 public:
  bool unknown_adapter(PoaRef parent, const std::string& name) override {
    asked.push_back(name);
    if (act) return act(parent, name);
    const auto child = parent->create_POA(name, manager, persistent(*parent));
    child->the_activator(self.lock());
    if (name == "leaf") child->activate_object_with_id({1}, make_servant());
    return true;
  }
  std::function<bool(const PoaRef&, const std::string&)> act;
  std::vector<std::string> asked;
  CORBA::object_reference<POAManager> manager;
  CORBA::weak_reference<AdapterActivator> self;
};

struct Fixture {
  Fixture() {
    activator->manager = orb.root()->the_POAManager();
    activator->self = CORBA::object_reference<AdapterActivator>(activator);
    orb.root()->the_POAManager()->activate();
    orb.root()->the_activator(activator);
  }
  /// A key that an earlier life of the server made.
  Octets leaf_key() {
    const TestOrb earlier;
    const auto middle = earlier.root()->create_POA("middle", nullptr, persistent(*earlier.root()));
    const auto leaf = middle->create_POA("leaf", nullptr, persistent(*earlier.root()));
    return earlier.key_of(leaf->create_reference_with_id({1}, "IDL:Test/Acting:1.0"));
  }
  FakeRequest ask(const Octets& key) {
    FakeRequest request(key);
    orb.dispatcher().dispatch(request);
    return request;
  }
  TestOrb orb;
  CORBA::object_reference<Activator> activator = CORBA::make_reference<Activator>();
};

}  // namespace

TEST_CASE("a request makes the adapters on its way, outermost first") {
  Fixture f;
  const Octets key = f.leaf_key();
  CHECK(f.ask(key).answer() == "reply");
  CHECK(f.activator->asked == std::vector<std::string>{"middle", "leaf"});
  CHECK(f.ask(key).answer() == "reply");
  CHECK(f.activator->asked.size() == 2);
}

TEST_CASE("concurrent requests for a missing adapter make it once, and find its objects") {
  Fixture f;
  const Octets key = f.leaf_key();
  constexpr int rounds = 50;
  std::atomic<int> replies{0};
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::thread> threads;
    for (int number = 0; number < 6; ++number)
      threads.emplace_back([&] {
        if (f.ask(key).answer() == "reply") ++replies;
      });
    for (std::thread& thread : threads) thread.join();
    f.orb.root()->find_POA("middle", false)->destroy(true, true);
  }
  CHECK(replies == 6 * rounds);
  CHECK(f.activator->asked.size() == 2 * rounds);
}

TEST_CASE("an activator that declines leaves the client with OBJECT_NOT_EXIST") {
  Fixture f;
  const Octets key = f.leaf_key();
  f.activator->act = [](const PoaRef&, const std::string&) { return false; };
  CHECK(f.ask(key).answer() == "system OBJECT_NOT_EXIST");
  CHECK(f.ask(key).minor() == (CORBA::OMGVMCID | 2));
  f.activator->act = [](const PoaRef&, const std::string&) { return true; };  // it lies
  CHECK(f.ask(key).answer() == "system OBJECT_NOT_EXIST");
}

TEST_CASE("a request whose adapter activator fails raises OBJ_ADAPTER") {
  Fixture f;
  f.activator->act = [](const PoaRef&, const std::string&) -> bool { throw CORBA::NO_MEMORY(); };
  const FakeRequest request = f.ask(f.leaf_key());
  CHECK(request.answer() == "system OBJ_ADAPTER");
  CHECK(request.minor() == (CORBA::OMGVMCID | 1));
  CHECK_THROWS_AS(f.orb.root()->find_POA("middle", true), CORBA::OBJ_ADAPTER);
}

TEST_CASE("a request that is nested in the creation of its own adapter gets TRANSIENT") {
  Fixture f;
  const Octets key = f.leaf_key();
  std::string nested;
  f.activator->act = [&](const PoaRef&, const std::string&) {
    nested = f.ask(key).answer();
    return false;
  };
  CHECK(f.ask(key).answer() == "system OBJECT_NOT_EXIST");
  CHECK(nested == "system TRANSIENT");
}

TEST_CASE("find_POA calls the activator if activate_it is true") {
  Fixture f;
  CHECK_THROWS_AS(f.orb.root()->find_POA("middle", false), POA::AdapterNonExistent);
  CHECK(f.activator->asked.empty());
  const auto middle = f.orb.root()->find_POA("middle", true);
  CHECK(middle->the_name() == "middle");
  CHECK((f.orb.root()->the_activator() == f.activator));
  f.orb.root()->the_activator(nullptr);
  CHECK_THROWS_AS(f.orb.root()->find_POA("other", true), POA::AdapterNonExistent);
}

TEST_CASE("no adapter is made while the parent's manager does not let requests pass") {
  Fixture f;
  const Octets key = f.leaf_key();
  f.orb.root()->the_POAManager()->discard_requests(false);
  CHECK(f.ask(key).answer() == "system TRANSIENT");
  CHECK(f.activator->asked.empty());
}

TEST_CASE("a destroyed adapter is made again by the next request") {
  Fixture f;
  const Octets key = f.leaf_key();
  CHECK(f.ask(key).answer() == "reply");
  f.orb.root()->find_POA("middle", false)->destroy(true, true);
  CHECK(f.ask(key).answer() == "reply");
  CHECK(f.activator->asked.size() == 4);
}
