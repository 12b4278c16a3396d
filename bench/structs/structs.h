// `perigee bench structs`: the CPU time of marshalling structs, compared with omniORB.
#pragma once

#include "harness/statistics.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

struct StructsOptions {
  std::size_t rounds = 30;
  std::size_t calls =
      200;  ///< of a workload per system and round; 50 times as many for single structs
  std::vector<std::string> workloads;
  std::string omniorb_program;  ///< empty: without omniORB
};

/// One workload over all rounds.
struct StructsCell {
  std::size_t octets = 0;  ///< octets of CDR that one call marshals, in both directions
  std::map<std::string, double> cpu_ns;  ///< by system: median CPU time of both sides per octet
  Estimate ratio;         ///< omniORB / Perigee, median over the rounds; 0: not measured
  Estimate shared_ratio;  ///< in the same way: Perigee through shared memory / Perigee over TCP
};

struct StructsReport {
  StructsOptions options;
  std::vector<std::string> systems;
  std::map<std::string, StructsCell> cells;  ///< by workload
};

StructsReport run_structs(const StructsOptions& options);
std::string to_table(const StructsReport& report);
std::string to_json(const StructsReport& report);
std::string to_html(const StructsReport& report);

const std::vector<std::string>& structs_workloads();

/// Adds the command of the experiment, and its roles, to `perigee bench`.
void add_structs_command(CLI::App& bench);

}  // namespace perigee::bench
