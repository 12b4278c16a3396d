// Scopes with deadlines.
#include "orb/values/system_exceptions.h"
#include <perigee/async/with_scope.h>
#include <perigee/base/clock.h>
#include <perigee/orb/exceptions.h>

namespace perigee::async::detail {

std::int64_t awaited_until(const scope_deadline& deadline) noexcept {
  if (deadline.deadline().is_never()) return no_time_limit;
  const Duration left = deadline.deadline().left(deadline.reactor().clock().now());
  const Deadline end = Deadline::after(left, steady_clock().now());
  return end.is_never() ? no_time_limit : end.time().time_since_epoch().count();
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
