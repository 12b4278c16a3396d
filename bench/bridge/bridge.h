// `perigee bench bridge`: measures the CPU time that `perigee bridge` takes for a call. Compares
// the bridge with a C program that reads whole messages and copies them.
#pragma once

#include "cubit/cubit.h"
#include "harness/claims.h"
#include "harness/statistics.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

/// The measured systems: the C forwarder, a second C forwarder (to show the effect of chance), and
/// the bridge.
inline constexpr const char* bridge_systems[] = {"raw", "null", "perigee"};

struct BridgeOptions {
  std::size_t rounds = 30;
  std::vector<std::size_t> octets{0, 1024, 1u << 20};  ///< of argument and result; 0: a void call
  std::vector<std::size_t> connections{1, 100, 1000};
  std::size_t calls = 5000;  ///< per system and round; fewer if the messages are large
  std::size_t threads = 0;   ///< of the forwarders and the bridge; 0: one for each CPU
  bool counts = false;       ///< counts instructions, system calls and allocations
  bool goals = false;        ///< the table also compares the results with the goals
};

/// One system with one size and one number of connections, over all rounds. Times per call.
struct BridgeCell {
  std::string system;
  std::size_t octets = 0;
  std::size_t connections = 0;
  Estimate cpu_ratio;      ///< its CPU time, divided by the C forwarder's in the same round
  Estimate elapsed_ratio;  ///< the same for the time from the first call to the last reply
  double cpu_ns = 0;       ///< medians
  double elapsed_ns = 0;
  std::size_t threads = 0;  ///< the largest number in the process after a round
};

struct BridgeReport {
  BridgeOptions options;
  std::size_t cpus = 0;           ///< CPUs that the systems may use
  std::vector<BridgeCell> cells;  ///< by size, then by connections, then by system
  std::vector<std::pair<std::size_t, Counts>> counts;  ///< of the bridge, by size
};

/// The calls of one round: fewer for large messages.
std::size_t bridge_calls(const BridgeOptions& options, std::size_t octets);

/// Systems take turns, in an order that rotates from round to round.
BridgeReport run_bridge(const BridgeOptions& options);
/// The goals for which the report has measurements.
std::vector<Claim> claims_of(const BridgeReport& report);
std::string to_table(const BridgeReport& report);
std::string to_json(const BridgeReport& report);
std::string to_html(const BridgeReport& report);

/// @name The processes that the experiment starts
/// @{
/// The floor: prints its port, then passes messages on until it is killed. Each connection of a
/// client has its own connection to the target. `threads` threads wait with epoll_wait.
int run_bridge_floor(std::uint16_t target, std::size_t threads);
/// Prints its port, then answers each request with `octets` octets until it is killed.
int run_bridge_target(std::size_t octets);
/// Connects to the port at the end of `address`. Then serves commands: a word, and a number of
/// calls.
int run_bridge_client(const std::string& address, std::size_t octets, std::size_t connections);
/// @}

/// Adds the command of the experiment, and its roles, to `perigee bench`.
void add_bridge_command(CLI::App& bench);

}  // namespace perigee::bench
