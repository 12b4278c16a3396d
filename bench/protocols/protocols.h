// `perigee bench protocols`: whether the pluggable protocols are as fast as they are meant to be.
// The parts of cubit and ttcp that their goals are about, in one report, and a line for each goal.
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
  bool counts = false;  ///< instructions, system calls and allocations, too
};

/// What of both experiments the goals are about, but for how much is measured.
ProtocolsOptions protocols_options();
ProtocolsReport run_protocols(const ProtocolsOptions& options);
/// The goals that what was measured says something about.
std::vector<Claim> claims_of(const CubitReport& cubit, const TtcpReport& ttcp);

std::string to_table(const ProtocolsReport& report);
std::string to_json(const ProtocolsReport& report);
std::string to_html(const ProtocolsReport& report);

/// Adds the command of the experiment to `perigee bench`.
void add_protocols_command(CLI::App& bench);

}  // namespace perigee::bench
