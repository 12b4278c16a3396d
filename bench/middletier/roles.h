// The three tiers. Each is a separate process.
#pragma once

#include "models.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace perigee::bench {

/// The times of a source's measurement.
struct Window {
  std::size_t warm_up_ms = 0;
  std::size_t measured_ms = 0;
};

/// The middle tier's own work: a chain of multiplications, which the compiler cannot shorten. A
/// step takes about a nanosecond.
inline void work(std::size_t steps) noexcept {
  std::uint64_t value = steps;
  for (; steps > 0; --steps) {
    value = value * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(value));
  }
}

/// The results of a source.
struct SourceResult {
  std::size_t replies = 0;   ///< within the window, time stamp checked
  std::size_t failures = 0;  ///< exceptions, within the window
  std::size_t lost = 0;      ///< requests without a reply ten seconds after the window
  std::size_t stalled = 0;   ///< connections that took more than 900 ms: a SYN was lost
  std::size_t idle = 0;      ///< clients without a reply within the window
  double seconds = 0;        ///< the window
  double p50_ms = 0;
  double p99_ms = 0;
  double max_ms = 0;
};
std::string to_line(const SourceResult& result);
SourceResult parse_source_result(const std::string& line);

/// Connects `clients` clients to the middle tier, and prints "connected". Answers each line
/// "measure WARM_UP_MS MEASURED_MS DELAY_MS BURSTS" (BURSTS is 0 or 1) with three lines: "begin"
/// when the window begins, "end" when it ends, and the result when no client waits any longer. Uses
/// no ORB, so that it costs the same for every server.
int run_source(const std::string& reference, std::size_t clients);

/// Prints its port, and replies to the requests in order, each `delay_us` microseconds after its
/// arrival. Runs until it is killed. A C program with one thread.
int run_sink(std::size_t delay_us);

/// Prints its reference, and serves until it is killed. `clients`: the number of expected clients.
/// `work_steps`: the argument of `work` for each request.
int run_middle(const Model& model, std::uint16_t sink_port, std::size_t clients,
               std::size_t work_steps);
/// The same without an ORB: a C program with a thread for each loop. Prints its port.
[[noreturn]] void run_raw_middle(std::uint16_t sink_port, std::size_t loop_count,
                                 std::size_t work_steps);

}  // namespace perigee::bench
