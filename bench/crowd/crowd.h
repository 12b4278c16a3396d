// `perigee bench crowd`: a server's memory for ten thousand idle connections, and whether a
// thousand busy connections are slowed down by slow clients and by clients that stop in the middle
// of a message.
#pragma once

#include "harness/statistics.h"

#include <cstddef>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

struct CrowdOptions {
  std::size_t rounds = 15;
  std::size_t idle = 10'000;
  std::size_t busy = 1'000;
  std::size_t calls = 100000;  ///< per measurement, over all busy connections
  std::size_t slow_readers = 100;
  std::size_t half_open = 100;
  std::vector<std::string> strategies{"thread-pool", "reactor-per-core", "reactive"};
};

/// One server. Times in microseconds.
struct CrowdRow {
  std::string strategy;
  double idle_octets = 0;   ///< the server's own memory for each idle connection
  std::size_t threads = 0;  ///< of the server, with all connections open
  double calm_p50 = 0;      ///< medians over the rounds
  double calm_p99 = 0;
  double disturbed_p99 = 0;
  Estimate p99_ratio;   ///< disturbed / calm in the same round
  Estimate null_ratio;  ///< calm / calm in the same round
};

struct CrowdReport {
  CrowdOptions options;
  std::vector<CrowdRow> rows;
};

CrowdReport run_crowd(const CrowdOptions& options);
std::string to_table(const CrowdReport& report);
std::string to_json(const CrowdReport& report);
std::string to_html(const CrowdReport& report);

/// @name The processes that the experiment starts.
/// @{
/// Connects, makes a call on each connection, prints "ready", and keeps the connections until its
/// input ends.
int run_crowd_idle(const std::string& reference, std::size_t connections);
/// Each line of the input is a number of calls. Makes these calls, and prints their p50 and p99 in
/// nanoseconds.
int run_crowd_busy(const std::string& reference, std::size_t connections);
/// Slow readers ask for large replies and read a little ten times a second. Half-open connections
/// send only a part of a message.
int run_crowd_disturbers(const std::string& reference, std::size_t slow_readers,
                         std::size_t half_open);
/// @}

/// Adds the command of the experiment, and its roles, to `perigee bench`.
void add_crowd_command(CLI::App& bench);

}  // namespace perigee::bench
