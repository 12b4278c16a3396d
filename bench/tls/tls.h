// `perigee bench tls`: calls and handshakes over TLS, compared with C programs that use OpenSSL,
// and with omniORB.
#pragma once

#include "cubit/cubit.h"
#include "cubit/systems.h"
#include "harness/claims.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

enum class TlsSystems : std::uint8_t { all, with_goals };

struct TlsBenchOptions {
  std::size_t rounds = 30;
  std::size_t calls = 500;  ///< without parameters, per system and round; see tls_count()
  std::vector<std::string> workloads;
  TlsSystems systems = TlsSystems::all;
  std::string peers_program;    ///< tls_peers
  std::string omniorb_program;  ///< empty: without omniORB
};

/// Ratios to another system in the same round.
struct TlsRatio {
  Estimate time;  ///< of p50
  Estimate cpu;   ///< of the CPU time per call, both sides
};

struct TlsCell {
  TlsRatio to_floor;    ///< to "C TLS"
  TlsRatio to_omniorb;  ///< zero without omniORB
  double p50_ns = 0;    ///< median of the rounds
  double cpu_ns = 0;    ///< the same
  SideCounts counts;    ///< all zero: not counted
};

struct TlsPart {
  std::string workload;
  std::size_t count = 0;  ///< calls of a round
  std::vector<System> systems;
  std::map<std::string, TlsCell> cells;  ///< by system
};

struct TlsReport {
  TlsBenchOptions options;
  std::vector<TlsPart> parts;
  std::vector<Claim> claims = {};  ///< see claims_of()
};

/// "void" and "borrowed1048576" as in the cubit experiment. "connect" and "resume": a connection
/// with its handshake, one call without parameters, and the close.
const std::vector<std::string>& tls_workloads();
/// A description of the workload: "a call without parameters".
std::string tls_workload_text(const std::string& workload);
/// Large calls and handshakes take longer, so a round has fewer of them.
std::size_t tls_count(const TlsBenchOptions& options, const std::string& workload);

/// The ratio that the goals limit. Large calls and handshakes take so long that other programs of
/// the machine interrupt most of them, so the goals limit their CPU time.
const Estimate& tls_measure(const TlsRatio& ratio, const std::string& workload);

/// Makes the certificates of the experiment in a folder.
void make_tls_files(const std::filesystem::path& folder);
/// The systems of a workload; the floor is the first. They use the files of the folder.
std::vector<System> tls_systems(const TlsBenchOptions& options, const std::string& workload,
                                const std::filesystem::path& folder);

/// Runs the experiment. Systems take turns, in an order that rotates from round to round.
TlsReport run_tls(const TlsBenchOptions& options);
/// Adds the counts of calls without parameters to the report.
void count_costs(TlsReport& report);
/// The goals for which the report has measurements.
std::vector<Claim> claims_of(const TlsReport& report);

std::string to_table(const TlsReport& report);
std::string to_json(const TlsReport& report);
std::string to_html(const TlsReport& report);

/// Adds the command of the experiment to `perigee bench`.
void add_tls_command(CLI::App& bench);

}  // namespace perigee::bench
