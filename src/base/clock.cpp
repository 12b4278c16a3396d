// The process's monotonic clock. Tests use their own clocks.
#include <perigee/base/clock.h>

namespace perigee {

namespace {

class SteadyClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const noexcept override { return std::chrono::steady_clock::now(); }
};

}  // namespace

const Clock& steady_clock() noexcept {
  static const SteadyClock clock;
  return clock;
}

}  // namespace perigee
