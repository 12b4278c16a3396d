// Runs the imaging experiment: the systems take turns with images of one size.
#include "imaging.h"

#include "cubit/systems.h"
#include "harness/chart.h"
#include "harness/process.h"
#include "harness/progress.h"
#include "names.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace perigee::bench {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t locate_count = 20;
// The numbers of images before a measurement, which do not count. The first image of a size fills
// the caches of the ORB and the memory of the C library, which maps the first large block and takes
// the second one from its heap. In later rounds the ORB may have returned memory that it has not
// used for five seconds.
constexpr std::size_t first_warm_up = 2;
constexpr std::size_t later_warm_up = 1;

Process start(const Words& words, int cpu) {
  Words command{own_executable(), "bench", "imaging-role"};
  command.insert(command.end(), words.begin(), words.end());
  return Process({command, cpu});
}

/// A server and a client, which serve one or several systems.
class Peers {
 public:
  /// If `names` is null, the peers are the C program.
  Peers(const std::string& scheme, const Placement& placement, Names* names)
      : server_(start(names == nullptr ? Words{"raw-server"} : Words{"server", scheme},
                      placement.server_cpu)),
        client_(start(client_words(scheme, names), placement.client_cpu)) {
    if (client_.read_line() != "ready") throw std::runtime_error("imaging: a client has failed");
  }

  struct Times {
    double ns = 0;
    double cpu_ns = 0;
    double faults = 0;
  };

  /// Moves `count` images. Returns the values of one image: the totals divided by `count`.
  Times run(const std::string& way, Direction direction, std::size_t size, std::size_t count) {
    const auto before = cpu_time();
    const std::uint64_t faults_before = page_faults();
    client_.write_line(fmt::format("{} {} {} {}", way, to_string(direction), size, count));
    const std::string line = client_.read_line();
    std::istringstream answer(line);
    std::string word;
    double ns = 0;
    if (!(answer >> word >> ns) || word != "ok")
      throw std::runtime_error(
          fmt::format("imaging: {}, {} of {} octets: {}", way, to_string(direction), size, line));
    const std::chrono::duration<double, std::nano> cpu = cpu_time() - before;
    const auto faults = static_cast<double>(page_faults() - faults_before);
    const auto images = static_cast<double>(count);
    return {ns / images, cpu.count() / images, faults / images};
  }

 private:
  Words client_words(const std::string& scheme, Names* names) {
    const std::string reference = server_.read_line();
    if (names == nullptr) return {"raw-client", reference};
    return {"client", scheme,
            names->publish(fmt::format("perigee_bench_{}_{}", scheme, getpid()), reference)};
  }
  [[nodiscard]] std::chrono::nanoseconds cpu_time() const {
    return server_.cpu_time() + client_.cpu_time();
  }
  [[nodiscard]] std::uint64_t page_faults() const {
    return server_.page_faults() + client_.page_faults();
  }

  Process server_;
  Process client_;
};

/// A system: its peers, and the word that names it in the commands for the client.
struct ImagingSystem {
  std::string name;
  Peers& peers;
  std::string way;
};

std::vector<double> divided(std::vector<double> values, const std::vector<double>& base) {
  for (std::size_t round = 0; round < values.size(); ++round) values[round] /= base[round];
  return values;
}

void add_ratios(std::map<std::string, ImagingCell>& cells) {
  const ImagingCell base = cells.at(imaging_systems().front());
  for (auto& [name, cell] : cells) {
    cell.ratio = median_with_interval(divided(cell.samples_ns, base.samples_ns));
    cell.cpu_ratio = median_with_interval(divided(cell.samples_cpu_ns, base.samples_cpu_ns));
  }
}

class Experiment {
 public:
  explicit Experiment(const ImagingOptions& options)
      : report_{options, {}, {}},
        names_(options.naming_service),
        raw_("", placement_of(options.split), nullptr),
        null_("", placement_of(options.split), nullptr),
        tcp_("iiop", placement_of(options.split), &names_),
        memory_("shmiop", placement_of(options.split), &names_),
        systems_{{"raw TCP", raw_, "raw"},
                 {"null TCP", null_, "raw"},
                 {"stream TCP", tcp_, "stream"},
                 {"call TCP", tcp_, "call"},
                 {"borrowed TCP", tcp_, "borrowed"},
                 {"call SHM", memory_, "call"},
                 {"borrowed SHM", memory_, "borrowed"}} {
    report_.locating.by = names_.has_service() ? "naming service" : "file";
    report_.locating.reason = names_.reason();
  }

  ImagingReport run() {
    const ImagingOptions& options = report_.options;
    Progress progress("imaging", options.sizes.size() * std::size(all_directions) * options.rounds);
    for (const Direction direction : all_directions)
      for (const std::size_t size : options.sizes) {
        auto& cells = report_.cells[direction][size];
        for (std::size_t round = 0; round < options.rounds; ++round) {
          progress.step(
              fmt::format("{}, {}", to_string(direction), octets_text(static_cast<double>(size))));
          measure(direction, size, round, cells);
        }
        add_ratios(cells);
      }
    locate();
    return std::move(report_);
  }

 private:
  void measure(Direction direction, std::size_t size, std::size_t round,
               std::map<std::string, ImagingCell>& cells) {
    const std::size_t count = std::max<std::size_t>(1, report_.options.volume / size);
    for (std::size_t turn = 0; turn < systems_.size(); ++turn) {
      const ImagingSystem& system = systems_[(turn + round) % systems_.size()];
      system.peers.run(system.way, direction, size, round == 0 ? first_warm_up : later_warm_up);
      const Peers::Times times = system.peers.run(system.way, direction, size, count);
      cells[system.name].samples_ns.push_back(times.ns);
      cells[system.name].samples_cpu_ns.push_back(times.cpu_ns);
      cells[system.name].samples_faults.push_back(times.faults);
    }
  }

  void locate() {
    for (std::size_t round = 0; round < std::max<std::size_t>(report_.options.rounds, 3); ++round)
      report_.locating.samples_us.push_back(
          tcp_.run("locate", Direction::fetch, 1, locate_count).ns / 1000);
  }

  ImagingReport report_;
  Names names_;
  Peers raw_;
  Peers null_;
  Peers tcp_;
  Peers memory_;
  std::vector<ImagingSystem> systems_;
};

}  // namespace

const char* to_string(Direction direction) {
  return direction == Direction::fetch ? "fetch" : "upload";
}

const std::vector<std::string>& imaging_systems() {
  static const std::vector<std::string> systems{
      "raw TCP", "null TCP", "stream TCP", "call TCP", "borrowed TCP", "call SHM", "borrowed SHM"};
  return systems;
}

ImagingReport run_imaging(const ImagingOptions& options) { return Experiment(options).run(); }

}  // namespace perigee::bench
