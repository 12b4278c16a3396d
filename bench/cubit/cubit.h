// `perigee bench cubit`: two-way calls of all basic kinds with every protocol, compared with a raw
// ping-pong over the same transport and with omniORB.
#pragma once

#include "harness/claims.h"
#include "harness/statistics.h"
#include "systems.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

class Page;

struct CubitOptions {
  std::size_t rounds = 30;
  std::size_t calls = 500;          ///< per workload, system and round
  std::size_t volume = 256u << 20;  ///< octets of the large calls of a round; limits their number
  bool split = false;               ///< server and client on two CPUs instead of one
  bool floor_only = false;          ///< leave omniORB and iceoryx out, even if installed
  std::vector<std::string> workloads;
  std::vector<std::string> systems;  ///< with their floors; empty: all
  PeerPrograms peers;
};

/// The cost of one call on one side of a system.
struct Counts {
  double instructions = 0;  ///< in user space
  double system_calls = 0;
  double allocations = 0;  ///< calls of malloc and its relatives
};

struct SideCounts {
  Counts client;
  Counts server;
};

/// The results of one system in one workload, over all rounds.
struct Cell {
  Estimate ratio;         ///< p50 / p50 of the floor in the same round: median over the rounds
  Estimate mean_ratio;    ///< the same for the means
  Estimate median_ns;     ///< median of the rounds' p50, with its interval
  double p50_ns = 0;      ///< the same without the interval
  double p50_low_ns = 0;  ///< 10th and 90th percentile of the rounds' p50: the spread
  double p50_high_ns = 0;
  double cpu_ns = 0;  ///< median CPU time per call, both sides
  SideCounts counts;  ///< all zero: not counted
};

struct CubitReport {
  CubitOptions options;
  std::vector<System> systems;
  std::map<std::string, std::map<std::string, Cell>> cells;  ///< by workload, then system
  std::vector<Comparison> comparisons;                       ///< of measured systems
  /// The ratios of p50 in the same round, by workload and in the order of `comparisons`.
  std::map<std::string, std::vector<Estimate>> compared;
  std::vector<Claim> claims = {};  ///< see claims_of()
  /// The reasons why systems were not measured, by system.
  std::map<std::string, std::string> absent = {};
};

/// Null if the system was not measured with this workload.
const Cell* find_cell(const CubitReport& report, const std::string& workload,
                      const std::string& system);
/// None if the two systems were not measured.
std::optional<Estimate> find_compared(const CubitReport& report, const std::string& workload,
                                      const Comparison& wanted);

/// The goals for which the report has measurements.
std::vector<Claim> claims_of(const CubitReport& report);
/// The systems and the workloads of the goals.
std::vector<std::string> goal_systems();
std::vector<std::string> goal_workloads();

/// Runs the experiment. Systems take turns, in an order that rotates from round to round.
CubitReport run_cubit(const CubitOptions& options);

/// The chosen systems, and the floors that they are compared with. Unknown names have no effect;
/// the command checks the names.
std::vector<System> chosen_systems(const CubitOptions& options,
                                   const std::filesystem::path& folder);

/// The same without the systems that could not be measured.
std::vector<System> measured_systems(const CubitReport& report,
                                     const std::filesystem::path& folder);

/// A system whose sockets are in a folder.
using SystemIn = std::function<System(const std::filesystem::path& folder)>;
/// The cost of a call on each side, counted by callgrind (two runs of different lengths, so that
/// start-up cancels out). Both sides run on `cpu`, or on any CPU. Needs valgrind.
SideCounts count_calls(const SystemIn& system, const std::string& workload, int cpu = -1);
/// Adds the counts to the report, for all systems and workloads, and the goals of the counts.
void count_costs(CubitReport& report);
bool is_counted(const SideCounts& counts);
/// The names of the columns of a table of counts, and the texts of a row: "<client> + <server>".
const std::vector<std::string>& count_columns();
std::vector<std::string> count_texts(const SideCounts& counts);
nlohmann::json to_json(const SideCounts& counts);

std::string to_table(const CubitReport& report);
std::string to_json(const CubitReport& report);
std::string to_html(const CubitReport& report);
/// A chart of the first workload, as the text of an SVG file.
std::string to_picture(const CubitReport& report);
/// Adds the contents of the page of to_html() to another page.
void add_to(Page& page, const CubitReport& report);

/// Adds the command of the experiment, and its roles, to `perigee bench`.
void add_cubit_command(CLI::App& bench);

}  // namespace perigee::bench
