// Runs parts of cubit and ttcp, and compares the results with the goals.
#include "protocols.h"

#include <algorithm>
#include <iterator>

namespace perigee::bench {
namespace {

constexpr std::size_t tiny_buffer = 4;
constexpr std::size_t small_buffer = 1024;

// The ratio UNIX / TCP of the ORB may be 5 % larger than the ratio of the bare sockets.
void add_transports(std::vector<Claim>& claims, const CubitReport& report) {
  constexpr double room = 1.05;
  const auto floor = find_compared(report, "void", {"raw UNIX", "raw TCP"});
  const auto orb = find_compared(report, "void", {"GIOP UNIX", "GIOP TCP"});
  if (floor && orb)
    claims.push_back({"void: GIOP UNIX / GIOP TCP, as raw UNIX / raw TCP", Bound::at_most,
                      floor->value * room, *orb});
}

void add_messages(std::vector<Claim>& claims, const CubitReport& report) {
  for (const std::string& workload : report.options.workloads)
    for (const std::string network : {"TCP", "UNIX"}) {
      const Comparison comparison{"GIOPlite " + network, "GIOP " + network};
      if (const auto ratio = find_compared(report, workload, comparison))
        claims.push_back({workload + ": " + to_text(comparison), Bound::at_most, 1, *ratio});
    }
}

void add_oneways(std::vector<Claim>& claims, const TtcpReport& report) {
  const std::string buffered = "ORB octets buffered";
  for (const TtcpTable& table : report.tables) {
    if (const auto tiny = table.compared.find(tiny_buffer); tiny != table.compared.end())
      for (const TtcpCompared& compared : tiny->second)
        if (compared.comparison.system == buffered)
          claims.push_back({"oneways of 4 octets: " + to_text(compared.comparison), Bound::at_least,
                            6, compared.throughput});
    const auto small = table.cells.find(small_buffer);
    if (small != table.cells.end() && small->second.contains(buffered))
      claims.push_back({"oneways of 1 KiB: " + buffered + " / C TCP", Bound::at_least, 1,
                        small->second.at(buffered).throughput_ratio});
  }
}

}  // namespace

ProtocolsOptions protocols_options() {
  ProtocolsOptions options;
  options.cubit.systems = quick_cubit_systems();
  options.ttcp.versions = {"null", "ORB octets", "ORB octets buffered"};
  options.ttcp.sizes = {tiny_buffer, small_buffer};
  options.ttcp.queue_sizes = {0};
  options.ttcp.rounds = options.cubit.rounds;
  return options;
}

std::vector<Claim> claims_of(const CubitReport& cubit, const TtcpReport& ttcp) {
  std::vector<Claim> claims = claims_of(cubit);
  add_transports(claims, cubit);
  add_messages(claims, cubit);
  add_oneways(claims, ttcp);
  std::ranges::copy(claims_of(ttcp), std::back_inserter(claims));
  return claims;
}

ProtocolsReport run_protocols(const ProtocolsOptions& options) {
  ProtocolsReport report{run_cubit(options.cubit), run_ttcp(options.ttcp), {}};
  if (options.counts) count_costs(report.cubit);
  report.claims = claims_of(report.cubit, report.ttcp);
  report.cubit.claims.clear();  // this report has its own list of claims
  report.ttcp.claims.clear();
  return report;
}

}  // namespace perigee::bench
