// Runs the ttcp experiment: rounds over all versions in turn, ratios within a round.
#include "ttcp.h"

#include "harness/chart.h"
#include "harness/process.h"
#include "harness/progress.h"
#include "harness/roudi.h"
#include "harness/samples.h"

#include <CLI/Error.hpp>

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace perigee::bench {
namespace {

/// One transfer.
struct TransferSample {
  double octets_per_s = 0;
  double cpu_ns = 0;       ///< per buffer
  double page_faults = 0;  ///< per buffer
  double lost_share = 0;   ///< of the octets
};
using TransferSamples = std::map<std::string, std::vector<TransferSample>>;  // by version

/// A receiver and its transmitter, connected.
class Pair {
 public:
  Pair(const TtcpVersion& version, std::unique_ptr<TtcpReceiver> receiver, std::size_t queue_size,
       int transmitter_cpu)
      : version_(version),
        receiver_(std::move(receiver)),
        transmitter_(
            {transmitter_command(version, receiver_->reference(), queue_size), transmitter_cpu}) {
    if (transmitter_.read_line() != "ready") throw std::runtime_error(version.name + ": not ready");
  }

  TransferSample run(std::size_t size, std::size_t count) {
    const std::size_t payload = version_.payload_size(size);
    const auto cpu_before = cpu_time();
    const std::uint64_t faults_before = page_faults();
    transmitter_.write_line(std::to_string(payload) + ' ' + std::to_string(count));
    const std::string answer = transmitter_.read_line();
    const auto cpu = std::chrono::duration<double, std::nano>(cpu_time() - cpu_before).count();
    std::istringstream words(answer);
    std::string status;
    double elapsed_ns = 0;
    double arrived = 0;
    if (!(words >> status >> elapsed_ns >> arrived) || status != "ok")
      throw std::runtime_error(version_.name + ": " + answer);
    const auto octets = static_cast<double>(payload * count);
    const auto faults = static_cast<double>(page_faults() - faults_before);
    const auto buffers = static_cast<double>(count);
    return {arrived * 1e9 / elapsed_ns, cpu / buffers, faults / buffers, 1 - arrived / octets};
  }

  [[nodiscard]] const TtcpVersion& version() const { return version_; }

 private:
  [[nodiscard]] std::chrono::nanoseconds cpu_time() {
    return receiver_->cpu_time() + transmitter_.cpu_time();
  }
  [[nodiscard]] std::uint64_t page_faults() {
    return receiver_->page_faults() + transmitter_.page_faults();
  }

  TtcpVersion version_;
  std::unique_ptr<TtcpReceiver> receiver_;
  Process transmitter_;
};

using Pairs = std::vector<std::unique_ptr<Pair>>;

// Measures one size: the versions in turn. Each round begins with another version.
TransferSamples run_rounds(const std::vector<Pair*>& pairs, std::size_t size,
                           const TtcpOptions& options, Progress& progress) {
  const std::size_t count = buffer_count(options, size);
  for (Pair* pair : pairs)
    (void)pair->run(size, std::clamp<std::size_t>(count, 2, 256));  // warm up
  TransferSamples samples;
  for (std::size_t round = 0; round < options.rounds; ++round)
    for (std::size_t turn = 0; turn < pairs.size(); ++turn) {
      Pair& pair = *pairs[(turn + round) % pairs.size()];
      progress.step(octets_text(static_cast<double>(size)) + ", " + pair.version().name);
      samples[pair.version().name].push_back(pair.run(size, count));
    }
  return samples;
}

std::map<std::string, TtcpCell> summarise(const TransferSamples& samples,
                                          const std::vector<Pair*>& pairs, std::size_t size,
                                          std::size_t count) {
  std::map<std::string, TtcpCell> cells;
  for (const Pair* pair : pairs) {
    const std::vector<TransferSample>& own = samples.at(pair->version().name);
    const std::vector<TransferSample>& floor = samples.at(pair->version().floor);
    cells[pair->version().name] = {count,
                                   count * pair->version().payload_size(size),
                                   median(column(own, &TransferSample::octets_per_s)),
                                   median(column(own, &TransferSample::cpu_ns)),
                                   median(column(own, &TransferSample::page_faults)),
                                   ratio(own, floor, &TransferSample::octets_per_s),
                                   ratio(own, floor, &TransferSample::cpu_ns),
                                   median(column(own, &TransferSample::lost_share))};
  }
  return cells;
}

std::vector<TtcpCompared> compare(const TransferSamples& samples) {
  std::vector<TtcpCompared> compared;
  for (const Comparison& comparison : ttcp_comparisons()) {
    if (!samples.contains(comparison.system) || !samples.contains(comparison.base)) continue;
    const std::vector<TransferSample>& own = samples.at(comparison.system);
    const std::vector<TransferSample>& base = samples.at(comparison.base);
    compared.push_back({comparison, ratio(own, base, &TransferSample::octets_per_s),
                        ratio(own, base, &TransferSample::cpu_ns)});
  }
  return compared;
}

TtcpTable run_queue(const TtcpReport& report, std::size_t queue_size, const Pairs& pairs,
                    Progress& progress) {
  TtcpTable table{queue_size, {}, {}};
  for (const std::size_t size : report.options.sizes) {
    std::vector<Pair*> able;
    for (const auto& pair : pairs)
      if (pair->version().can_carry(size, queue_size)) able.push_back(pair.get());
    const TransferSamples samples = run_rounds(able, size, report.options, progress);
    table.cells[size] = summarise(samples, able, size, buffer_count(report.options, size));
    table.compared[size] = compare(samples);
  }
  return table;
}

std::size_t count_steps(const TtcpReport& report) {
  std::size_t steps = 0;
  for (const std::size_t queue_size : report.options.queue_sizes)
    for (const std::size_t size : report.options.sizes)
      for (const TtcpVersion& version : report.versions)
        if (version.can_carry(size, queue_size)) steps += report.options.rounds;
  return steps;
}

void check_known(const std::string& name, const std::vector<TtcpVersion>& versions) {
  if (std::ranges::find(versions, name, &TtcpVersion::name) != versions.end()) return;
  std::string known;
  for (const TtcpVersion& version : versions) known += (known.empty() ? "" : ", ") + version.name;
  throw CLI::ValidationError("unknown version '" + name + "'; the versions are: " + known);
}

}  // namespace

std::vector<std::string> large_ttcp_versions() {
  std::vector<std::string> names;
  for (const TtcpVersion& version : ttcp_versions("omniORB"))
    if (version.name.find("ORB octets") != std::string::npos &&
        version.name.find("buffered") == std::string::npos)
      names.push_back(version.name);
  return names;
}

std::vector<TtcpVersion> chosen_versions(const TtcpOptions& options) {
  std::vector<TtcpVersion> versions =
      ttcp_versions(options.omniorb_program, options.iceoryx_program);
  for (TtcpVersion& version : versions)
    add_orb_options(version, {options.strategy, std::ranges::max(options.sizes)});
  if (options.versions.empty()) return versions;
  const std::vector<TtcpVersion> known =
      ttcp_versions("omniORB", "iceoryx");  // also versions that are not installed
  for (const std::string& name : options.versions) check_known(name, known);
  std::set<std::string> wanted(options.versions.begin(), options.versions.end());
  for (const TtcpVersion& version : versions)
    if (wanted.contains(version.name)) wanted.insert(version.floor);
  std::erase_if(versions,
                [&](const TtcpVersion& version) { return !wanted.contains(version.name); });
  return versions;
}

namespace {

// Starts RouDi, the daemon of iceoryx, if the version `iceoryx` is measured. If RouDi does not
// start, the report has the reason instead of results.
std::unique_ptr<Roudi> start_roudi_of(TtcpReport& report) {
  const auto found =
      std::ranges::find(report.versions, TtcpVersion::Program::iceoryx, &TtcpVersion::program);
  if (found == report.versions.end()) return nullptr;
  try {
    return std::make_unique<Roudi>(report.options.sizes);
  } catch (const std::runtime_error& failure) {
    report.absent[found->name] = failure.what();
    report.versions.erase(found);
    return nullptr;
  }
}

}  // namespace

std::size_t buffer_count(const TtcpOptions& options, std::size_t size) {
  return std::clamp<std::size_t>(options.volume / size, 1, options.buffers_max);
}

std::string shortfall_text(const TtcpOptions& options) {
  std::string text;
  for (const std::size_t size : options.sizes) {
    const std::size_t count = buffer_count(options, size);
    if (count >= options.volume / size) continue;
    text += (text.empty() ? "" : "; ") + octets_text(static_cast<double>(size)) +
            " buffers: a transfer carries only " +
            octets_text(static_cast<double>(count) * static_cast<double>(size));
  }
  return text;
}

std::vector<TtcpExtremes> extremes_of(const TtcpReport& report) {
  std::vector<TtcpExtremes> all;
  for (const TtcpTable& table : report.tables)
    for (const TtcpVersion& version : report.versions) {
      TtcpExtremes extremes{table.queue_size, version.name};
      for (const auto& [size, cells] : table.cells) {
        const auto cell = cells.find(version.name);
        if (cell == cells.end()) continue;
        const double speed = cell->second.octets_per_s;
        if (extremes.high_size == 0 || speed > extremes.high_octets_per_s) {
          extremes.high_octets_per_s = speed;
          extremes.high_size = size;
        }
        if (extremes.low_size == 0 || speed < extremes.low_octets_per_s) {
          extremes.low_octets_per_s = speed;
          extremes.low_size = size;
        }
      }
      if (extremes.high_size != 0) all.push_back(extremes);
    }
  return all;
}

std::string queue_text(std::size_t queue_size) {
  return queue_size == 0 ? "the system's" : octets_text(static_cast<double>(queue_size));
}

TtcpReport run_ttcp(const TtcpOptions& options) {
  const std::vector<int> cpus = usable_cpus();
  if (options.split && cpus.size() < 2) throw std::runtime_error("--split needs two CPUs");
  const int receiver_cpu = options.split ? cpus.front() : cpus.back();
  TtcpReport report{options, {}, chosen_versions(options), {}, {}, {}};
  const std::unique_ptr<Roudi> roudi = start_roudi_of(report);
  run_ttcp(report, [receiver_cpu](const TtcpVersion& version, std::size_t queue_size) {
    return start_receiver(version, {"127.0.0.1", queue_size, receiver_cpu});
  });
  return report;
}

void run_ttcp(TtcpReport& report, const StartReceiver& start) {
  const int transmitter_cpu = usable_cpus().back();
  Progress progress("ttcp", count_steps(report));
  for (const std::size_t queue_size : report.options.queue_sizes) {
    Pairs pairs;
    for (const TtcpVersion& version : report.versions)
      if (auto receiver = start(version, queue_size))
        pairs.push_back(
            std::make_unique<Pair>(version, std::move(receiver), queue_size, transmitter_cpu));
    report.tables.push_back(run_queue(report, queue_size, pairs, progress));
  }
  report.claims = claims_of(report);
}

}  // namespace perigee::bench
