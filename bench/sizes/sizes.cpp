// Runs the cubit experiment with one workload for each size.
#include "sizes.h"

#include "cubit/workloads.h"

#include <algorithm>

namespace perigee::bench {

// Linked: a large sequence is in a shared buffer, and no side copies it.
const std::vector<SizesWay>& sizes_ways() {
  static const std::vector<SizesWay> ways{{"tcp", "GIOP TCP", "raw TCP"},
                                          {"uiop", "GIOP UNIX", "raw UNIX"},
                                          {"shmiop", "GIOP SHM", "raw SHM"},
                                          {"shmiop linked", "GIOP SHM linked", "raw SHM"}};
  return ways;
}

std::vector<std::size_t> all_sizes() {
  std::vector<std::size_t> sizes(std::begin(cubit::small_borrowed_sizes),
                                 std::end(cubit::small_borrowed_sizes));
  sizes.insert(sizes.end(), std::begin(cubit::large_sizes), std::end(cubit::large_sizes));
  return sizes;
}

SizesReport run_sizes(const SizesOptions& options) {
  SizesReport report{options, {}};
  std::ranges::sort(report.options.sizes);
  CubitOptions calls = options.calls;
  calls.floor_only = true;
  for (const std::size_t size : report.options.sizes)
    calls.workloads.push_back(cubit::borrowed_name(size));
  for (const SizesWay& way : sizes_ways()) calls.systems.push_back(way.system);
  report.calls = run_cubit(calls);
  return report;
}

}  // namespace perigee::bench
