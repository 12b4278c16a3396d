// Runs the tls experiment: rounds over the systems of a workload in turn. A ratio compares two
// systems in the same round.
#include "tls.h"

#include "harness/progress.h"
#include "harness/samples.h"
#include "harness/temporary_folder.h"

#include <algorithm>

namespace perigee::bench {
namespace {

using Samples = std::vector<std::vector<Sample>>;  // by system, in the order of the part

TlsRatio ratios(const std::vector<Sample>& samples, const std::vector<Sample>& base) {
  return {ratio(samples, base, &Sample::p50_ns), ratio(samples, base, &Sample::cpu_ns)};
}

void summarise(TlsPart& part, const Samples& samples) {
  const auto omniorb = std::ranges::find(part.systems, "omniORB", &System::name);
  for (std::size_t index = 0; index < part.systems.size(); ++index) {
    TlsCell& cell = part.cells[part.systems[index].name];
    cell.to_floor = ratios(samples[index], samples.front());
    if (omniorb != part.systems.end()) cell.to_omniorb = ratios(samples[index], samples.back());
    cell.p50_ns = median(column(samples[index], &Sample::p50_ns));
    cell.cpu_ns = median(column(samples[index], &Sample::cpu_ns));
  }
}

/// Runs the rounds from `first` to `end` with the same processes.
void run_processes(const TlsPart& part, std::size_t first, std::size_t end, Samples& samples,
                   Progress& progress) {
  std::vector<Pair> pairs;
  for (const System& system : part.systems) {
    pairs.emplace_back(system, placement_of(false));
    pairs.back().run(part.workload, std::max<std::size_t>(part.count / 5, 2));  // warm up
  }
  for (std::size_t round = first; round < end; ++round) {
    progress.step(tls_workload_text(part.workload));
    for (std::size_t turn = 0; turn < pairs.size(); ++turn) {
      const std::size_t index = (turn + round) % pairs.size();
      samples[index].push_back(pairs[index].run(part.workload, part.count));
    }
  }
}

}  // namespace

TlsReport run_tls(const TlsBenchOptions& options) {
  TlsReport report{options, {}};
  if (report.options.workloads.empty()) report.options.workloads = tls_workloads();
  const TemporaryFolder folder;
  make_tls_files(folder.path());
  Progress progress("tls", report.options.workloads.size() * options.rounds);
  for (const std::string& workload : report.options.workloads) {
    TlsPart part{
        workload, tls_count(options, workload), tls_systems(options, workload, folder.path()), {}};
    Samples samples(part.systems.size());
    for (std::size_t first = 0; first < options.rounds; first += rounds_a_process)
      run_processes(part, first, std::min(first + rounds_a_process, options.rounds), samples,
                    progress);
    summarise(part, samples);
    report.parts.push_back(std::move(part));
  }
  report.claims = claims_of(report);
  return report;
}

void count_costs(TlsReport& report) {
  const TemporaryFolder folder;
  make_tls_files(folder.path());
  for (TlsPart& part : report.parts) {
    if (part.workload != "void") continue;
    Progress progress("counting", part.systems.size());
    for (const System& system : tls_systems(report.options, part.workload, folder.path())) {
      progress.step(system.name);
      part.cells[system.name].counts = count_calls(
          [&system](const std::filesystem::path& /*sockets*/) { return system; }, part.workload);
    }
  }
}

}  // namespace perigee::bench
