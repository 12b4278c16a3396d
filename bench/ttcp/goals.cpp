// The goals for oneway calls, compared with the measurements.
#include "harness/chart.h"
#include "ttcp.h"

#include <fmt/format.h>

#include <algorithm>

namespace perigee::bench {
namespace {

constexpr std::size_t small_buffer = 1024;
constexpr std::size_t large_buffer_min = 64 * 1024;

std::string size_text(std::size_t size) { return octets_text(static_cast<double>(size)); }

// Converts a ratio of throughputs into a ratio of times.
Estimate time_ratio(const Estimate& throughput) {
  return {1 / throughput.value, 1 / throughput.high, 1 / throughput.low};
}

struct SizedRatio {
  std::size_t size = 0;
  Estimate ratio;
};

/// The ratios of one version at all sizes of large buffers.
struct Large {
  std::vector<SizedRatio> times;
  std::vector<SizedRatio> cpu_times;

  void add(std::size_t size, const Estimate& throughput, const Estimate& cpu) {
    times.push_back({size, time_ratio(throughput)});
    cpu_times.push_back({size, cpu});
  }
};

// One line for all sizes: a goal for each size is met if it is met at the worst size.
void add_worst(std::vector<Claim>& claims, const std::string& what, double goal,
               const std::vector<SizedRatio>& ratios) {
  if (ratios.empty()) return;
  const auto value = [](const SizedRatio& each) { return each.ratio.value; };
  const SizedRatio worst = std::ranges::max(ratios, {}, value);
  claims.push_back({what + ", " + size_text(worst.size), Bound::at_most, goal, worst.ratio});
  if (ratios.size() == 1) return;
  const auto met =
      std::ranges::count_if(ratios, [&](const SizedRatio& each) { return value(each) <= goal; });
  claims.back().note = fmt::format("worst of {} sizes; {} met", ratios.size(), met);
}

void add_large(std::vector<Claim>& claims, const Comparison& comparison, double goal,
               const Large& large) {
  add_worst(claims, to_text(comparison) + ": time", goal, large.times);
  add_worst(claims, to_text(comparison) + ": CPU", goal, large.cpu_times);
}

// The largest allowed ratios to the C program, for the time and the CPU time per buffer, at each
// size of large buffers.
const std::vector<ComparisonGoal>& large_goals() {
  static const std::vector<ComparisonGoal> goals{
      {{"ORB octets borrowed", "C TCP"}, 1.05},
      {{"ORB octets", "C TCP"}, 1.4},
      {{"ORB octets borrowed UNIX", "C UNIX-domain"}, 1.15},
      {{"ORB octets UNIX", "C UNIX-domain"}, 2.0},
  };
  return goals;
}

void add_floors(std::vector<Claim>& claims, const TtcpTable& table) {
  for (const auto& [comparison, goal] : large_goals()) {
    Large large;
    for (const auto& [size, cells] : table.cells)
      if (const auto cell = cells.find(comparison.system);
          size >= large_buffer_min && cell != cells.end())
        large.add(size, cell->second.throughput_ratio, cell->second.cpu_ratio);
    add_large(claims, comparison, goal, large);
  }
}

void add_peers(std::vector<Claim>& claims, const TtcpTable& table) {
  for (const Comparison& comparison : ttcp_comparisons()) {
    if (!comparison.base.starts_with("omniORB")) continue;
    Large large;
    for (const auto& [size, all] : table.compared)
      for (const TtcpCompared& compared : all)
        if (size >= large_buffer_min && to_text(compared.comparison) == to_text(comparison))
          large.add(size, compared.throughput, compared.cpu);
    add_large(claims, comparison, 1, large);
  }
}

// Each buffer is copied into shared memory, and out of it. Perigee has no buffers yet that neither
// side copies, so no goal is about them.
void add_shared_memory(std::vector<Claim>& claims, const TtcpTable& table) {
  constexpr double copied = 3;
  const auto found = table.compared.find(large_buffer_min);
  if (found == table.compared.end()) return;
  for (const auto& [comparison, throughput, cpu] : found->second)
    if (comparison.system.ends_with(" SHM") && comparison.base == "C TCP")
      claims.push_back(
          {size_text(large_buffer_min) + ": " + to_text(comparison) + ", buffers per CPU second",
           Bound::at_least,
           copied,
           {1 / cpu.value, 1 / cpu.high, 1 / cpu.low}});
}

void add_small(std::vector<Claim>& claims, const TtcpTable& table) {
  const auto found = table.compared.find(small_buffer);
  if (found == table.compared.end()) return;
  for (const TtcpCompared& compared : found->second)
    if (compared.comparison.system == "ORB octets")
      claims.push_back({"oneways of 1 KiB: " + to_text(compared.comparison) + ", CPU",
                        Bound::at_most, 1, compared.cpu});
}

}  // namespace

std::vector<Claim> claims_of(const TtcpReport& report) {
  std::vector<Claim> claims;
  for (const TtcpTable& table : report.tables) {
    if (table.queue_size != 0) continue;  // the goals apply to queues of the system's default size
    add_small(claims, table);
    add_floors(claims, table);
    add_peers(claims, table);
    add_shared_memory(claims, table);
  }
  return claims;
}

}  // namespace perigee::bench
