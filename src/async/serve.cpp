// What generated skeletons of coroutine servants need not have in every file.
#include <perigee/async/serve.h>
#include <perigee/base/clock.h>

#include <chrono>

namespace perigee::async::detail {

// The ORB's clock may be another one: what is left counts.
std::int64_t awaited_until(const orb::ServerRequest& request) noexcept {
  const std::chrono::microseconds left(request.remaining_time());
  return (steady_clock().now() + left).time_since_epoch().count();
}

}  // namespace perigee::async::detail
