// `perigee bench jitter`: how much the times of single calls differ. It reports percentiles up to
// one call in ten thousand, for synchronous and asynchronous servants, with and without memory
// pools, alone and beside a crowd of other clients.
#pragma once

#include "cubit/cubit.h"
#include "harness/comparison.h"
#include "harness/statistics.h"

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

struct JitterOptions {
  std::size_t rounds = 30;
  std::size_t calls = 20'000;  ///< per workload, system and round
  std::size_t crowd = 8;       ///< connections of the other clients; 0: no crowd
  bool split = false;          ///< server and client on two CPUs instead of one
  std::vector<std::string> workloads{"void"};
};

struct Percentile {
  const char* name;
  double fraction;
};
inline constexpr std::array<Percentile, 6> jitter_percentiles{
    {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}, {"max", 1}}};

/// One estimate for each of jitter_percentiles, over the rounds.
using PercentileEstimates = std::vector<Estimate>;

/// The results of one system, in nanoseconds.
struct JitterCell {
  PercentileEstimates rounds;
  std::vector<double> calls;  ///< the times of all calls of all rounds
  SideCounts counts;          ///< all zero: not counted
};

/// One kind of call, alone or beside a crowd.
struct JitterPart {
  std::string workload;
  bool crowded = false;
  std::vector<std::string> systems = {};  ///< in the order of the report
  std::map<std::string, JitterCell> cells = {};
  std::vector<Comparison> comparisons = {};
  std::vector<PercentileEstimates> ratios = {};  ///< of the same round; in the order of comparisons
};

struct JitterReport {
  JitterOptions options;
  std::vector<JitterPart> parts = {};
};

/// The times of calls in nanoseconds, by system and round.
using JitterRounds = std::map<std::string, std::vector<std::vector<double>>>;

/// Computes the results of the part from the rounds of the systems.
void summarise(JitterPart& part, const JitterRounds& rounds);
/// The comparisons between measured systems.
std::vector<Comparison> jitter_comparisons(const std::vector<std::string>& systems);
/// The time that one call in N exceeds, for N = 2, 5, 10, 20, and so on. N is at most a
/// tenth of the number of calls, so at least ten calls are as slow.
std::vector<std::pair<double, double>> slowest_of(std::vector<double> calls);

/// Runs the experiment. Throws std::runtime_error if the servers' program is missing.
JitterReport run_jitter(const JitterOptions& options);
/// Adds the cost of a call on each side, for the parts without a crowd. Needs valgrind.
void count_costs(JitterReport& report);
std::string to_table(const JitterReport& report);
std::string to_json(const JitterReport& report);
std::string to_html(const JitterReport& report);

/// The crowd's process. All of its clients send a sequence every millisecond, each time with
/// another size, until its input ends.
int run_jitter_crowd(const std::string& reference, std::size_t connections);

/// Adds the command of the experiment, and its role, to `perigee bench`.
void add_jitter_command(CLI::App& bench);

}  // namespace perigee::bench
