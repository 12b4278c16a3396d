// Retried calls: the failures after which they are attempted again, and the delays.
#include <perigee/orb/retry.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <new>
#include <random>
#include <string>
#include <thread>

namespace perigee {

namespace {

void check(bool in_range, const char* member, const char* range) {
  if (!in_range)
    throw CORBA::BAD_PARAM(
        0, CORBA::COMPLETED_NO,
        std::string("RetrySchedule::") + member + " is out of range; pass " + range);
}

RetrySchedule checked(const RetrySchedule& schedule) {
  check(schedule.attempts_max >= 1, "attempts_max", "1 or more");
  check(schedule.first_delay >= Duration::zero(), "first_delay", "zero or more");
  check(schedule.factor >= 1 && std::isfinite(schedule.factor), "factor", "1 or more");
  check(schedule.delay_max >= Duration::zero(), "delay_max", "zero or more");
  check(schedule.jitter >= 0 && schedule.jitter <= 1, "jitter", "0 to 1");
  check(schedule.time_max >= Duration::zero(), "time_max", "zero or more");
  check(schedule.retry_if != nullptr, "retry_if", "a function");
  return schedule;
}

// The duration of a number of nanoseconds, which may exceed the largest duration.
Duration duration_of(double nanoseconds) noexcept {
  if (nanoseconds >= static_cast<double>(Duration::max().count())) return Duration::max();
  return Duration(static_cast<Duration::rep>(nanoseconds));
}

// If the system has no random numbers, the present time makes the delays of clients differ.
unsigned seed() noexcept try { return std::random_device{}(); } catch (const std::exception&) {
  return static_cast<unsigned>(steady_clock().now().time_since_epoch().count());
}

// A random number from 0 to 1.
double random_share() {
  thread_local std::minstd_rand engine(seed());
  return std::uniform_real_distribution<double>(0, 1)(engine);
}

class ThreadSleeper final : public Sleeper {
 public:
  [[nodiscard]] TimePoint now() const noexcept override { return steady_clock().now(); }
  void sleep(Duration time) override { std::this_thread::sleep_for(time); }
};

}  // namespace

bool is_transient(const CORBA::SystemException& failure) noexcept {
  return failure.completed() == CORBA::COMPLETED_NO &&
         dynamic_cast<const CORBA::TRANSIENT*>(&failure) != nullptr;
}

RetryDelays::RetryDelays(const RetrySchedule& schedule, const Clock& clock)
    : schedule_(checked(schedule)),
      clock_(clock),
      deadline_(schedule.time_max == Duration::max()
                    ? Deadline::never()
                    : Deadline::after(schedule.time_max, clock.now())),
      delay_(static_cast<double>(schedule.first_delay.count())) {}

std::optional<Duration> RetryDelays::after(const CORBA::SystemException& failure) {
  if (attempts_ >= schedule_.attempts_max || !schedule_.retry_if(failure)) return std::nullopt;
  ++attempts_;
  delay_ = std::min(delay_, static_cast<double>(schedule_.delay_max.count()));
  const double left_out = schedule_.jitter > 0 ? delay_ * schedule_.jitter * random_share() : 0;
  const Duration delay = duration_of(delay_ - left_out);
  delay_ *= schedule_.factor;
  if (Deadline::after(delay, clock_.now()) > deadline_) return std::nullopt;
  return delay;
}

Sleeper::~Sleeper() = default;

Sleeper& thread_sleeper() noexcept {
  // No destructor runs: threads may use it until the process ends.
  alignas(ThreadSleeper) static std::byte place[sizeof(ThreadSleeper)];
  static Sleeper& sleeper = *new (place) ThreadSleeper;
  return sleeper;
}

}  // namespace perigee
