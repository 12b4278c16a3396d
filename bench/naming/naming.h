// `perigee bench naming`: the naming service, compared with calls of the same server and with a C
// program that inserts the same rows.
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
  std::string peers_program;           ///< naming_peers
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
  /// not enough, because other programs may disturb one of its ends.
  std::vector<double> first_page_us;
  std::vector<double> last_page_us;
};

struct NamingReport {
  NamingOptions options;
  std::vector<NamingSample> samples;
  NamingScale scale;
};

/// Runs the experiment. The two sides of each ratio take turns.
NamingReport run_naming(const NamingOptions& options);
/// The goals for which the report has measurements.
std::vector<Claim> claims_of(const NamingReport& report);

std::string to_table(const NamingReport& report);
std::string to_json(const NamingReport& report);
std::string to_html(const NamingReport& report);

/// Adds the command of the experiment to `perigee bench`.
void add_naming_command(CLI::App& bench);

}  // namespace perigee::bench
