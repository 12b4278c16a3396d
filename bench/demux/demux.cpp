// Runs the demux experiment: one process for each way to find an operation. The processes take
// turns.
#include "demux.h"

#include "harness/companions.h"
#include "harness/process.h"
#include "harness/progress.h"

#include <fmt/format.h>

#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace perigee::bench {
namespace {

constexpr const char* base_way = "perfect";

/// A way to find an operation, and the process that measures it.
class Way {
 public:
  explicit Way(const std::string& name, int cpu)
      : name_(name),
        process_({{companion_program("demux_" + (name == "direct" ? base_way : name))}, cpu}) {}

  [[nodiscard]] const std::string& name() const { return name_; }

  double measure(std::size_t operations, Order order, std::size_t calls) {
    process_.write_line(fmt::format("{} {} {} {}", name_ == "direct" ? name_ : "skeleton",
                                    operations, to_string(order), calls));
    std::istringstream answer(process_.read_line());
    std::string word;
    double ns = 0;
    if (!(answer >> word >> ns) || word != "ok")
      throw std::runtime_error("demux: no result of " + name_);
    return ns;
  }

 private:
  std::string name_;
  Process process_;
};

void add_ratios(std::map<std::string, DemuxCell>& cells) {
  const std::vector<double> base = cells.at(base_way).samples_ns;
  for (auto& [way, cell] : cells) {
    std::vector<double> ratios = cell.samples_ns;
    for (std::size_t round = 0; round < ratios.size(); ++round) ratios[round] /= base[round];
    cell.ratio = median_with_interval(ratios);
  }
}

}  // namespace

const std::vector<std::size_t>& demux_counts() {
  static const std::vector<std::size_t> counts{1, 10, 30, 100, 300, 1'000};
  return counts;
}

const std::vector<std::string>& demux_ways() {
  static const std::vector<std::string> ways{"direct", "linear", "hash", "perfect", "sorted"};
  return ways;
}

DemuxReport run_demux(const DemuxOptions& options) {
  const int cpu = usable_cpus().back();
  std::vector<Way> ways;
  for (const std::string& name : demux_ways()) ways.emplace_back(name, cpu);
  DemuxReport report{options, {}};
  Progress progress("demux", options.operations.size() * options.rounds);
  for (const std::size_t operations : options.operations) {
    DemuxCells& cells = report.cells[operations];
    for (std::size_t round = 0; round < options.rounds; ++round) {
      progress.step(fmt::format("{} operations", operations));
      for (const Order order : all_orders)
        for (std::size_t turn = 0; turn < ways.size(); ++turn) {
          Way& way = ways[(turn + round) % ways.size()];
          if (round == 0) way.measure(operations, order, options.calls / 10 + 1);  // warm up
          cells[order][way.name()].samples_ns.push_back(
              way.measure(operations, order, options.calls));
        }
    }
    for (auto& [order, of_order] : cells) add_ratios(of_order);
  }
  return report;
}

}  // namespace perigee::bench
