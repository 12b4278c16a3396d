// `perigee bench jitter`: how far the times of single calls are from each other: percentiles up to
// one call in ten thousand, for servants that answer at once and for those that may answer later,
// with and without pools of memory, alone and beside a crowd of other clients.
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
  std::size_t crowd = 8;       ///< connections of the other clients; 0: nothing beside a crowd
  bool split = false;          ///< server and client on two CPUs instead of one
  std::vector<std::string> workloads{"void"};
};

struct Percentile {
  const char* name;
  double fraction;
};
inline constexpr std::array<Percentile, 6> jitter_percentiles{
    {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}, {"max", 1}}};

/// One for each of jitter_percentiles, over the rounds.
using PercentileEstimates = std::vector<Estimate>;

/// One system, in nanoseconds.
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

/// Fills in all but what the part is about, of the systems that have rounds.
void summarise(JitterPart& part, const JitterRounds& rounds);
/// What the systems differ by. Of those that were measured.
std::vector<Comparison> jitter_comparisons(const std::vector<std::string>& systems);
/// How long the slowest of so many calls takes, for 2, 5, 10, 20 … as far as there are ten as slow.
std::vector<std::pair<double, double>> slowest_of(std::vector<double> calls);

/// Runs the experiment. Throws std::runtime_error if the program of its servers is not there.
JitterReport run_jitter(const JitterOptions& options);
/// Adds what a call costs each side, of the parts without a crowd. Needs valgrind.
void count_costs(JitterReport& report);
std::string to_table(const JitterReport& report);
std::string to_json(const JitterReport& report);
std::string to_html(const JitterReport& report);

/// What the experiment starts as a process of its own: clients that all send a sequence every
/// millisecond, of another size each time, until its input ends.
int run_jitter_crowd(const std::string& reference, std::size_t connections);

/// Adds the command of the experiment, and its role, to `perigee bench`.
void add_jitter_command(CLI::App& bench);

}  // namespace perigee::bench
