// Compares the measurements with the goals for the models whose threads do not wait for the sink.
#include "goals.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <utility>

namespace perigee::bench {
namespace {

constexpr Point no_delay{150, 0};
constexpr Point long_delay{150, 160};
constexpr Point busy{300, 11};
constexpr Point busy_cpu{400, 0};
constexpr Point many{10'000, 40};
// With this work, the middle tier uses more than 80 % of the CPU time of all processes.
constexpr std::size_t scaling_work = 100'000;
constexpr Point one_cpu{150, 0, 1, false, scaling_work};
constexpr Point two_cpus{150, 0, 2, false, scaling_work};

using Value = double (*)(const MiddletierSample& sample);

/// A cell of the report; null if it was not measured.
using Cell = const MiddletierCell*;

Cell cell_of(const MiddletierReport& report, const Point& point, const std::string& model) {
  const auto cells = report.cells.find(point);
  if (cells == report.cells.end()) return nullptr;
  const auto cell = cells->second.find(model);
  return cell == cells->second.end() ? nullptr : &cell->second;
}

/// Adds a claim, if all cells were measured. A model that failed has missed its goals. False if
/// there are no values for the claim.
bool begin_claim(std::vector<Claim>& claims, const Claim& goal, std::initializer_list<Cell> cells) {
  if (std::ranges::find(cells, nullptr) != cells.end()) return false;
  claims.push_back(goal);
  for (const Cell cell : cells)
    if (!cell->error.empty()) claims.back().failure = cell->error;
  return claims.back().failure.empty();
}

void add_claim(std::vector<Claim>& claims, const Claim& goal, Cell cell, Value value) {
  if (!begin_claim(claims, goal, {cell})) return;
  std::vector<double> values;
  for (const MiddletierSample& sample : cell->samples) values.push_back(value(sample));
  claims.back().measured = median_with_interval(values);
}

// The sum over all rounds: for events that must not happen even once.
void add_sum(std::vector<Claim>& claims, const Claim& goal, Cell cell, Value value) {
  if (!begin_claim(claims, goal, {cell})) return;
  double sum = 0;
  for (const MiddletierSample& sample : cell->samples) sum += value(sample);
  claims.back().measured = {sum, sum, sum};
}

// The ratio of the rates in the same round.
void add_ratio(std::vector<Claim>& claims, const Claim& goal, Cell cell, Cell base) {
  if (!begin_claim(claims, goal, {cell, base})) return;
  std::vector<double> values;
  for (std::size_t round = 0; round < cell->samples.size(); ++round)
    values.push_back(cell->samples[round].rate / base->samples[round].rate);
  claims.back().measured = median_with_interval(values);
}

// The ratio of the rates of two points, divided by the same ratio of the floor, in the same round.
void add_ratio_as(std::vector<Claim>& claims, const Claim& goal, Cell cell, Cell base, Cell floor,
                  Cell floor_base) {
  if (!begin_claim(claims, goal, {cell, base, floor, floor_base})) return;
  std::vector<double> values;
  for (std::size_t round = 0; round < cell->samples.size(); ++round)
    values.push_back(cell->samples[round].rate / base->samples[round].rate /
                     (floor->samples[round].rate / floor_base->samples[round].rate));
  claims.back().measured = median_with_interval(values);
}

// If other processes want the CPU, a model with two threads gets twice the time of a model with one
// thread. Then the gain compares shares of the CPU, and only the CPU time per reply is a result.
void note_foreign(Claim& claim, std::initializer_list<Cell> cells) {
  constexpr double foreign_max = 0.1;  // of one CPU
  double most = 0;
  for (const Cell cell : cells)
    for (const MiddletierSample& sample : cell->samples) most = std::max(most, sample.foreign_busy);
  if (most > foreign_max)
    claim.note = fmt::format(
        "other processes used up to {:.0f} % of a CPU: repeat on a machine without load",
        100 * most);
}

// Compares the gain with that of the floor, whose base is `floor_base`.
void add_gain_as(std::vector<Claim>& claims, const MiddletierReport& report,
                 const std::string& what, Cell after, Cell before, const std::string& floor_base) {
  const Cell floor_after = cell_of(report, two_cpus, "raw-2");
  const Cell floor_before = cell_of(report, one_cpu, floor_base);
  const std::size_t count = claims.size();
  add_ratio_as(claims, {what + ", as raw-2 / " + floor_base, Bound::at_least, 0.90, {}}, after,
               before, floor_after, floor_before);
  if (claims.size() > count && claims.back().failure.empty())
    note_foreign(claims.back(), {after, before, floor_after, floor_before});
}

// The gain from a second CPU and more threads. The floor uses a second CPU only with a second loop.
// Beside other processes, two threads get a larger share of one CPU than one thread. So a base with
// two threads is also compared with the floor that has two loops on one CPU.
void add_gain(std::vector<Claim>& claims, const MiddletierReport& report, const std::string& model,
              const std::string& base) {
  const Cell before = cell_of(report, one_cpu, base);
  const Cell after = cell_of(report, two_cpus, model);
  const std::string what =
      fmt::format("150 clients, no delay: {} on two CPUs / {} on one", model, base);
  add_gain_as(claims, report, what, after, before, "raw");
  if (base == model) add_gain_as(claims, report, what, after, before, "raw-2");
  if (!begin_claim(claims, {what + ", CPU per reply", Bound::at_most, 1.10, {}}, {after, before}))
    return;
  std::vector<double> values;
  for (std::size_t round = 0; round < after->samples.size(); ++round)
    values.push_back(after->samples[round].cpu_us / before->samples[round].cpu_us);
  claims.back().measured = median_with_interval(values);
}

// The middle tier must use most of the CPU time. Otherwise the gains would show the scaling of
// source and sink.
void add_share(std::vector<Claim>& claims, const MiddletierReport& report,
               const std::string& model) {
  add_claim(
      claims,
      {fmt::format("150 clients, no delay, one CPU, {}: middle tier's share of CPU time", model),
       Bound::at_least,
       0.80,
       {}},
      cell_of(report, one_cpu, model), [](const MiddletierSample& sample) {
        return sample.busy / (sample.busy + sample.others_busy);
      });
}

// Compares each model on two CPUs with itself on one CPU, and with the same servants on one loop.
void add_gains(std::vector<Claim>& claims, const MiddletierReport& report) {
  for (const std::string servants : {"AMH", "coroutine"})
    for (const std::string threads : {"-2", "-cores"})
      for (const std::string& base : {servants + threads, servants + "-ST"})
        add_gain(claims, report, servants + threads, base);
  for (const std::string model : {"raw", "AMH-ST", "coroutine-ST"})
    add_share(claims, report, model);
}

// The rate divided by the ideal rate, with the floor's value as a note.
void add_busy(std::vector<Claim>& claims, Cell cell, Cell floor) {
  const auto of_ideal = [](const MiddletierSample& sample) {
    return sample.rate * static_cast<double>(busy.delay_ms) / 1000 /
           static_cast<double>(busy.clients);
  };
  const std::size_t before = claims.size();
  add_claim(claims, {"300 clients, 11 ms, AMH-ST: rate / ideal", Bound::at_least, 0.95, {}}, cell,
            of_ideal);
  if (claims.size() == before || floor == nullptr || floor->samples.empty()) return;
  std::vector<double> values;
  for (const MiddletierSample& sample : floor->samples) values.push_back(of_ideal(sample));
  claims.back().note = fmt::format("raw reaches {:.3f}", median(values));
}

void add_many(std::vector<Claim>& claims, Cell cell) {
  add_claim(
      claims, {"10,000 clients, AMH-ST: p99 / p50", Bound::at_most, 3, {}}, cell,
      [](const MiddletierSample& sample) { return sample.source.p99_ms / sample.source.p50_ms; });
  add_claim(claims, {"10,000 clients, AMH-ST: KiB for each", Bound::at_most, 16, {}}, cell,
            [](const MiddletierSample& sample) { return sample.client_octets / 1024; });
  add_claim(claims, {"10,000 clients, AMH-ST: threads", Bound::at_most, 1, {}}, cell,
            [](const MiddletierSample& sample) { return sample.threads; });
  add_sum(
      claims, {"10,000 clients, AMH-ST: failed, lost, stalled, idle", Bound::at_most, 0, {}}, cell,
      [](const MiddletierSample& sample) {
        const SourceResult& source = sample.source;
        return static_cast<double>(source.failures + source.lost + source.stalled + source.idle);
      });
}

}  // namespace

const std::vector<std::string>& goal_models() {
  static const std::vector<std::string> models{"raw",          "raw-2", "TPR-ST",     "AMH-ST",
                                               "coroutine-ST", "AMH-2", "coroutine-2"};
  return models;
}

std::vector<PointModels> goal_points(const std::vector<std::string>& models) {
  std::vector<PointModels> points{
      {no_delay, {"TPR-ST", "AMH-ST", "coroutine-ST"}},
      {long_delay, {"AMH-ST"}},
      {busy, {"raw", "AMH-ST"}},
      {busy_cpu, {"raw", "AMH-ST"}},
      {many, {"raw", "AMH-ST"}},
      {one_cpu, {"raw", "raw-2", "AMH-ST", "coroutine-ST", "AMH-2", "coroutine-2"}},
      {two_cpus, {"raw-2", "AMH-2", "coroutine-2"}},
  };
  for (PointModels& point : points)
    std::erase_if(point.models, [&](const std::string& model) {
      return std::ranges::find(models, model) == models.end();
    });
  std::erase_if(points, [](const PointModels& point) { return point.models.empty(); });
  if (points.empty()) throw std::runtime_error("middletier: no goal is about these models");
  return points;
}

std::vector<Claim> claims_of(const MiddletierReport& report) {
  const auto of = [&report](const Point& point, const std::string& model) {
    return cell_of(report, point, model);
  };
  std::vector<Claim> claims;
  add_ratio(claims, {"150 clients, no delay: AMH-ST / TPR-ST", Bound::at_least, 0.97, {}},
            of(no_delay, "AMH-ST"), of(no_delay, "TPR-ST"));
  add_ratio(claims, {"150 clients, no delay: coroutine-ST / AMH-ST", Bound::at_least, 0.95, {}},
            of(no_delay, "coroutine-ST"), of(no_delay, "AMH-ST"));
  add_claim(claims, {"150 clients, 160 ms, AMH-ST: rate / ideal", Bound::at_least, 0.98, {}},
            of(long_delay, "AMH-ST"),
            [](const MiddletierSample& sample) { return sample.rate * 0.160 / 150; });
  add_busy(claims, of(busy, "AMH-ST"), of(busy, "raw"));
  add_ratio(claims, {"AMH-ST: 10,000 clients, 40 ms / 400, no delay", Bound::at_least, 0.90, {}},
            of(many, "AMH-ST"), of(busy_cpu, "AMH-ST"));
  add_ratio_as(claims,
               {"AMH-ST: 10,000 clients, 40 ms / 400, no delay, as raw", Bound::at_least, 0.90, {}},
               of(many, "AMH-ST"), of(busy_cpu, "AMH-ST"), of(many, "raw"), of(busy_cpu, "raw"));
  add_ratio(claims, {"10,000 clients, 40 ms: AMH-ST rate / raw rate", Bound::at_least, 0.95, {}},
            of(many, "AMH-ST"), of(many, "raw"));
  add_many(claims, of(many, "AMH-ST"));
  add_gains(claims, report);
  return claims;
}

}  // namespace perigee::bench
