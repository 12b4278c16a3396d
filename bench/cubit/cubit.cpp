// Runs the cubit experiment: rounds over all systems in turn. A ratio compares two systems in the
// same round.
#include "cubit.h"

#include "harness/progress.h"
#include "harness/roudi.h"
#include "harness/samples.h"
#include "harness/temporary_folder.h"
#include "raw.h"

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

namespace perigee::bench {
namespace {

using Rounds = std::map<std::string, std::vector<Sample>>;  // by system

Cell summarise(const std::vector<Sample>& samples, const std::vector<Sample>& floor) {
  static constexpr std::array<double, 2> fractions{0.1, 0.9};
  const std::vector<double> p50_range = percentiles(column(samples, &Sample::p50_ns), fractions);
  Cell cell;
  cell.ratio = ratio(samples, floor, &Sample::p50_ns);
  cell.mean_ratio = ratio(samples, floor, &Sample::mean_ns);
  cell.median_ns = median_with_interval(column(samples, &Sample::p50_ns));
  cell.p50_ns = cell.median_ns.value;
  cell.p50_low_ns = p50_range[0];
  cell.p50_high_ns = p50_range[1];
  cell.cpu_ns = median(column(samples, &Sample::cpu_ns));
  return cell;
}

// Large workloads make fewer calls.
std::size_t calls_of(const std::string& workload, const CubitOptions& options) {
  const std::size_t size = large_size_of(workload);
  if (size == 0) return options.calls;
  return std::clamp<std::size_t>(options.volume / size, 1, options.calls);
}

// One round over all systems in turn. Each round begins with another system, so that no system
// always follows the same neighbour.
void run_round(std::vector<Pair>& pairs, const CubitReport& report, const std::string& workload,
               std::size_t round, Rounds& rounds) {
  for (std::size_t turn = 0; turn < pairs.size(); ++turn) {
    const std::size_t index = (turn + round) % pairs.size();
    rounds[report.systems[index].name].push_back(
        pairs[index].run(workload, calls_of(workload, report.options)));
  }
}

struct Range {
  std::size_t begin;
  std::size_t end;
};

// Runs some rounds of all workloads with new processes in a new folder, because servers leave their
// sockets behind.
void run_processes(const CubitReport& report, const Range& range,
                   std::map<std::string, Rounds>& rounds, Progress& progress) {
  const TemporaryFolder folder;
  const Placement placement = placement_of(report.options.split);
  std::vector<Pair> pairs;
  for (const System& system : measured_systems(report, folder.path()))
    pairs.emplace_back(system, placement);
  for (const std::string& workload : report.options.workloads) {
    const std::size_t warm_up =
        large_size_of(workload) == 0 ? 200 : std::min<std::size_t>(2, report.options.calls);
    for (Pair& pair : pairs)
      pair.run(workload, std::max(calls_of(workload, report.options), warm_up));
    for (std::size_t round = range.begin; round < range.end; ++round) {
      progress.step(workload);
      run_round(pairs, report, workload, round, rounds[workload]);
    }
  }
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_measured(const std::vector<System>& systems, const std::string& name) {
  return std::ranges::find(systems, name, &System::name) != systems.end();
}

// Starts RouDi if a system uses iceoryx. If RouDi does not start, the report has the reason in
// place of the results of this system.
std::unique_ptr<Roudi> start_roudi(CubitReport& report) {
  const auto found = std::ranges::find_if(report.systems, uses_iceoryx);
  if (found == report.systems.end()) return nullptr;
  std::vector<std::size_t> sizes;
  for (const std::string& workload : report.options.workloads)
    sizes.push_back(std::max(giop_sizes(workload).request, giop_sizes(workload).reply));
  try {
    return std::make_unique<Roudi>(sizes);
  } catch (const std::runtime_error& failure) {
    report.absent[found->name] = failure.what();
    report.systems.erase(found);
    return nullptr;
  }
}

void summarise_rounds(CubitReport& report, const std::string& workload, Rounds& rounds) {
  for (const System& system : report.systems)
    report.cells[workload][system.name] = summarise(rounds[system.name], rounds[system.floor]);
  for (const auto& [system, base] : report.comparisons)
    report.compared[workload].push_back(ratio(rounds[system], rounds[base], &Sample::p50_ns));
}

}  // namespace

std::vector<System> chosen_systems(const CubitOptions& options,
                                   const std::filesystem::path& folder) {
  std::vector<System> systems =
      cubit_systems(options.floor_only ? PeerPrograms{} : options.peers, folder);
  std::size_t large = 0;
  for (const std::string& workload : options.workloads)
    large = std::max(large, large_size_of(workload));
  if (large != 0) allow_large_messages(systems, large);
  if (options.systems.empty()) return systems;
  std::vector<std::string> wanted;
  for (const System& system : systems)
    if (contains(options.systems, system.name))
      wanted.insert(wanted.end(), {system.name, system.floor});
  std::erase_if(systems, [&](const System& system) { return !contains(wanted, system.name); });
  return systems;
}

std::vector<System> measured_systems(const CubitReport& report,
                                     const std::filesystem::path& folder) {
  std::vector<System> systems = chosen_systems(report.options, folder);
  std::erase_if(systems, [&](const System& system) { return report.absent.contains(system.name); });
  return systems;
}

CubitReport run_cubit(const CubitOptions& options) {
  CubitReport report{options, chosen_systems(options, {}), {}, {}, {}, {}, {}};
  if (report.options.workloads.empty()) report.options.workloads = cubit_workloads();
  const std::unique_ptr<Roudi> roudi = start_roudi(report);
  for (const Comparison& comparison : cubit_comparisons())
    if (is_measured(report.systems, comparison.system) &&
        is_measured(report.systems, comparison.base))
      report.comparisons.push_back(comparison);
  Progress progress("cubit", report.options.workloads.size() * options.rounds);
  std::map<std::string, Rounds> rounds;  // by workload
  for (std::size_t first = 0; first < options.rounds; first += rounds_a_process)
    run_processes(report, {first, std::min(first + rounds_a_process, options.rounds)}, rounds,
                  progress);
  for (const std::string& workload : report.options.workloads)
    summarise_rounds(report, workload, rounds[workload]);
  report.claims = claims_of(report);
  return report;
}

}  // namespace perigee::bench
