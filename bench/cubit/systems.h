// The systems that the cubit experiment compares, and how each is started.
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

/// One system: a server's and a client's command line. "{REF}" in the client's stands for what the
/// server prints first (an address or an IOR).
struct System {
  std::string name;
  std::vector<std::string> server;
  std::vector<std::string> client;
  std::string floor = {};  ///< the name of the system that it is compared with
};

/// Over TCP and over UNIX-domain sockets: the floor twice ("raw" and "null": the same program, to
/// show what chance does), with messages as short as GIOPlite's ("rawlite"), and with a server that
/// waits with epoll_wait ("raw epoll"); Perigee with GIOP and with GIOPlite, in two thread
/// strategies, with GIOP and the strategy "auto", and with asynchronous servants; and omniORB in
/// both of its own if `omniorb_program` is not empty. A floor comes before the systems that are
/// compared with it. Sockets are made in `folder`, which may be empty (no path) for the names only.
std::vector<System> cubit_systems(const std::string& omniorb_program,
                                  const std::filesystem::path& folder);
/// The systems that --quick measures: one thread strategy.
std::vector<std::string> quick_cubit_systems();

/// What the protocols differ by: GIOPlite beside GIOP, UNIX-domain sockets beside TCP. And the
/// kinds of servants, and the thread strategies.
const std::vector<Comparison>& cubit_comparisons();

enum class OmniorbThreads : std::uint8_t { per_connection, pool };
/// The command line of omniORB's server. `endpoint`: as its -ORBendPoint.
std::vector<std::string> omniorb_server(const std::string& program, const std::string& endpoint,
                                        OmniorbThreads threads);

/// The names of the workloads in the order of the report.
const std::vector<std::string>& cubit_workloads();
/// Those of large calls, which are measured only if they are asked for.
std::vector<std::string> large_cubit_workloads();
/// Octets that a call of the workload carries at most, there and back; 0: few.
std::size_t large_size_of(const std::string& workload);
/// Has the ORBs take messages with so many octets of arguments, if their defaults do not.
void allow_large_messages(std::vector<System>& systems, std::size_t size);

/// Which CPUs server and client are pinned to.
struct Placement {
  int server_cpu = -1;
  int client_cpu = -1;
};

/// `split`: on two CPUs, else on one. Throws std::runtime_error if there are no two.
Placement placement_of(bool split);

/// Then others take their place: where a process happens to lie in memory makes some percent, which
/// no number of rounds with the same processes would show.
inline constexpr std::size_t rounds_a_process = 3;

/// One call's cost in one round.
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
  /// How long each of so many calls took, in nanoseconds.
  std::vector<double> times(const std::string& workload, std::size_t count);
  /// What the client answers behind "ok". Throws std::runtime_error if it answers anything else.
  std::istringstream command(const std::string& workload, const std::string& rest);
  /// User and system time of both sides.
  [[nodiscard]] std::chrono::nanoseconds cpu_time() const;
  /// What the server has printed first.
  [[nodiscard]] const std::string& reference() const noexcept { return reference_; }

 private:
  std::unique_ptr<Process> server_;
  std::unique_ptr<Process> client_;
  std::string reference_;
};

/// The one of cubit_systems() that has the name.
System cubit_system(const std::string& name, const std::string& omniorb_program = {});

/// A client's command line with the reference that its server has printed.
std::vector<std::string> with_reference(std::vector<std::string> client,
                                        const std::string& reference);

}  // namespace perigee::bench
