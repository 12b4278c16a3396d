// `perigee bench connections`: measures the server's CPU time of a call, with many connections in a
// closed loop. Compares Perigee with omniORB and with C servers (epoll, or a thread for each
// connection).
#pragma once

#include "harness/claims.h"
#include "harness/comparison.h"
#include "harness/statistics.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

struct ConnectionsOptions {
  std::size_t rounds = 30;
  std::size_t connections = 256;
  std::size_t calls = 20'000;        ///< per system and round, over all connections
  std::vector<std::string> systems;  ///< only these, in addition to the floor; empty: all
  std::string omniorb_program;
};

/// The results of one system, over all rounds. Times per call.
struct ConnectionsRow {
  std::string system;
  Estimate server_ratio;  ///< the server's CPU time, divided by the raw server's in the same round
  Estimate total_ratio;   ///< the same for server and client together
  double server_ns = 0;   ///< medians
  double total_ns = 0;
  double elapsed_ns = 0;
  std::size_t threads = 0;  ///< the largest number in the server after a round
};

struct ConnectionsReport {
  ConnectionsOptions options;
  std::vector<ConnectionsRow> rows;
  /// Ratios of the CPU time of server and client together, in the same round, for measured systems.
  std::vector<std::pair<Comparison, Estimate>> compared;
  std::size_t cpus = 0;  ///< CPUs that the servers may use
};

/// Systems take turns, in an order that rotates from round to round.
ConnectionsReport run_connections(const ConnectionsOptions& options);
/// The goals for which the report has measurements.
std::vector<Claim> claims_of(const ConnectionsReport& report);
std::string to_table(const ConnectionsReport& report);
std::string to_json(const ConnectionsReport& report);
std::string to_html(const ConnectionsReport& report);

/// The floor: prints its port, then answers GIOP requests with fixed octets until it is killed.
/// `threads` threads wait with epoll_wait.
int run_connections_server(std::size_t threads);
/// The same with a blocking thread for each connection.
int run_connections_thread_server();
/// Connects to an IOR (over TCP or through shared memory), or to a port of the floor. Then reads
/// numbers from standard input, and makes as many calls for each number.
int run_connections_client(const std::string& reference, std::size_t connections);

/// Adds the command of the experiment, and its roles, to `perigee bench`.
void add_connections_command(CLI::App& bench);

}  // namespace perigee::bench
