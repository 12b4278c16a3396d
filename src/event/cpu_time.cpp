// The CPU clocks of threads.
#include "event/cpu_time.h"

#include <pthread.h>

namespace perigee::event {
namespace {

Duration time_of(clockid_t clock) noexcept {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

ThreadCpuTime::ThreadCpuTime() noexcept
    : known_(pthread_getcpuclockid(pthread_self(), &clock_) == 0) {}

Duration ThreadCpuTime::used() const noexcept { return known_ ? time_of(clock_) : Duration(); }

Duration cpu_time_of_process() noexcept { return time_of(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace perigee::event
