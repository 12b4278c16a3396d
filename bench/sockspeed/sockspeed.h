// `perigee bench sockspeed`: the speed of transfers of blocks between processes, by each mechanism
// of the system, for 16 octets to 1 MiB; and the cost of the typed wrappers compared with bare
// calls.
#pragma once

#include "ends.h"
#include "harness/statistics.h"

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

struct SockspeedOptions {
  std::size_t rounds = 30;
  std::chrono::microseconds time{5000};  ///< of each timed test
  std::vector<std::size_t> sizes{16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1024 * 1024};
  std::vector<std::string> channels;  ///< empty: the default channels
  std::vector<Memory> memory{Memory::touched, Memory::untouched};
  bool split = false;  ///< parent and child on two CPUs
};

/// One channel at one size. The ratios are of throughput, within a round.
struct SockspeedCell {
  double c_speed = 0;        ///< octets a second: medians over the rounds
  double wrapper_speed = 0;  ///< 0 without a wrapper
  double c_cpu_ns = 0;       ///< both processes, for each transfer
  double wrapper_cpu_ns = 0;
  Estimate ratio;      ///< wrapper / C
  Estimate cpu_ratio;  ///< the same for CPU time
  Estimate null;       ///< C / C
};

struct SockspeedReport {
  SockspeedOptions options;
  /// By memory ("touched", "untouched"), channel and size.
  std::map<std::string, std::map<std::string, std::map<std::size_t, SockspeedCell>>> cells;
};

std::string to_text(Memory memory);

SockspeedReport run_sockspeed(const SockspeedOptions& options);
std::string to_table(const SockspeedReport& report);
std::string to_json(const SockspeedReport& report);
std::string to_html(const SockspeedReport& report);

/// @name The roles, as the experiment starts them.
/// @{
/// Prints its address, and waits for the child (for a pipe until a line reports the child). Then
/// makes one run for each line "<octets> <microseconds> <touched>", and answers with a line.
int run_sockspeed_parent(const std::string& channel, const std::string& version);
/// Prints a line when it has connected, and one after each run.
int run_sockspeed_child(const std::string& channel, const std::string& version,
                        const std::string& address);
/// @}

/// One side, started by hand.
struct SockspeedByHand {
  Channel channel;
  Version version = Version::wrapper;
  std::string address;             ///< the parent's address: where it waits
  std::vector<std::size_t> sizes;  ///< only for the parent
  std::chrono::microseconds time{};
  Memory memory = Memory::touched;
};
void run_parent_by_hand(const SockspeedByHand& options);
void run_child_by_hand(const SockspeedByHand& options);

/// Adds `sockspeed`, and its roles, to `perigee bench`.
void add_sockspeed_command(CLI::App& bench);

}  // namespace perigee::bench
