// `perigee bench sockspeed`: measures how fast two processes transfer blocks of 16 octets to 1 MiB
// by each mechanism of the system. Also compares the typed wrappers with bare calls.
#pragma once

#include "ends.h"
#include "harness/comparison.h"
#include "harness/statistics.h"

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <map>
#include <memory>
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
  bool split = false;     ///< parent and child on two CPUs
  std::size_t pairs = 1;  ///< above 1: also measures this many pairs at once, each on its own CPU
};

/// One channel at one size. The ratios compare throughputs in the same round.
struct SockspeedCell {
  double c_speed = 0;        ///< octets a second: medians over the rounds
  double wrapper_speed = 0;  ///< 0 without a wrapper
  double c_cpu_ns = 0;       ///< both processes, for each transfer
  double wrapper_cpu_ns = 0;
  Estimate ratio;          ///< wrapper / C
  Estimate cpu_ratio;      ///< the same for CPU time
  Estimate null;           ///< C / C
  Estimate null_cpu;       ///< the same for CPU time
  double pairs_speed = 0;  ///< all pairs at once, bare calls, together; 0: not measured
  Estimate pairs_ratio;    ///< all pairs at once / one pair alone
};

/// Two channels with bare calls: the ratio of their throughputs in the same round.
struct SockspeedCompared {
  Comparison comparison;
  Memory memory = Memory::touched;
  std::size_t size = 0;
  Estimate throughput;
};

struct SockspeedReport {
  SockspeedOptions options;
  /// By memory ("touched", "untouched"), channel and size.
  std::map<std::string, std::map<std::string, std::map<std::size_t, SockspeedCell>>> cells;
  std::vector<SockspeedCompared> compared = {};
};

std::string to_text(Memory memory);

/// The comparisons of the article: the host's own address with 127.0.0.1, and pipes with sockets.
const std::vector<Comparison>& sockspeed_comparisons();

SockspeedReport run_sockspeed(const SockspeedOptions& options);
std::string to_table(const SockspeedReport& report);
std::string to_json(const SockspeedReport& report);
std::string to_html(const SockspeedReport& report);

/// @name The roles, as the experiment starts them.
/// @{
/// Prints its address, and waits for the child. For a pipe, a line on standard input reports the
/// child. Then makes one run for each line "<octets> <microseconds> <touched>", and answers with a
/// line.
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

/// The runs of one side that was started by hand.
struct SockspeedSide {
  std::string side;  ///< "parent" or "child"
  std::string channel;
  std::string version;
  std::vector<Child::Received> runs;
};
/// Both functions write a line for each run to `log`, as soon as the run has ended.
SockspeedSide run_parent_by_hand(const SockspeedByHand& options, std::ostream& log);
SockspeedSide run_child_by_hand(const SockspeedByHand& options, std::ostream& log);
std::string to_json(const SockspeedSide& side);
std::string to_html(const SockspeedSide& side);

/// Waits for the child. A line on standard input reports that the child has opened a pipe.
std::unique_ptr<Parent> accept_child(Rendezvous& rendezvous, Medium medium);

/// Adds `sockspeed`, and its roles, to `perigee bench`.
void add_sockspeed_command(CLI::App& bench);

}  // namespace perigee::bench
