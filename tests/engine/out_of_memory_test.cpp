// Connection and Server: the first call, and the start, without memory.
#include "engine/both_ways.h"
#include "engine/server/server.h"
#include "support/allocations.h"

#include <new>

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

TEST_CASE("a server whose start has failed can be started again, and ends in an orderly way") {
  const engine::EngineSettings settings;
  engine::RequestCount requests{100};
  engine::ParkedOctets parked{1 << 20};
  const engine::EngineContext context{steady_clock(), settings, requests, parked};
  engine::TrafficLedger traffic;
  Echo handler;
  bool failed = true;
  for (std::size_t number = 1; failed; ++number) {
    CAPTURE(number);
    engine::Server server(context, {.loops = 2, .threads = 2, .threads_max = 2}, handler, traffic);
    bool started = false;
    fail_allocation(number);
    try {
      started = server.start().has_value();
    } catch (const std::bad_alloc&) {
      CHECK_FALSE(started);
    }
    failed = stop_failing_allocation();
    if (!started) REQUIRE(server.start().has_value());
    server.stop(engine::Server::Completion::wait);
  }
}
