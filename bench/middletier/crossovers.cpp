// The crossovers of the paper: the load from which on one model is faster than another.
#include "middletier.h"

#include <fmt/format.h>

#include <algorithm>

namespace perigee::bench {
namespace {

/// A smaller difference may be chance.
constexpr double clearly = 1.05;

std::vector<Crossover> paper_crossovers() {
  return {
      {"AMH-ST", "TPC", Load::clients, "from 150 clients on, TPC loses throughput"},
      {"AMH-ST", "TPR-2", Load::clients, "TPR-2 has the lowest throughput of all"},
      {"AMH-2", "AMH-ST", Load::clients, "from 250 clients on"},
      {"AMH-ST", "TPC", Load::bursts, "TPC collapses when all threads become active in a burst"},
      {"AMH-ST", "TPR-2", Load::bursts, "TPR-2 has the lowest throughput of all"},
      {"TPC", "TPR-ST", Load::delay, "TPR-ST is fastest without a delay, and slows down with it"},
      {"AMH-ST", "TPR-ST", Load::delay,
       "TPR-ST is fastest without a delay, and slows down with it"},
      {"AMH-ST", "TPC", Load::delay, "at 80 ms, TPC drops suddenly"},
  };
}

double median_of(const MiddletierCell& cell, double MiddletierSample::* member) {
  std::vector<double> values;
  for (const MiddletierSample& sample : cell.samples) values.push_back(sample.*member);
  return median(values);
}

/// Whether the point belongs to the experiment in which this load grows.
bool belongs(const MiddletierReport& report, const Point& point, Load load) {
  if (point.bursts != (load == Load::bursts)) return false;
  if (point.shared_cpus != 0 || point.work != report.options.work) return false;
  return load == Load::delay ? point.clients == scalability_clients
                             : point.delay_ms == scalability_delay_ms;
}

// Points come in the order of their load. `at` is reset if the model is not clearly faster at a
// later point.
void note(Crossover& crossover, const Point& point, const MiddletierCell& model,
          const MiddletierCell& base) {
  const std::size_t load = crossover.load == Load::delay ? point.delay_ms : point.clients;
  const double rate = median_of(base, &MiddletierSample::rate);
  crossover.highest = load;
  crossover.ratio = median_of(model, &MiddletierSample::rate) / rate;
  crossover.base_of_ideal =
      rate * static_cast<double>(point.delay_ms) / 1000 / static_cast<double>(point.clients);
  crossover.base_busy = median_of(base, &MiddletierSample::busy);
  if (crossover.ratio < clearly)
    crossover.at = 0;
  else if (crossover.at == 0)
    crossover.at = load;
}

const char* unit_of(Load load) {
  switch (load) {
    case Load::clients:
      return "clients";
    case Load::bursts:
      return "clients in bursts";
    case Load::delay:
      return "ms";
  }
  return "";
}

const MiddletierCell* find(const std::map<std::string, MiddletierCell>& cells,
                           const std::string& model) {
  const auto found = cells.find(model);
  return found == cells.end() || found->second.samples.empty() ? nullptr : &found->second;
}

}  // namespace

std::vector<Crossover> crossovers_of(const MiddletierReport& report) {
  std::vector<Crossover> measured;
  for (Crossover crossover : paper_crossovers()) {
    for (const auto& [point, cells] : report.cells) {
      const MiddletierCell* const model = find(cells, crossover.model);
      const MiddletierCell* const base = find(cells, crossover.base);
      if (model != nullptr && base != nullptr && belongs(report, point, crossover.load))
        note(crossover, point, *model, *base);
    }
    if (crossover.highest != 0) measured.push_back(crossover);
  }
  return measured;
}

std::string to_text(const Crossover& crossover) {
  const std::string unit = unit_of(crossover.load);
  std::string text = fmt::format("{} overtakes {} (the paper: {}): ", crossover.model,
                                 crossover.base, crossover.paper);
  if (crossover.at != 0)
    return text + fmt::format("from {} {} on; at {} {} it is {:.2f} times as fast", crossover.at,
                              unit, crossover.highest, unit, crossover.ratio);
  text += fmt::format(
      "not up to {} {}, the highest load measured for both. There it is {:.2f} "
      "times as fast; {} uses {:.0f} % of its CPU",
      crossover.highest, unit, crossover.ratio, crossover.base, 100 * crossover.base_busy);
  if (crossover.base_of_ideal > 0)
    text += fmt::format(", and has {:.0f} % of the ideal rate", 100 * crossover.base_of_ideal);
  return text;
}

}  // namespace perigee::bench
