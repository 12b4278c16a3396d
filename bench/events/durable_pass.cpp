// Reads the clocks of time and of CPU time.
#include "durable_pass.h"

#include "event/cpu_time.h"
#include "harness/statistics.h"

#include <utility>

namespace perigee::bench {

using Clock = std::chrono::steady_clock;

DurablePassTimer::DurablePassTimer()
    : cpu_before_(event::cpu_time_of_process()), begin_(Clock::now()) {}

DurablePass DurablePassTimer::pass(std::size_t events, std::vector<double> times_ms) const {
  const std::chrono::duration<double> time = Clock::now() - begin_;
  const std::chrono::duration<double, std::micro> cpu = event::cpu_time_of_process() - cpu_before_;
  const auto count = static_cast<double>(events);
  return {count / time.count(), cpu.count() / count, percentile(std::move(times_ms), 0.99)};
}

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

}  // namespace perigee::bench
