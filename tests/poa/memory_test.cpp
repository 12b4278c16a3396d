// Requests without free memory.
#include "poa/fakes.h"
#include "poa/test_orb.h"
#include "support/allocations.h"

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

// Fails each allocation of an activation, one after the other, until none is left to fail.
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
