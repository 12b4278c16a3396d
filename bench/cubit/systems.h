// The systems that the cubit experiment compares, and the command lines that start them.
#pragma once

#include "harness/comparison.h"
#include "harness/process.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace perigee::bench {

/// One system: the command lines of a server and of a client. "{REF}" in the client's command line
/// stands for the first line that the server prints (an address or an IOR).
struct System {
  std::string name;
  std::vector<std::string> server;
  std::vector<std::string> client;
  std::string floor = {};  ///< the name of the system that it is compared with
};

/// The programs of peers; empty: without this peer.
struct PeerPrograms {
  std::string omniorb;
  std::string iceoryx;
};

/// All systems, over TCP and over UNIX-domain sockets:
/// - the floor twice ("raw" and "null": the same program, to show random variation);
/// - the floor with messages of the size of GIOPlite's ("rawlite"), and with a server that waits
///   with epoll_wait ("raw epoll");
/// - Perigee with GIOP and with GIOPlite in two thread strategies, with GIOP and the strategy
///   "auto", and with asynchronous servants;
/// - omniORB in both of its thread strategies, and a ping-pong over iceoryx, if the peers have
///   programs.
///
/// A floor comes before the systems that are compared with it. Sockets are made in `folder`, which
/// may be empty (no path) if only the names are needed.
std::vector<System> cubit_systems(const PeerPrograms& peers, const std::filesystem::path& folder);
/// The systems of --quick: one thread strategy.
std::vector<std::string> quick_cubit_systems();

/// The comparisons of protocols (GIOPlite and GIOP, UNIX-domain sockets and TCP), of kinds of
/// servants, and of thread strategies.
const std::vector<Comparison>& cubit_comparisons();

enum class OmniorbThreads : std::uint8_t { per_connection, pool };
/// The command line of omniORB's server. `endpoint`: the value of its -ORBendPoint.
std::vector<std::string> omniorb_server(const std::string& program, const std::string& endpoint,
                                        OmniorbThreads threads);

/// The names of the workloads in the order of the report.
const std::vector<std::string>& cubit_workloads();
/// The workloads that are measured only if the options name them: large calls, and sequences that
/// are only sent.
std::vector<std::string> further_cubit_workloads();
/// The data that a call of the workload sends and returns, as text: "a sequence of 4096 octets is
/// sent and returned".
std::string workload_text(const std::string& workload);
/// The octets that a large call sends and receives, together; 0 for workloads that are not large.
std::size_t large_size_of(const std::string& workload);
/// Raises the ORBs' limits for messages with `size` octets of arguments, if the defaults are lower.
void allow_large_messages(std::vector<System>& systems, std::size_t size);

/// The CPUs that server and client are pinned to.
struct Placement {
  int server_cpu = -1;
  int client_cpu = -1;
};

/// `split`: on two CPUs, otherwise on one. Throws std::runtime_error if there are no two CPUs.
Placement placement_of(bool split);

/// After this number of rounds the processes are replaced. The memory layout of a process changes
/// its times by some percent, which more rounds with the same processes would not show.
inline constexpr std::size_t rounds_a_process = 3;

/// The cost of one call in one round.
struct Sample {
  double p50_ns = 0;
  double mean_ns = 0;
  double cpu_ns = 0;  ///< user and system time of both sides, per call
};

/// A running server and its client.
class Pair {
 public:
  Pair(const System& system, const Placement& placement);
  Sample run(const std::string& workload, std::size_t count);
  /// The times of `count` calls, in nanoseconds.
  std::vector<double> times(const std::string& workload, std::size_t count);
  /// The client's answer after "ok". Throws std::runtime_error if it answers anything else.
  std::istringstream command(const std::string& workload, const std::string& rest);
  /// User and system time of both sides.
  [[nodiscard]] std::chrono::nanoseconds cpu_time() const;
  [[nodiscard]] pid_t server_pid() const noexcept { return server_->pid(); }
  [[nodiscard]] pid_t client_pid() const noexcept { return client_->pid(); }
  /// The first line that the server printed.
  [[nodiscard]] const std::string& reference() const noexcept { return reference_; }

 private:
  std::unique_ptr<Process> server_;
  std::unique_ptr<Process> client_;
  std::string reference_;
};

/// The system of cubit_systems() with that name.
System cubit_system(const std::string& name, const std::string& omniorb_program = {});
/// Whether the system needs RouDi, the daemon of iceoryx.
bool uses_iceoryx(const System& system);

/// A client's command line with the reference of its server.
std::vector<std::string> with_reference(std::vector<std::string> client,
                                        const std::string& reference);

}  // namespace perigee::bench
