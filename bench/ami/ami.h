// `perigee bench ami`: calls of one client's thread over one connection, with so many of them in
// flight, beside calls one after the other.
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
  std::vector<std::size_t> cpus{1, 2};  ///< for both sides together
  std::string omniorb_program;
};

/// Perigee's by their thread strategies, and omniORB.
const std::vector<std::string>& ami_servers();
/// How the client calls. The first is "synchronous": one call after the other.
const std::vector<std::string>& ami_kinds();

/// Of one round.
struct AmiSample {
  double call_ns = 0;  ///< from one call to the next
  double cpu_ns = 0;   ///< user and system time of both sides, per call
};

struct AmiCell {
  Estimate rate;   ///< calls a second: median over the rounds
  Estimate ratio;  ///< of the rate to that of synchronous calls in the same round
  /// Of the rate to that of the same kind of calls with one in flight; none if that was not
  /// measured.
  std::optional<Estimate> gain = {};
  double cpu_ns = 0;  ///< median
  SideCounts counts;  ///< all zero: not counted
};

/// By kind of calls, then by how many are in flight.
using AmiCells = std::map<std::string, std::map<std::size_t, AmiCell>>;
using AmiRounds = std::map<std::string, std::map<std::size_t, std::vector<AmiSample>>>;
/// All that was measured. There are synchronous calls.
AmiCells summarise(const AmiRounds& rounds);

/// One server.
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
/// Adds what a call costs each side, with 1 and with 64 in flight on one CPU. Needs valgrind.
void count_costs(AmiReport& report);
/// The goals that what was measured says something about.
std::vector<Claim> claims_of(const AmiReport& report);

std::string to_table(const AmiReport& report);
std::string to_json(const AmiReport& report);
std::string to_html(const AmiReport& report);

/// What the experiment starts as a process of its own: answers lines "IN_FLIGHT CALLS" with the
/// time from one call to the next in nanoseconds, until its input ends.
int run_ami_client(const std::string& kind, const std::string& reference);

/// Adds the command of the experiment, and its role, to `perigee bench`.
void add_ami_command(CLI::App& bench);

}  // namespace perigee::bench
