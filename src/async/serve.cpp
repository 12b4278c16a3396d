// Functions that generated skeletons of coroutine servants share.
#include "orb/values/system_exceptions.h"
#include <perigee/async/serve.h>
#include <perigee/base/clock.h>
#include <perigee/orb/exceptions.h>
#include <perigee/poa/remaining_time.h>

#include <chrono>
#include <exception>

namespace perigee::async::detail {

// The ORB may have another clock, so the deadline is made from the remaining time.
Deadline awaited_until(const orb::ServerRequest& request) noexcept {
  const std::chrono::microseconds left(request.remaining_time());
  return Deadline::after(left, steady_clock().now());
}

void answer_exception(skeleton::Answer& answer, const std::exception_ptr& error) {
  const auto left = remaining_time_of(answer);
  if (!left || left->count() != 0) return answer.exception(error);
  try {
    std::rethrow_exception(error);
  } catch (const CORBA::NO_RESPONSE& stopped) {
    if (stopped.minor() != orb::minor_cancelled) return answer.exception(error);
    // The status of the stopped call does not count: the servant has begun, so the status is MAYBE.
    answer.exception(CORBA::TIMEOUT(orb::minor_deadline, CORBA::COMPLETED_MAYBE,
                                    "the client's time passed before the reply"));
  } catch (...) {
    answer.exception(error);
  }
}

}  // namespace perigee::async::detail
