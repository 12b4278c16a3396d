// `perigee bench ami`: calls of one client thread over one connection with many calls in flight,
// compared with synchronous calls.
#pragma once

#include "cubit/cubit.h"
#include "harness/claims.h"
#include "harness/statistics.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

struct AmiOptions {
  std::size_t rounds = 10;
  std::size_t calls = 5000;  ///< per kind, number in flight and round
  std::vector<std::size_t> in_flight{1, 2, 4, 8, 16, 32, 64, 128, 256};
  std::vector<std::string> servers{"auto", "reactive", "thread-per-connection", "omniORB"};
  std::vector<std::size_t> cpus{1, 2};  ///< 1: both sides share a CPU; 2: one CPU for each side
  std::string omniorb_program;
};

/// The servers: Perigee's thread strategies, and omniORB.
const std::vector<std::string>& ami_servers();
/// The kinds of calls. The first is "synchronous": one call after another.
const std::vector<std::string>& ami_kinds();

/// One kind of call in one round.
struct AmiSample {
  double call_ns = 0;  ///< time from one call to the next
  double cpu_ns = 0;   ///< user and system time of both sides, per call
};

struct AmiCell {
  Estimate rate;   ///< calls a second: median over the rounds
  Estimate ratio;  ///< rate divided by the rate of synchronous calls in the same round
  /// The rate divided by the rate of the same kind of calls with one call in flight. Empty if
  /// calls with one in flight were not measured.
  std::optional<Estimate> gain = {};
  double cpu_ns = 0;  ///< median
  SideCounts counts;  ///< all zero: not counted
};

/// By kind of call, then by number in flight.
using AmiCells = std::map<std::string, std::map<std::size_t, AmiCell>>;
using AmiRounds = std::map<std::string, std::map<std::size_t, std::vector<AmiSample>>>;
/// The cells of all measurements. Synchronous calls must be among them.
AmiCells summarise(const AmiRounds& rounds);

/// The part of the report on one server.
struct AmiPart {
  std::string server;
  std::size_t cpus = 1;
  AmiCells cells = {};
};

struct AmiReport {
  AmiOptions options;
  std::vector<AmiPart> parts = {};
};

AmiReport run_ami(const AmiOptions& options);
/// Adds the cost of a call on each side, with 1 and with 64 in flight on one CPU. Needs valgrind.
void count_costs(AmiReport& report);
/// The goals for which the report has measurements.
std::vector<Claim> claims_of(const AmiReport& report);

std::string to_table(const AmiReport& report);
std::string to_json(const AmiReport& report);
std::string to_html(const AmiReport& report);

/// The client process of the experiment. Until its input ends, it answers lines "IN_FLIGHT CALLS"
/// with the time from one call to the next in nanoseconds.
int run_ami_client(const std::string& kind, const std::string& reference);

/// Adds the command of the experiment, and its role, to `perigee bench`.
void add_ami_command(CLI::App& bench);

}  // namespace perigee::bench
