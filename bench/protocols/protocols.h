// `perigee bench protocols`: whether the pluggable protocols reach their speed goals. One report
// with the parts of cubit and ttcp that the goals use, and a line for each goal.
#pragma once

#include "cubit/cubit.h"
#include "harness/claims.h"
#include "ttcp/ttcp.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

struct ProtocolsReport {
  CubitReport cubit;
  TtcpReport ttcp;
  std::vector<Claim> claims;
};

struct ProtocolsOptions {
  CubitOptions cubit;
  TtcpOptions ttcp;
  bool counts = false;  ///< also instructions, system calls and allocations
};

/// The parts of both experiments that the goals need, with default amounts.
ProtocolsOptions protocols_options();
ProtocolsReport run_protocols(const ProtocolsOptions& options);
/// The goals for which the reports have measurements.
std::vector<Claim> claims_of(const CubitReport& cubit, const TtcpReport& ttcp);

std::string to_table(const ProtocolsReport& report);
std::string to_json(const ProtocolsReport& report);
std::string to_html(const ProtocolsReport& report);

/// Adds the command of the experiment to `perigee bench`.
void add_protocols_command(CLI::App& bench);

}  // namespace perigee::bench
