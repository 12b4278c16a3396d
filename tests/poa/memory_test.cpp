// Requests and operations of the POA whose allocations fail.
#include "poa/deferred_answer.h"
#include "support/allocations.h"

#include <string>
#include <utility>
#include <vector>

using namespace perigee;
using namespace perigee::test;

TEST_CASE("looking up a key with many empty adapter names needs no memory") {
  TestOrb orb;
  orb.root()->the_POAManager()->activate();
  auto deepest = orb.root();
  for (int depth = 0; depth < 100; ++depth)
    deepest = deepest->create_POA("", orb.root()->the_POAManager(), {});
  for (const std::size_t count : {100U, 255U, 256U, 65535U}) {
    CAPTURE(count);
    Octets key{std::byte{0xf3}, static_cast<std::byte>(count >> 8), static_cast<std::byte>(count)};
    key.resize(key.size() + 2 * count);
    bool local = true;
    bool gate = true;
    const Allocations used = allocations_of([&] {
      fail_allocation(1, 1'000'000);
      gate = orb.dispatcher().gate_of(key) != nullptr;
      local = orb.dispatcher().is_local_key(key);
    });
    CHECK(used.count == 0);
    CHECK_FALSE(gate);
    CHECK(local == (count == 100));
    (void)orb.dispatcher().locate(key);  // any result is allowed without memory
    (void)stop_failing_allocation();
    CHECK(orb.dispatcher().locate(key).status == orb::Location::Status::unknown);
  }
}

namespace {

// Activates an object again and again: first its first allocation fails, then its second, until an
// activation succeeds.
void fail_each_allocation(PortableServer::POA& adapter) {
  std::size_t failures = 0;
  for (bool fails = true; fails;) {
    const auto servant = make_servant();
    fail_allocation(failures + 1);
    try {
      (void)adapter.activate_object(servant);
    } catch (const std::bad_alloc&) {
      CHECK_THROWS_AS((void)adapter.servant_to_id(servant), PortableServer::POA::ServantNotActive);
    }
    fails = stop_failing_allocation();
    if (fails) ++failures;
  }
  CHECK(failures >= 2);
}

}  // namespace

TEST_CASE("an activation that lacks memory leaves no part of an object") {
  TestOrb orb;
  auto& root = *orb.root();
  CORBA::PolicyList policies{
      root.create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::SYSTEM_ID)};
  SUBCASE("transient") {}
  SUBCASE("persistent") {
    policies.push_back(
        root.create_lifespan_policy(PortableServer::LifespanPolicyValue::PERSISTENT));
  }
  const auto adapter = root.create_POA("adapter", nullptr, policies);
  fail_each_allocation(*adapter);
  const auto servant = make_servant();
  CHECK(adapter->id_to_servant(adapter->activate_object(servant)) == servant);
  adapter->destroy(false, true);  // waits for the objects
}

namespace {

/// Counts the objects that it etherealizes, and needs memory for each of them.
class NeedyActivator final : public IDL::traits<PortableServer::ServantActivator>::base_type {
 public:
  using PoaRef = CORBA::object_reference<PortableServer::POA>;
  using ServantRef = CORBA::servant_reference<PortableServer::Servant>;
  ServantRef incarnate(const PortableServer::ObjectId&, PoaRef) override { return make_servant(); }
  void etherealize(const PortableServer::ObjectId& id, PoaRef, ServantRef, bool, bool) override {
    ++etherealized_count;
    ids.push_back(id);
  }
  int etherealized_count = 0;
  std::vector<PortableServer::ObjectId> ids;
};

PortableServer::LifespanPolicyValue each_lifespan() {
  auto lifespan = PortableServer::LifespanPolicyValue::TRANSIENT;
  SUBCASE("transient") {}
  SUBCASE("persistent") { lifespan = PortableServer::LifespanPolicyValue::PERSISTENT; }
  return lifespan;
}

/// An adapter with a servant activator.
struct Etherealizing {
  explicit Etherealizing(PortableServer::LifespanPolicyValue lifespan) {
    auto& root = *orb.root();
    adapter =
        root.create_POA("adapter", nullptr,
                        {root.create_lifespan_policy(lifespan),
                         root.create_request_processing_policy(
                             PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER)});
    adapter->set_servant_manager(activator);
  }
  TestOrb orb;
  CORBA::object_reference<NeedyActivator> activator = CORBA::make_reference<NeedyActivator>();
  TestOrb::PoaRef adapter;
};

template <typename Work>
void without_memory(Work&& work) {
  fail_allocation(1, 1'000'000);
  work();
  (void)stop_failing_allocation();
}

}  // namespace

TEST_CASE("an object is deactivated and etherealized without memory") {
  Etherealizing test(each_lifespan());
  auto& adapter = *test.adapter;
  const auto id = adapter.activate_object(make_servant());
  const Octets key = test.orb.key_of(adapter.id_to_reference(id));
  for (int count = 1; count <= 2; ++count) {
    without_memory([&] { adapter.deactivate_object(id); });
    CHECK(test.activator->etherealized_count == count);
    CHECK_THROWS_AS(adapter.deactivate_object(id), PortableServer::POA::ObjectNotActive);
    const auto servant = make_servant();
    adapter.activate_object_with_id(id, servant);
    CHECK(adapter.id_to_servant(id) == servant);
  }
  adapter.destroy(false, true);  // waits for the objects
  CHECK(test.activator->etherealized_count == 2);
  CHECK(test.orb.dispatcher().locate(key).status == orb::Location::Status::unknown);
}

TEST_CASE("an adapter with children and objects is destroyed without memory") {
  Etherealizing test(each_lifespan());
  auto& adapter = *test.adapter;
  const auto child = adapter.create_POA("child", nullptr, {});
  (void)child->activate_object(make_servant());
  for (int count = 0; count < 3; ++count) (void)adapter.activate_object(make_servant());
  const Octets key =
      test.orb.key_of(adapter.id_to_reference(adapter.activate_object(make_servant())));
  without_memory([&] { adapter.destroy(true, true); });
  CHECK(test.activator->etherealized_count == 4);
  CHECK_THROWS_AS((void)child->the_name(), CORBA::OBJECT_NOT_EXIST);
  CHECK_THROWS_AS((void)test.orb.root()->find_POA("adapter", false),
                  PortableServer::POA::AdapterNonExistent);
  CHECK(test.orb.dispatcher().locate(key).status == orb::Location::Status::unknown);
  adapter.destroy(false, true);  // waits for the objects
}

TEST_CASE("a create_POA that lacks memory leaves no part of an adapter") {
  TestParts parts;
  parts.adapter_limits.adapters_max = 2;  // the Root POA and one child
  TestOrb orb(std::move(parts));
  auto& root = *orb.root();
  const CORBA::PolicyList policies{
      root.create_lifespan_policy(PortableServer::LifespanPolicyValue::PERSISTENT)};
  const std::string name(100, 'n');
  auto manager = root.the_POAManager();
  SUBCASE("with the manager of another adapter") {}
  SUBCASE("with its own manager") { manager = nullptr; }
  TestOrb::PoaRef child;
  std::size_t failure_count = 0;
  for (; !child; ++failure_count) {
    fail_allocation(failure_count + 1);
    try {
      child = root.create_POA(name, manager, policies);
    } catch (const std::bad_alloc&) {
      CHECK(root.the_children().empty());
    }
    (void)stop_failing_allocation();
  }
  CHECK(failure_count > 4);
  CHECK(child->the_name() == name);
  CHECK_THROWS_AS((void)root.create_POA("second", manager, {}), CORBA::NO_RESOURCES);
  CHECK(root.the_children().size() == 1);
  child->destroy(true, true);
  CHECK(root.create_POA("second", manager, {}));
}

TEST_CASE("a deferred request that is dropped without free memory gets NO_RESPONSE") {
  Deferred test;
  test.dispatch();
  fail_allocation(1, 1'000'000);
  test.answer = skeleton::Answer();
  (void)stop_failing_allocation();
  CHECK(test.request.answer() == "system NO_RESPONSE");
  CHECK(test.request.completed() == CORBA::COMPLETED_MAYBE);
  CHECK(test.request.outstanding() == 0);
}

TEST_CASE("an ORB that stops without free memory discards the requests of holding adapters") {
  TestOrb orb;
  const auto activated = orb.root()->create_POA("activated", nullptr, {});
  activated->the_POAManager()->activate();
  std::vector<TestOrb::PoaRef> holding;
  for (const char* const name : {"b", "a", "c"})
    holding.push_back(activated->create_POA(name, nullptr, {}));
  holding.push_back(holding.front()->create_POA("deepest", nullptr, {}));
  without_memory([&] { orb.core().shutdown(orb::Completion::do_not_wait); });
  using ManagerState = PortableServer::POAManager::State;
  CHECK(activated->the_POAManager()->get_state() == ManagerState::ACTIVE);
  for (const auto& adapter : holding)
    CHECK(adapter->the_POAManager()->get_state() == ManagerState::DISCARDING);
}
