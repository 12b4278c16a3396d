// `perigee bench cubit`: two-way calls of all basic kinds beside a raw TCP ping-pong and omniORB.
#pragma once

#include "harness/statistics.h"
#include "systems.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

struct CubitOptions {
  std::size_t rounds = 30;
  std::size_t calls = 500;  ///< per workload, system and round
  bool split = false;       ///< server and client on two CPUs instead of one
  bool floor_only = false;  ///< leave omniORB out although it is there
  std::vector<std::string> workloads;
  std::string omniorb_program;
};

/// What one system did in one workload, over all rounds.
struct Cell {
  Estimate ratio;         ///< median of the per-round ratios of p50 to the raw floor's
  Estimate mean_ratio;    ///< the same of the means
  double p50_ns = 0;      ///< median of the rounds' p50
  double p50_low_ns = 0;  ///< 10th and 90th percentile of the rounds' p50: the spread
  double p50_high_ns = 0;
  double cpu_ns = 0;        ///< median CPU time per call, both sides
  double instructions = 0;  ///< user-space, both sides, per call; 0: not counted
  double client_instructions = 0;
  double server_instructions = 0;
};

struct CubitReport {
  CubitOptions options;
  std::vector<std::string> systems;
  std::map<std::string, std::map<std::string, Cell>> cells;  ///< by workload, then system
};

/// Runs the experiment. Systems take turns, in an order that rotates from round to round.
CubitReport run_cubit(const CubitOptions& options);

/// Adds user-space instructions per call, counted by callgrind (two runs of different lengths, so
/// that start-up cancels out). Needs valgrind.
void count_instructions(CubitReport& report);

std::string to_table(const CubitReport& report);
std::string to_json(const CubitReport& report);
std::string to_html(const CubitReport& report);

/// Adds the command of the experiment, and its roles, to `perigee bench`.
void add_cubit_command(CLI::App& bench);

}  // namespace perigee::bench
