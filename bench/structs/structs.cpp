// Runs the struct experiment: rounds over the systems in turn. A ratio compares two systems in the
// same round.
#include "structs.h"

#include "cubit/systems.h"
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "harness/progress.h"
#include "harness/temporary_folder.h"
#include "perigee.h"
#include "workloads.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>

namespace perigee::bench {
namespace {

constexpr const char* over_tcp = "perigee";
constexpr const char* through_memory = "perigee SHM";
constexpr const char* other_orb = "omniORB";

std::vector<System> systems_of(const StructsOptions& options, const std::filesystem::path& folder) {
  const std::string self = own_executable();
  const auto perigee = [&self](const char* name, const std::string& endpoint) {
    return System{name,
                  {self, "bench", "structs-role", "server", endpoint},
                  {self, "bench", "structs-role", "client", "{REF}"}};
  };
  std::vector<System> systems{perigee(over_tcp, "iiop://127.0.0.1:0"),
                              perigee(through_memory, "shmiop://" + (folder / "structs").string())};
  if (!options.omniorb_program.empty()) {
    const std::string& program = options.omniorb_program;
    systems.push_back({other_orb,
                       {program, "server", "-ORBendPoint", "giop:tcp:127.0.0.1:"},
                       {program, "client", "{REF}"}});
  }
  return systems;
}

// Without this, glibc may return the memory of each large sequence to the system, depending on the
// state of the heap. Then the measurement of marshalling would include page faults. The setting
// applies to all systems.
void keep_freed_memory() {
  ::setenv("GLIBC_TUNABLES",
           "glibc.malloc.trim_threshold=16777216:glibc.malloc.mmap_threshold=16777216", 0);
}

// A call with one struct is short, so more calls are made for a precise time.
std::size_t count_of(const std::string& workload, std::size_t calls) {
  return workload == "echo-bin" || workload == "echo-quote" ? 50 * calls : calls;
}

// Marshalling in memory uses no transport, so only one of Perigee's systems measures it.
bool has_workload(const std::string& system, const std::string& workload) {
  return system != through_memory || workload.starts_with("echo");
}

using SystemSamples = std::map<std::string, std::vector<double>>;

// The median of the rounds' ratios; 0 if one of the systems was not measured.
Estimate ratio_of(const SystemSamples& samples, const std::string& system,
                  const std::string& base) {
  if (!samples.contains(system) || !samples.contains(base)) return {};
  std::vector<double> ratios = samples.at(system);
  for (std::size_t round = 0; round < ratios.size(); ++round)
    ratios[round] /= samples.at(base)[round];
  return median_with_interval(ratios);
}

StructsCell run_workload(const std::string& workload, std::size_t octets, std::vector<Pair>& pairs,
                         const StructsReport& report, Progress& progress) {
  const std::size_t count = count_of(workload, report.options.calls);
  for (std::size_t index = 0; index < pairs.size(); ++index)
    if (has_workload(report.systems[index], workload))
      pairs[index].run(workload, count);  // warm up
  SystemSamples samples;
  for (std::size_t round = 0; round < report.options.rounds; ++round) {
    progress.step(workload);
    for (std::size_t turn = 0; turn < pairs.size(); ++turn) {
      const std::size_t index = (turn + round) % pairs.size();
      if (!has_workload(report.systems[index], workload)) continue;
      const Sample sample = pairs[index].run(workload, count);
      samples[report.systems[index]].push_back(sample.cpu_ns / static_cast<double>(octets));
    }
  }
  StructsCell cell;
  cell.octets = octets;
  for (const auto& [system, values] : samples) cell.cpu_ns[system] = median(values);
  cell.ratio = ratio_of(samples, other_orb, over_tcp);
  cell.shared_ratio = ratio_of(samples, through_memory, over_tcp);
  return cell;
}

}  // namespace

const std::vector<std::string>& structs_workloads() { return structs::names(); }

StructsReport run_structs(const StructsOptions& options) {
  StructsReport report{options, {}, {}};
  if (report.options.workloads.empty()) report.options.workloads = structs_workloads();
  keep_freed_memory();
  const int cpu = usable_cpus().back();
  const TemporaryFolder folder;  // outlives the servers
  std::vector<Pair> pairs;
  for (const System& system : systems_of(options, folder.path())) {
    report.systems.push_back(system.name);
    pairs.emplace_back(system, Placement{cpu, cpu});
  }
  const auto sizes = struct_workload_sizes();
  Progress progress("structs", report.options.workloads.size() * options.rounds);
  for (const std::string& workload : report.options.workloads)
    report.cells[workload] = run_workload(workload, sizes.at(workload), pairs, report, progress);
  return report;
}

namespace {

std::string ratio_text(const Estimate& ratio) {
  return ratio.value == 0 ? std::string() : to_text(ratio);
}

}  // namespace

std::string to_table(const StructsReport& report) {
  std::string text = fmt::format(
      "perigee bench structs: {}\nCPU time, both sides, per octet of CDR: medians of {} rounds; "
      "ratio: median of the rounds' omniORB / Perigee; SHM / TCP: of Perigee; {}; one CPU; "
      "GLIBC_TUNABLES={}\n"
      "  {:<14}{:>8}",
      machine_description(), report.options.rounds, interval_text(report.options.rounds),
      std::getenv("GLIBC_TUNABLES"), "", "octets");
  for (const std::string& system : report.systems)
    text += fmt::format("{:>22}", system + " ns/octet");
  text += "   ratio                  SHM / TCP\n";
  for (const std::string& workload : report.options.workloads) {
    const StructsCell& cell = report.cells.at(workload);
    text += fmt::format("  {:<14}{:>8}", workload, cell.octets);
    for (const std::string& system : report.systems)
      text += cell.cpu_ns.contains(system) ? fmt::format("{:>22.3f}", cell.cpu_ns.at(system))
                                           : std::string(22, ' ');
    text += fmt::format("   {:<22} {}\n", ratio_text(cell.ratio), ratio_text(cell.shared_ratio));
  }
  return text;
}

std::string to_json(const StructsReport& report) {
  nlohmann::json document = begin_report("structs");
  document["rounds"] = report.options.rounds;
  for (const auto& [name, cell] : report.cells) {
    nlohmann::json& entry = document["workloads"][name];
    entry = {{"octets", cell.octets},
             {"cpu_ns_per_octet", cell.cpu_ns},
             {"omniorb_over_perigee", to_json(cell.ratio)}};
    if (cell.shared_ratio.value != 0) entry["shared_memory_over_tcp"] = to_json(cell.shared_ratio);
  }
  return document.dump(2) + "\n";
}

std::string to_html(const StructsReport& report) {
  Page page("perigee bench structs");
  page.note(fmt::format("CPU time, both sides, per octet of CDR: medians of {} rounds, one CPU.",
                        report.options.rounds));
  for (const std::string& workload : report.options.workloads) {
    const StructsCell& cell = report.cells.at(workload);
    page.heading(fmt::format("{}, {} octets", workload, cell.octets));
    BarChart chart{.label = "ns per octet"};
    for (const std::string& system : report.systems)
      if (cell.cpu_ns.contains(system))
        chart.bars.push_back({system, exactly(cell.cpu_ns.at(system))});
    page.chart(chart);
    if (cell.ratio.value != 0)
      page.note("omniORB / Perigee in the same round: " + to_text(cell.ratio));
    if (cell.shared_ratio.value != 0)
      page.note("Perigee through shared memory / over TCP: " + to_text(cell.shared_ratio));
  }
  return page.html();
}

}  // namespace perigee::bench
