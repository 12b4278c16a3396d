// Scopes with deadlines.
#include "orb/values/system_exceptions.h"
#include <perigee/async/with_scope.h>
#include <perigee/base/clock.h>
#include <perigee/orb/exceptions.h>

namespace perigee::async::detail {

Deadline awaited_until(const scope_deadline& deadline) noexcept {
  if (deadline.deadline().is_never()) return Deadline::never();
  const Duration left = deadline.deadline().left(deadline.reactor().clock().now());
  return Deadline::after(left, steady_clock().now());
}

task<> end_at(scope_deadline deadline, scope& tasks) {
  const bool passed = co_await Sleep(deadline.reactor(), deadline.deadline());
  if (passed) tasks.end_in_time();
}

void raise_scope_timeout() {
  throw CORBA::TIMEOUT(orb::minor_deadline, CORBA::COMPLETED_MAYBE,
                       "the time of the scope has passed");
}

}  // namespace perigee::async::detail
