// What a durable event channel writes, without a channel and without an ORB: the floors of the
// experiment, in the style of C.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace perigee::bench {

struct DurableLoad {
  std::size_t events = 0;
  std::size_t octets = 0;   ///< of an event
  std::size_t at_once = 1;  ///< events whose confirmation is awaited
};

struct DurableResult {
  double per_second = 0;
  double cpu_us = 0;  ///< CPU time of this process for each event
  double p99_ms = 0;  ///< from an event to its confirmation
};

/// Inserts the events into a SQLite file, with a transaction for every `at_once` events. `file` was
/// made by the store of a channel, so that both write the same rows.
[[nodiscard]] DurableResult insert_events(const std::string& file, const DurableLoad& load);
/// Publishes the events to a stream of NATS JetStream. `server` is "nats://host:port".
[[nodiscard]] DurableResult publish_events(const std::string& server, const DurableLoad& load);

/// The 99th percentile of times in milliseconds.
[[nodiscard]] double p99_of(std::vector<double> times_ms);
/// CPU time of this process so far, in microseconds.
[[nodiscard]] double cpu_us_now();

}  // namespace perigee::bench
