// Connection: calls of this side without memory.
#include "engine/both_ways.h"
#include "support/allocations.h"

using namespace perigee;
using namespace perigee::test;

// An acceptor makes what it needs for calls with the first call.
TEST_CASE("each failed allocation of the first call on a connection ends or refuses the call") {
  const Octets body = octets_of(10);
  bool failed = true;
  for (std::size_t number = 1; failed; ++number) {
    CAPTURE(number);
    BothWays ends;
    TestCall call;
    fail_allocation(number);
    const StartStatus status = call.start(*ends.acceptor, body);
    failed = stop_failing_allocation();
    if (number == 1) CHECK(status == StartStatus::no_memory);
    if (status == StartStatus::started) (void)call.await();
    if (!failed) CHECK(status == StartStatus::started);
    CHECK(call.ends() == (status == StartStatus::started ? 1 : 0));
  }
}
