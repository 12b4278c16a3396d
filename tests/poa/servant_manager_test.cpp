// Servant activators and locators: when they are called, how often, and which replies clients get.
// CORBA 3.0, 11.3.4 to 11.3.6.
#include "poa/fakes.h"
#include "poa/test_orb.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::test;
using namespace PortableServer;
using ServantRef = CORBA::servant_reference<Servant>;
using PoaRef = CORBA::object_reference<POA>;

namespace {

CORBA::PolicyList manager_policies(POA& root, ServantRetentionPolicyValue retention) {
  return {root.create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID),
          root.create_servant_retention_policy(retention),
          root.create_request_processing_policy(RequestProcessingPolicyValue::USE_SERVANT_MANAGER)};
}

struct Etherealized {
  ObjectId id;
  bool cleanup;
  bool remaining;
  friend bool operator==(const Etherealized&, const Etherealized&) = default;
};

/// Makes a servant per object, or runs a function of the test. Records its calls.
class Activator final : public IDL::traits<ServantActivator>::base_type {
 public:
  ServantRef incarnate(const ObjectId& id, PoaRef poa) override {
    ++incarnated;
    const Inside call(*this);
    return make ? make(id, poa) : make_servant();
  }
  void etherealize(const ObjectId& id, PoaRef poa, ServantRef servant, bool cleanup,
                   bool remaining) override {
    CHECK(servant);
    const Inside call(*this);
    etherealized.push_back({id, cleanup, remaining});
    if (on_etherealize) on_etherealize(poa);
    if (fail) throw CORBA::NO_PERMISSION();
  }
  std::function<ServantRef(const ObjectId&, const PoaRef&)> make;
  std::function<void(const PoaRef&)> on_etherealize;
  bool fail = false;
  std::atomic<int> incarnated{0};
  std::vector<Etherealized> etherealized;

 private:
  /// Checks that calls are serialized. The thread sanitizer checks it, too: `inside_` has no lock.
  struct Inside {
    explicit Inside(Activator& owner) : activator(owner) {
      CHECK(!std::exchange(activator.inside_, true));
    }
    ~Inside() { activator.inside_ = false; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    Activator& activator;
  };
  bool inside_ = false;
};

class Locator final : public IDL::traits<ServantLocator>::base_type {
 public:
  ServantRef preinvoke(const ObjectId& id, PoaRef, const std::string& operation,
                       Cookie& cookie) override {
    events.push_back("preinvoke " + ObjectId_to_string(id) + " " + operation);
    cookie = this;
    return make ? make() : servant;
  }
  void postinvoke(const ObjectId& id, PoaRef, const std::string& operation, Cookie cookie,
                  ServantRef served) override {
    CHECK(cookie == this);
    CHECK(served == servant);
    events.push_back("postinvoke " + ObjectId_to_string(id) + " " + operation);
  }
  std::function<ServantRef()> make;
  ServantRef servant = make_servant();
  std::vector<std::string> events;
};

template <typename ManagerType>
struct Fixture {
  explicit Fixture(ServantRetentionPolicyValue retention)
      : manager(CORBA::make_reference<ManagerType>()) {
    orb.root()->the_POAManager()->activate();
    poa = orb.root()->create_POA("managed", nullptr, manager_policies(*orb.root(), retention));
    poa->the_POAManager()->activate();
    poa->set_servant_manager(manager);
  }
  Octets key_of(const ObjectId& id) {
    return orb.key_of(poa->create_reference_with_id(id, "IDL:Test/Acting:1.0"));
  }
  FakeRequest ask(const ObjectId& id) {
    FakeRequest request(key_of(id));
    orb.dispatcher().dispatch(request);
    return request;
  }
  TestOrb orb;
  CORBA::object_reference<ManagerType> manager;
  PoaRef poa;
};

struct ActivatorFixture : Fixture<Activator> {
  ActivatorFixture() : Fixture(ServantRetentionPolicyValue::RETAIN) {}
};
struct LocatorFixture : Fixture<Locator> {
  LocatorFixture() : Fixture(ServantRetentionPolicyValue::NON_RETAIN) {}
};

}  // namespace

TEST_CASE("an object is incarnated at its first request and stays active") {
  ActivatorFixture f;
  ObjectId asked;
  f.manager->make = [&](const ObjectId& id, const PoaRef& poa) {
    asked = id;
    CHECK(poa == f.poa);
    return make_servant();
  };
  CHECK(f.ask({1}).answer() == "reply");
  CHECK(f.ask({1}).answer() == "reply");
  CHECK(asked == ObjectId{1});
  CHECK(f.manager->incarnated == 1);
  CHECK(f.poa->id_to_servant({1}));
}

TEST_CASE("a request with a key that no adapter has made incarnates no object") {
  ActivatorFixture f;
  Octets slot_key_of_user_id = f.key_of({1, 2, 3, 4, 5, 6, 7, 8});
  slot_key_of_user_id[0] = std::byte{0xf1};
  auto policies = manager_policies(*f.orb.root(), ServantRetentionPolicyValue::RETAIN);
  policies.front() = f.orb.root()->create_id_assignment_policy(IdAssignmentPolicyValue::SYSTEM_ID);
  const auto system = f.orb.root()->create_POA("system", f.poa->the_POAManager(), policies);
  system->set_servant_manager(f.manager);
  const auto id = system->activate_object(make_servant());
  Octets id_key_of_slot = f.orb.key_of(system->id_to_reference(id));
  id_key_of_slot[0] = std::byte{0xf2};
  for (const Octets& key : {slot_key_of_user_id, id_key_of_slot}) {
    FakeRequest request(key);
    f.orb.dispatcher().dispatch(request);
    CHECK(request.answer() == "system OBJECT_NOT_EXIST");
    CHECK(f.orb.dispatcher().locate(key).status == orb::Location::Status::unknown);
  }
  CHECK(f.manager->incarnated == 0);
}

TEST_CASE("an object that is deactivated in every upcall is incarnated each time") {
  ActivatorFixture f;
  f.manager->make = [&](const ObjectId& id, const PoaRef& poa) {
    return make_servant([id, poa](orb::ServerRequest&) { poa->deactivate_object(id); });
  };
  for (int round = 0; round < 3; ++round) CHECK(f.ask({1}).answer() == "reply");
  CHECK(f.manager->incarnated == 3);
  CHECK(f.manager->etherealized.size() == 3);
}

TEST_CASE("locating an object does not incarnate it") {
  ActivatorFixture f;
  CHECK(f.orb.dispatcher().locate(f.key_of({1})).status == orb::Location::Status::here);
  CHECK(f.manager->incarnated == 0);
}

TEST_CASE("an exception of incarnate goes to the client, and the next request tries again") {
  ActivatorFixture f;
  f.manager->make = [](const ObjectId&, const PoaRef&) -> ServantRef {
    throw CORBA::NO_PERMISSION(7);
  };
  CHECK(f.ask({1}).answer() == "system NO_PERMISSION");
  f.manager->make = nullptr;
  CHECK(f.ask({1}).answer() == "reply");
}

TEST_CASE("an activator may forward the client to another object") {
  ActivatorFixture f;
  const auto other = f.orb.root()->servant_to_reference(make_servant());
  f.manager->make = [&](const ObjectId&, const PoaRef&) -> ServantRef {
    throw ForwardRequest(other);
  };
  const FakeRequest request = f.ask({1});
  CHECK(request.answer() == "forward");
  CHECK(request.forward() == other.get());
}

TEST_CASE("a servant that the adapter's policies do not allow raises OBJ_ADAPTER") {
  ActivatorFixture f;
  f.manager->make = [](const ObjectId&, const PoaRef&) { return ServantRef(); };
  CHECK(f.ask({1}).minor() == (CORBA::OMGVMCID | 7));
  const ServantRef same = make_servant();
  f.manager->make = [&](const ObjectId&, const PoaRef&) { return same; };
  CHECK(f.ask({2}).answer() == "reply");
  CHECK(f.ask({3}).minor() == (CORBA::OMGVMCID | 5));  // UNIQUE_ID
}

TEST_CASE("many requests for one object incarnate it once") {
  ActivatorFixture f;
  std::vector<std::thread> threads;
  std::atomic<int> replies{0};
  const Octets key = f.key_of({1});
  for (int number = 0; number < 8; ++number)
    threads.emplace_back([&] {
      FakeRequest request(key);
      f.orb.dispatcher().dispatch(request);
      if (request.answer() == "reply") ++replies;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(replies == 8);
  CHECK(f.manager->incarnated == 1);
}

TEST_CASE("concurrent requests, incarnation and etherealization serve every request") {
  ActivatorFixture f;
  std::atomic<bool> done{false};
  std::atomic<int> failures{0};
  std::vector<Octets> keys;
  for (std::uint8_t number = 0; number < 4; ++number) keys.push_back(f.key_of({number}));
  std::vector<std::thread> threads;
  for (int number = 0; number < 3; ++number)
    threads.emplace_back([&] {
      for (std::size_t round = 0; !done; ++round) {
        FakeRequest request(keys[round % keys.size()]);
        f.orb.dispatcher().dispatch(request);
        if (request.answer() != "reply") ++failures;
      }
    });
  for (int round = 0; round < 400; ++round) {
    try {
      f.poa->deactivate_object({static_cast<std::uint8_t>(round % 4)});
    } catch (const POA::ObjectNotActive&) {
    }
    std::this_thread::yield();
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  f.poa->destroy(true, true);
  CHECK(failures == 0);
  CHECK(static_cast<int>(f.manager->etherealized.size()) == f.manager->incarnated);
}

TEST_CASE("a deactivated object is etherealized when its last request is done") {
  ActivatorFixture f;
  std::promise<void> entered;
  std::promise<void> leave;
  f.manager->make = [&](const ObjectId&, const PoaRef&) {
    return make_servant([&](orb::ServerRequest&) {
      entered.set_value();
      leave.get_future().wait();
    });
  };
  auto served = std::async(std::launch::async, [&] { return f.ask({1}).answer(); });
  entered.get_future().wait();
  f.poa->deactivate_object({1});
  CHECK(f.manager->etherealized.empty());
  leave.set_value();
  CHECK(served.get() == "reply");
  CHECK(f.manager->etherealized == std::vector<Etherealized>{{{1}, false, false}});
}

TEST_CASE("an object is not activated again before it is etherealized") {
  ActivatorFixture f;
  (void)f.ask({1});
  std::promise<void> entered;
  std::promise<void> leave;
  f.manager->on_etherealize = [&](const PoaRef&) {
    entered.set_value();
    leave.get_future().wait();
  };
  auto left = std::async(std::launch::async, [&] { f.poa->deactivate_object({1}); });
  entered.get_future().wait();
  std::atomic<bool> active{false};
  auto again = std::async(std::launch::async, [&] {
    f.poa->activate_object_with_id({1}, make_servant());
    active = true;
  });
  CHECK(!active);
  leave.set_value();
  left.get();
  again.get();
  CHECK(f.poa->id_to_servant({1}));
  f.manager->on_etherealize = nullptr;  // the function uses objects that end before the fixture
}

TEST_CASE("activating an object waits while another thread incarnates it") {
  ActivatorFixture f;
  std::promise<void> entered;
  std::promise<void> leave;
  f.manager->make = [&](const ObjectId&, const PoaRef&) -> ServantRef {
    entered.set_value();
    leave.get_future().wait();
    return make_servant();
  };
  auto served = std::async(std::launch::async, [&] { return f.ask({1}).answer(); });
  entered.get_future().wait();
  auto active =
      std::async(std::launch::async, [&] { f.poa->activate_object_with_id({1}, make_servant()); });
  CHECK(active.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
  f.poa->activate_object_with_id({2}, make_servant());  // another object does not wait
  leave.set_value();
  CHECK(served.get() == "reply");
  CHECK_THROWS_AS(active.get(), POA::ObjectAlreadyActive);
}

TEST_CASE("an object whose incarnation fails can be activated by the thread that waited") {
  ActivatorFixture f;
  std::promise<void> entered;
  std::promise<void> leave;
  f.manager->make = [&](const ObjectId&, const PoaRef&) -> ServantRef {
    entered.set_value();
    leave.get_future().wait();
    throw CORBA::NO_PERMISSION();
  };
  auto served = std::async(std::launch::async, [&] { return f.ask({1}).answer(); });
  entered.get_future().wait();
  const auto servant = make_servant();
  auto active =
      std::async(std::launch::async, [&] { f.poa->activate_object_with_id({1}, servant); });
  CHECK(active.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
  leave.set_value();
  CHECK(served.get() == "system NO_PERMISSION");
  active.get();
  CHECK(f.poa->id_to_servant({1}) == servant);
}

TEST_CASE("a request for an object that its own thread is incarnating gets TRANSIENT") {
  ActivatorFixture f;
  std::string nested;
  f.manager->make = [&](const ObjectId& id, const PoaRef&) {
    nested = f.ask(id).answer();
    return make_servant();
  };
  CHECK(f.ask({1}).answer() == "reply");
  CHECK(nested == "system TRANSIENT");
}

TEST_CASE("a thread that would wait for its own etherealization is refused") {
  ActivatorFixture f;
  bool refused = false;
  f.manager->make = [&](const ObjectId& id, const PoaRef& poa) {
    return make_servant([&, id, poa](orb::ServerRequest&) {
      poa->deactivate_object(id);
      try {
        poa->activate_object_with_id(id, make_servant());
      } catch (const CORBA::BAD_INV_ORDER&) {
        refused = true;
      }
    });
  };
  CHECK(f.ask({1}).answer() == "reply");
  CHECK(refused);
}

TEST_CASE("destroy etherealizes all objects, if asked, after the adapter is destroyed") {
  ActivatorFixture f;
  bool gone = false;
  f.manager->on_etherealize = [&](const PoaRef& poa) {
    try {
      (void)poa->the_name();
    } catch (const CORBA::OBJECT_NOT_EXIST&) {
      gone = true;
    }
  };
  (void)f.ask({1});
  f.manager->fail = true;  // its exceptions are dropped
  f.poa->destroy(true, true);
  CHECK(f.manager->etherealized == std::vector<Etherealized>{{{1}, true, false}});
  CHECK(gone);
}

TEST_CASE("destroy does not etherealize unless asked") {
  ActivatorFixture f;
  (void)f.ask({1});
  f.poa->destroy(false, true);
  CHECK(f.manager->etherealized.empty());
}

TEST_CASE("deactivating the manager etherealizes, if asked") {
  ActivatorFixture f;
  (void)f.ask({1});
  f.poa->the_POAManager()->deactivate(true, true);
  CHECK(f.manager->etherealized == std::vector<Etherealized>{{{1}, true, false}});
  CHECK(f.ask({1}).answer() == "system OBJ_ADAPTER");
}

TEST_CASE("deactivating a manager reaches all its adapters, also after others were destroyed") {
  ActivatorFixture test;
  const auto manager = test.poa->the_POAManager();
  const auto policies = manager_policies(*test.poa, ServantRetentionPolicyValue::RETAIN);
  constexpr std::size_t kept_count = 100;
  for (std::size_t count = 0; count < kept_count; ++count) {
    test.poa->create_POA("destroyed", manager, {})->destroy(true, true);
    const auto kept = test.poa->create_POA("kept " + std::to_string(count), manager, policies);
    kept->set_servant_manager(test.manager);
    kept->activate_object_with_id({1}, make_servant());
  }
  manager->deactivate(true, true);
  CHECK(test.manager->etherealized.size() == kept_count);
}

TEST_CASE("etherealize is told whether the servant still serves other objects") {
  ActivatorFixture f;
  auto policies = manager_policies(*f.orb.root(), ServantRetentionPolicyValue::RETAIN);
  policies.push_back(
      f.orb.root()->create_id_uniqueness_policy(IdUniquenessPolicyValue::MULTIPLE_ID));
  const auto poa = f.orb.root()->create_POA("multiple", nullptr, policies);
  poa->set_servant_manager(f.manager);
  const auto servant = make_servant();
  for (std::uint8_t number = 1; number <= 3; ++number)
    poa->activate_object_with_id({number}, servant);
  poa->deactivate_object({1});
  CHECK(f.manager->etherealized == std::vector<Etherealized>{{{1}, false, true}});
  poa->destroy(true, true);
  const auto last_of_all =
      std::ranges::count(f.manager->etherealized, false, &Etherealized::remaining);
  CHECK(f.manager->etherealized.size() == 3);
  CHECK(last_of_all == 1);
  CHECK(!f.manager->etherealized.back().remaining);
}

TEST_CASE("a locator chooses a servant for every request and is told of the request's end") {
  LocatorFixture f;
  CHECK(f.ask({'a'}).answer() == "reply");
  CHECK(f.ask({'b'}).answer() == "reply");
  CHECK(f.manager->events == std::vector<std::string>{"preinvoke a act", "postinvoke a act",
                                                      "preinvoke b act", "postinvoke b act"});
}

TEST_CASE("postinvoke is called also after an upcall that threw") {
  LocatorFixture f;
  f.manager->servant = make_servant([](orb::ServerRequest&) { throw CORBA::NO_MEMORY(); });
  CHECK(f.ask({'a'}).answer() == "system NO_MEMORY");
  CHECK(f.manager->events.back() == "postinvoke a act");
}

TEST_CASE("a locator may forward the client, or refuse") {
  LocatorFixture f;
  const auto other = f.orb.root()->servant_to_reference(make_servant());
  f.manager->make = [&]() -> ServantRef { throw ForwardRequest(other); };
  CHECK(f.ask({'a'}).answer() == "forward");
  f.manager->make = []() -> ServantRef { throw CORBA::OBJECT_NOT_EXIST(); };
  CHECK(f.ask({'a'}).answer() == "system OBJECT_NOT_EXIST");
  f.manager->make = [] { return ServantRef(); };
  CHECK(f.ask({'a'}).minor() == (CORBA::OMGVMCID | 7));
  CHECK(f.manager->events.size() == 3);  // no upcall, so no postinvoke
}

TEST_CASE("a servant manager is set once, of the kind that the policies need") {
  const TestOrb orb;
  auto& root = *orb.root();
  const auto retain =
      root.create_POA("r", nullptr, manager_policies(root, ServantRetentionPolicyValue::RETAIN));
  const auto locator = CORBA::make_reference<Locator>();
  const auto activator = CORBA::make_reference<Activator>();
  CHECK(!retain->get_servant_manager());
  CHECK_THROWS_AS(retain->set_servant_manager(locator), CORBA::OBJ_ADAPTER);
  CHECK_THROWS_AS(retain->set_servant_manager(nullptr), CORBA::OBJ_ADAPTER);
  retain->set_servant_manager(activator);
  CHECK((retain->get_servant_manager() == activator));
  CHECK_THROWS_AS(retain->set_servant_manager(activator), CORBA::BAD_INV_ORDER);
  CHECK_THROWS_AS(root.set_servant_manager(activator), POA::WrongPolicy);
  CHECK_THROWS_AS((void)root.get_servant_manager(), POA::WrongPolicy);
}

TEST_CASE("without a servant manager the client gets OBJ_ADAPTER") {
  const TestOrb orb;
  orb.root()->the_POAManager()->activate();
  for (const auto retention :
       {ServantRetentionPolicyValue::RETAIN, ServantRetentionPolicyValue::NON_RETAIN}) {
    const auto name = std::to_string(static_cast<int>(retention));
    const auto poa = orb.root()->create_POA(name, orb.root()->the_POAManager(),
                                            manager_policies(*orb.root(), retention));
    FakeRequest request(orb.key_of(poa->create_reference_with_id({1}, "")));
    orb.dispatcher().dispatch(request);
    CHECK(request.answer() == "system OBJ_ADAPTER");
    CHECK(request.minor() == (CORBA::OMGVMCID | 4));
  }
}
