// Lets a thread of the application run the loop of its ORB's asynchronous calls while it waits.
#include "orb/async/async_engine.h"
#include "orb/core/orb_core.h"
#include "orb/invocation/nested_wait.h"
#include <perigee/orb/async_stub.h>
#include <perigee/orb/orb.h>

namespace perigee::stub {

void drive_until(CORBA::ORB& orb, function_ref<bool()> done) {
  drive_until(orb, [] {}, done);
}

void drive_until(CORBA::ORB& orb, function_ref<void()> begin, function_ref<bool()> done) {
  orb::OrbCore& core = *orb._core();
  orb::AsyncEngine& engine = core.async();
  orb::NestedWait waiting;
  if (!waiting.begin(core.context())) orb::raise_nested_too_deep(CORBA::COMPLETED_NO);
  begin();
  if (!engine.drive_until(done, Deadline::never()))
    orb::raise_nested_too_deep(CORBA::COMPLETED_MAYBE);
}

void wake_drivers(CORBA::ORB& orb) noexcept { orb._core()->wake_async(); }

}  // namespace perigee::stub
