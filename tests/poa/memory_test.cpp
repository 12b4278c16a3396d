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
