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

/// The results of a source. Times in milliseconds.
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
/// "measure WARM_UP_MS MEASURED_MS DELAY_MS" with three lines: "begin" when the window begins,
/// "end" when it ends, and the result when no client waits any longer. Uses no ORB, so that it
/// costs the same for every server.
int run_source(const std::string& reference, std::size_t clients);

/// Prints its port, and replies to each request `delay_us` after its arrival, in order, until it is
/// killed. A C program with one thread.
int run_sink(std::size_t delay_us);

/// Prints its reference, and serves until it is killed. `clients`: the number of expected clients.
int run_middle(const Model& model, std::uint16_t sink_port, std::size_t clients);
/// The same without an ORB: a C program with a thread for each loop. Prints its port.
[[noreturn]] void run_raw_middle(std::uint16_t sink_port, std::size_t loop_count);

}  // namespace perigee::bench
