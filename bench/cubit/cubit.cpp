// Runs the cubit experiment: rounds of all systems in turn, ratios within a round.
#include "cubit.h"

#include "harness/progress.h"

#include <algorithm>
#include <stdexcept>

namespace perigee::bench {
namespace {

using Rounds = std::map<std::string, std::vector<Sample>>;  // by system

Placement place(bool split) {
  const std::vector<int> cpus = usable_cpus();
  if (split && cpus.size() < 2) throw std::runtime_error("--split needs two CPUs");
  return {cpus.back(), split ? cpus.front() : cpus.back()};
}

template <typename Member>
std::vector<double> column(const std::vector<Sample>& samples, Member member) {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back(sample.*member);
  return values;
}

std::vector<double> ratios(const std::vector<Sample>& samples, const std::vector<Sample>& floor,
                           double Sample::* member) {
  std::vector<double> values;
  for (std::size_t round = 0; round < samples.size(); ++round)
    values.push_back(samples[round].*member / floor[round].*member);
  return values;
}

Cell summarise(const std::vector<Sample>& samples, const std::vector<Sample>& floor) {
  const std::vector<double> p50 = column(samples, &Sample::p50_ns);
  Cell cell;
  cell.ratio = median_with_interval(ratios(samples, floor, &Sample::p50_ns));
  cell.mean_ratio = median_with_interval(ratios(samples, floor, &Sample::mean_ns));
  cell.p50_ns = median(p50);
  cell.p50_low_ns = percentile(p50, 0.1);
  cell.p50_high_ns = percentile(p50, 0.9);
  cell.cpu_ns = median(column(samples, &Sample::cpu_ns));
  return cell;
}

// One round: each system in turn, beginning with another one each time, so that none always
// follows the same neighbour.
void run_round(std::vector<Pair>& pairs, const CubitReport& report, const std::string& workload,
               std::size_t round, Rounds& rounds) {
  for (std::size_t turn = 0; turn < pairs.size(); ++turn) {
    const std::size_t index = (turn + round) % pairs.size();
    rounds[report.systems[index]].push_back(pairs[index].run(workload, report.options.calls));
  }
}

}  // namespace

CubitReport run_cubit(const CubitOptions& options) {
  CubitReport report{options, {}, {}};
  if (report.options.workloads.empty()) report.options.workloads = cubit_workloads();
  const Placement placement = place(options.split);
  std::vector<Pair> pairs;
  for (const System& system :
       cubit_systems(options.floor_only ? std::string() : options.omniorb_program)) {
    report.systems.push_back(system.name);
    pairs.emplace_back(system, placement);
  }
  Progress progress("cubit", report.options.workloads.size() * (options.rounds + 1));
  for (const std::string& workload : report.options.workloads) {
    progress.step(workload);
    for (Pair& pair : pairs)
      pair.run(workload, std::max<std::size_t>(options.calls, 200));  // warm up
    Rounds rounds;
    for (std::size_t round = 0; round < options.rounds; ++round) {
      progress.step(workload);
      run_round(pairs, report, workload, round, rounds);
    }
    for (const std::string& system : report.systems)
      report.cells[workload][system] = summarise(rounds[system], rounds["raw"]);
  }
  return report;
}

}  // namespace perigee::bench
