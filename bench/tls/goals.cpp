// The goals of TLS, compared with the measurements. Only this file has their values.
#include "tls.h"

namespace perigee::bench {
namespace {

constexpr double call_goal = 1.15;       // times the C program's time
constexpr double large_goal = 1.05;      // the same for 1 MiB
constexpr double handshakes_goal = 0.9;  // of the C program's rate

Estimate inverse(const Estimate& ratio) { return {1 / ratio.value, 1 / ratio.high, 1 / ratio.low}; }

}  // namespace

std::vector<Claim> claims_of(const TlsReport& report) {
  std::vector<Claim> claims;
  for (const TlsPart& part : report.parts) {
    const TlsCell& cell = part.cells.at("Perigee");
    const Estimate& ratio = tls_measure(cell.to_floor, part.workload);
    const std::string measure = part.workload == "void" ? "" : ", CPU";
    if (part.workload == "connect" || part.workload == "resume")
      claims.push_back({part.workload + ": rate of Perigee / C TLS, CPU", Bound::at_least,
                        handshakes_goal, inverse(ratio)});
    else
      claims.push_back({part.workload + ": Perigee / C TLS" + measure, Bound::at_most,
                        part.workload == "void" ? call_goal : large_goal, ratio});
    if (part.cells.contains("omniORB"))
      claims.push_back({part.workload + ": Perigee / omniORB" + measure, Bound::at_most, 1,
                        tls_measure(cell.to_omniorb, part.workload)});
  }
  return claims;
}

}  // namespace perigee::bench
