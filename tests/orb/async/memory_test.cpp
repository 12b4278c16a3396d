// Calls that find no memory. Not under the thread sanitizer, whose allocator cannot be replaced.
#include "orb/async/observers.h"
#include "orb/server/server_fixture.h"
#include "support/allocations.h"

#include <cstddef>
#include <exception>

namespace perigee::test {

namespace {
using ObjectRef = CORBA::object_reference<CORBA::Object>;
}

TEST_CASE("a call that found no memory leaves nothing that the next one would wait for") {
  const ServerFixture sink(ThreadStrategy::thread_per_connection);
  for (std::size_t number = 1; number != 40; ++number) {
    CAPTURE(number);
    const TestOrb client;
    const ObjectRef called = client.core().make_object(sink.object->_reference()->ior());
    Observed hungry;
    Observed next;
    bool sent = false;
    fail_allocation(number);
    try {
      (void)stub::send(*called, act_operation, test::number(1), hungry);
      sent = true;
    } catch (const std::exception&) {  // NO_MEMORY, or bad_alloc for the arguments
    }
    stop_failing_allocation();
    stub::send(*called, act_operation, test::number(2), next).wait();
    CHECK_MESSAGE(next.value() == 3, next.text());
    if (sent) drive(client.core(), [&] { return hungry.done(); });
  }
}

}  // namespace perigee::test
