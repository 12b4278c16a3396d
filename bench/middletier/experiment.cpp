// Runs the experiment: sink, middle tier and source for each model at each point.
#include "harness/process.h"
#include "harness/progress.h"
#include "harness/usage.h"
#include "middletier.h"

#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

namespace perigee::bench {
namespace {

using Words = std::vector<std::string>;

/// The CPU of the middle tier, and the CPU of source and sink; -1: not pinned.
struct Cpus {
  int middle = -1;
  int others = -1;
};

Cpus cpus_of(const Point& point) {
  const std::vector<int> usable = usable_cpus();
  if (point.shared_cpus == 0) return {usable.front(), usable.back()};
  if (point.shared_cpus == 1) return {usable.front(), usable.front()};
  if (usable.size() != point.shared_cpus)
    throw std::runtime_error(
        fmt::format("the experiment needs {} CPUs, and this program may use {}", point.shared_cpus,
                    usable.size()));
  return {};
}

std::unique_ptr<Process> start(const Words& words, int cpu) {
  Words command{own_executable(), "bench", "middletier-role"};
  command.insert(command.end(), words.begin(), words.end());
  return std::make_unique<Process>(ProcessOptions{command, cpu});
}

// The context switches of all threads of a process so far. A thread that has just ended has none.
double context_switches(pid_t pid) {
  double switches = 0;
  for (const auto& task : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid))) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);)
      if (const std::size_t colon = line.find("ctxt_switches:"); colon != std::string::npos)
        switches += std::stod(line.substr(colon + 14));
  }
  return switches;
}

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

/// The processes: sink, middle tier and source, started in this order.
class Tiers {
 public:
  Tiers(const Model& model, const Point& point) : point_(point), cpus_(cpus_of(point)) {
    const std::string clients = std::to_string(point.clients);
    sink_ = start({"sink", std::to_string(point.delay_ms * 1000)}, cpus_.others);
    middle_ = start({"middle", model.name, sink_->read_line(), clients, std::to_string(point.work)},
                    cpus_.middle);
    const std::string reference = middle_->read_line();
    before_octets_ = usage_of(middle_->pid()).own_octets;
    source_ = start({"source", reference, clients}, cpus_.others);
    if (source_->read_line() != "connected")
      throw std::runtime_error("the source has not connected its clients");
  }

  MiddletierSample measure(const Window& window) {
    source_->write_line(fmt::format("measure {} {} {} {:d}", window.warm_up_ms, window.measured_ms,
                                    point_.delay_ms, point_.bursts));
    expect("begin");
    const Times before = times();
    expect("end");
    const Times after = times();
    const Usage usage = usage_of(middle_->pid());
    return make_sample(after - before, usage, parse_source_result(source_->read_line()));
  }

 private:
  /// CPU times in seconds. `user` is the user part of `middle`. `host`: of all processes.
  /// `switches`: of the middle tier.
  struct Times {
    double middle = 0;
    double user = 0;
    double others = 0;
    double host = 0;
    double switches = 0;

    Times operator-(const Times& other) const {
      return {middle - other.middle, user - other.user, others - other.others, host - other.host,
              switches - other.switches};
    }
  };

  [[nodiscard]] Times times() const {
    return {seconds(middle_->cpu_time()), seconds(usage_of(middle_->pid()).user),
            seconds(sink_->cpu_time()) + seconds(source_->cpu_time()), seconds(busy_time_of_host()),
            context_switches(middle_->pid())};
  }

  void expect(const std::string& word) {
    if (source_->read_line() != word)
      throw std::runtime_error("the source: \"" + word + "\" expected");
  }

  MiddletierSample make_sample(const Times& used, const Usage& usage,
                               const SourceResult& source) const {
    const double replies = std::max<double>(1, static_cast<double>(source.replies));
    return {
        .source = source,
        .rate = static_cast<double>(source.replies) / source.seconds,
        .cpu_us = used.middle * 1e6 / replies,
        .user_us = used.user * 1e6 / replies,
        .busy = used.middle / source.seconds,
        .others_busy = used.others / source.seconds,
        .foreign_busy = std::max(0.0, used.host - used.middle - used.others) / source.seconds,
        .threads = static_cast<double>(usage.threads),
        .switches = used.switches / replies,
        .client_octets = (usage.own_octets - before_octets_) / static_cast<double>(point_.clients)};
  }

  const Point point_;
  const Cpus cpus_;
  std::unique_ptr<Process> sink_;
  std::unique_ptr<Process> middle_;
  std::unique_ptr<Process> source_;
  double before_octets_ = 0;
};

// A fixed warm-up: the first requests are spread over one delay, their replies take another, and
// 200 ms are spare.
Window window_of(const MiddletierOptions& options, const Point& point) {
  return {2 * point.delay_ms + 200, static_cast<std::size_t>(std::lround(options.seconds * 1000))};
}

void measure(const MiddletierOptions& options, const Model& model, const Point& point,
             MiddletierCell& cell) {
  if (!cell.error.empty()) return;
  const std::size_t clients_max =
      model.name == "TPC" ? options.threads_max : options.waiting_clients_max;
  if (model.servants == ServantKind::synchronous && point.clients > clients_max) {
    cell.error = "not measured: needs a thread or stack for each client";
    return;
  }
  try {
    cell.samples.push_back(Tiers(model, point).measure(window_of(options, point)));
  } catch (const std::exception& error) {
    cell.error = error.what();
  }
}

}  // namespace

std::vector<PointModels> chosen_points(const MiddletierOptions& options) {
  std::map<Point, std::vector<std::string>> points;
  for (const auto& [point, models] : options.points) points[point] = models;
  for (const std::size_t cpus : options.shared_cpus) {
    for (const std::size_t clients : options.clients)
      points[{clients, scalability_delay_ms, cpus, false, options.work}] = options.models;
    for (const std::size_t delay : options.delays)
      points[{scalability_clients, delay, cpus, false, options.work}] = options.models;
    for (const std::size_t clients : options.bursts)
      points[{clients, scalability_delay_ms, cpus, true, options.work}] = options.models;
  }
  std::vector<PointModels> chosen;
  for (auto& [point, models] : points) chosen.push_back({point, std::move(models)});
  return chosen;
}

MiddletierReport run_middletier(const MiddletierOptions& options) {
  for (const std::string& name : options.models) (void)parse_model(name);  // checks the name
  const std::vector<PointModels> points = chosen_points(options);
  std::size_t runs = 0;
  for (const auto& [point, models] : points) runs += models.size();
  MiddletierReport report{options, {}};
  Progress progress("middletier", options.rounds * runs);
  for (std::size_t round = 0; round < options.rounds; ++round)
    for (const auto& [point, models] : points)
      for (std::size_t turn = 0; turn < models.size(); ++turn) {
        const Model model = parse_model(models[(turn + round) % models.size()]);
        progress.step(fmt::format("{}, {}", model.name, to_text(point)));
        measure(options, model, point, report.cells[point][model.name]);
      }
  return report;
}

}  // namespace perigee::bench
