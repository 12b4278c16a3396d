// One measurement of durable events, and the clocks that take it.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

namespace perigee::bench {

/// The result of one measurement.
struct DurablePass {
  double rate = 0;    ///< events per second
  double cpu_us = 0;  ///< CPU time of the measured process for each event
  double p99_ms = 0;  ///< from an event to its confirmation
};

/// Measures this process from the construction on.
class DurablePassTimer {
 public:
  DurablePassTimer();
  /// `times_ms`: from an event to its confirmation, in any order.
  [[nodiscard]] DurablePass pass(std::size_t events, std::vector<double> times_ms) const;

 private:
  std::chrono::nanoseconds cpu_before_;
  std::chrono::steady_clock::time_point begin_;
};

[[nodiscard]] double ms_since(std::chrono::steady_clock::time_point begin);

}  // namespace perigee::bench
