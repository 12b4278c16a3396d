// `perigee bench naming`: compares the naming service with calls of the same server, and with a C
// program that inserts the same rows. Also measures a service with many names or many clients.
#pragma once

#include "harness/claims.h"

#include <cstddef>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

struct NamingOptions {
  std::size_t rounds = 6;
  std::size_t calls = 20'000;          ///< of each kind and round
  std::size_t binds_alone = 300;       ///< of one client, in a round
  std::size_t binds_together = 6'400;  ///< of 64 clients, in a round
  std::size_t names = 1'000'000;       ///< of the measurement of scale; 0: leave it out
  /// Connected clients of each measurement with many clients; 0: leave it out.
  std::vector<std::size_t> clients{100, 1'000, 10'000};
  std::string peers_program;  ///< naming_peers
};

/// Rates per second of one round.
struct NamingSample {
  double void_calls = 0;
  double resolves = 0;
  double binds_alone = 0;
  double rows_alone = 0;  ///< of the C program: one row a commit
  double binds_together = 0;
  double rows_together = 0;  ///< of the C program: 64 rows a commit
};

/// Values of a naming service with many names.
struct NamingScale {
  double memory_mib = 0;  ///< of a process with the names in memory
  double file_mib = 0;    ///< of a server with the names in a file, after all were listed
  double start_s = 0;     ///< of that server, until it prints its reference
  /// A page of 1,000 bindings: medians of 50 pages, for each pass over the whole list. One pass is
  /// not enough, because other programs may disturb its first or its last page.
  std::vector<double> first_page_us;
  std::vector<double> last_page_us;
};

/// A server with many connected clients, each with a connection of its own. The clients resolve in
/// turn: `naming_in_flight_max` of them wait for a reply at a time.
struct NamingClients {
  std::size_t clients = 0;
  bool fits = true;   ///< false: not measured, because a process may not open so many files
  double octets = 0;  ///< the server's own memory for each client
  std::vector<double> p50_us;  ///< for each pass over the calls, like the next members
  std::vector<double> p99_us;
  std::vector<double> rate;      ///< resolves per second
  std::vector<double> burst_ms;  ///< all clients resolve at once: time until each has its reply
};
inline constexpr std::size_t naming_in_flight_max = 64;

struct NamingReport {
  NamingOptions options;
  std::vector<NamingSample> samples;
  NamingScale scale;
  std::vector<NamingClients> clients;
};

/// Runs the experiment. The two sides of each ratio take turns.
NamingReport run_naming(const NamingOptions& options);
/// The goals for which the report has measurements.
std::vector<Claim> claims_of(const NamingReport& report);

std::string to_table(const NamingReport& report);
std::string to_json(const NamingReport& report);
std::string to_html(const NamingReport& report);

/// The clients of a measurement with many clients. Connects them to the root context, resolves the
/// name "resolved.service" once with each, and prints "ready". For each number of calls in its
/// input, prints p50 and p99 in microseconds, the calls per second, and the milliseconds of a call
/// of all clients at once.
int run_naming_clients(const std::string& root, std::size_t clients);
/// Clients that bind names. Each client makes one call at a time. One thread has all their
/// connections, so that the clients take little of the CPUs that the server needs. Prints the
/// bindings per second.
int run_naming_binders(const std::string& root, std::size_t clients, std::size_t calls);

/// Adds the command of the experiment, and its role, to `perigee bench`.
void add_naming_command(CLI::App& bench);

}  // namespace perigee::bench
