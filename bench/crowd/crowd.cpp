// Runs the experiment and writes its report: rounds with and without disturbing clients.
#include "crowd.h"

#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "harness/process.h"
#include "harness/progress.h"
#include "harness/usage.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace perigee::bench {
namespace {

struct Latencies {
  double p50 = 0;
  double p99 = 0;
};

class Crowd {
 public:
  Crowd(const CrowdOptions& options, const std::string& strategy)
      : options_(options),
        server_({{own_executable(), "bench", "crowd-role", "server", strategy}, -1}),
        reference_(server_.read_line()) {
    busy_ = start({"busy", reference_, std::to_string(options.busy)});
    (void)measure();  // makes the server do its one-time work
    const double before = usage_of(server_.pid()).own_octets;
    idle_ = start({"idle", reference_, std::to_string(options.idle)});
    row_.strategy = strategy;
    row_.idle_octets =
        (usage_of(server_.pid()).own_octets - before) / static_cast<double>(options.idle);
  }

  CrowdRow run(Progress& progress) {
    for (std::size_t round = 0; round < options_.rounds; ++round) {
      progress.step(row_.strategy);
      take_round(round);
    }
    row_.threads = usage_of(server_.pid()).threads;
    row_.calm_p50 = median(calm_p50_);
    row_.calm_p99 = median(calm_p99_);
    row_.disturbed_p99 = median(disturbed_p99_);
    row_.p99_ratio = median_with_interval(ratios_);
    row_.null_ratio = median_with_interval(null_ratios_);
    return row_;
  }

 private:
  std::unique_ptr<Process> start(const std::vector<std::string>& words) const {
    std::vector<std::string> command{own_executable(), "bench", "crowd-role"};
    command.insert(command.end(), words.begin(), words.end());
    auto process = std::make_unique<Process>(ProcessOptions{command, -1});
    if (process->read_line() != "ready") throw std::runtime_error(words.front() + ": not ready");
    return process;
  }

  Latencies measure() {
    busy_->write_line(std::to_string(options_.calls));
    std::istringstream answer(busy_->read_line());
    Latencies latencies;
    if (!(answer >> latencies.p50 >> latencies.p99)) throw std::runtime_error("no latencies");
    return {latencies.p50 / 1000, latencies.p99 / 1000};
  }

  Latencies measure_disturbed() {
    const auto disturbers = start({"disturbers", reference_, std::to_string(options_.slow_readers),
                                   std::to_string(options_.half_open)});
    const Latencies latencies = measure();
    disturbers->close_input();
    if (disturbers->wait() != 0) throw std::runtime_error("a slow reader was disconnected");
    return latencies;
  }

  // Measures calm, disturbed and calm again, in an order that changes from round to round.
  void take_round(std::size_t round) {
    Latencies disturbed;
    if (round % 3 == 0) disturbed = measure_disturbed();
    const Latencies calm = measure();
    if (round % 3 == 1) disturbed = measure_disturbed();
    const Latencies again = measure();
    if (round % 3 == 2) disturbed = measure_disturbed();
    calm_p50_.push_back(calm.p50);
    calm_p99_.push_back(calm.p99);
    disturbed_p99_.push_back(disturbed.p99);
    ratios_.push_back(disturbed.p99 / calm.p99);
    null_ratios_.push_back(again.p99 / calm.p99);
  }

  const CrowdOptions& options_;
  Process server_;
  const std::string reference_;
  std::unique_ptr<Process> busy_;
  std::unique_ptr<Process> idle_;
  CrowdRow row_;
  std::vector<double> calm_p50_;
  std::vector<double> calm_p99_;
  std::vector<double> disturbed_p99_;
  std::vector<double> ratios_;
  std::vector<double> null_ratios_;
};

std::string describe_method(const CrowdOptions& options) {
  return fmt::format(
      "{} idle connections, {} busy ones in a closed loop of void calls, {} calls a measurement; "
      "disturbed by {} clients that read their replies at 10 KiB a second, and {} clients that "
      "stopped within a message; ratios of p99 within a round: median over {} rounds, {}; "
      "null is the ratio of two measurements without disturbing clients",
      options.idle, options.busy, options.calls, options.slow_readers, options.half_open,
      options.rounds, interval_text(options.rounds));
}

}  // namespace

CrowdReport run_crowd(const CrowdOptions& options) {
  CrowdReport report{options, {}};
  Progress progress("crowd", options.strategies.size() * (options.rounds + 1));
  for (const std::string& strategy : options.strategies) {
    progress.step(strategy);
    report.rows.push_back(Crowd(options, strategy).run(progress));
  }
  return report;
}

std::string to_table(const CrowdReport& report) {
  std::string text = fmt::format("perigee bench crowd: {}\n{}\n", machine_description(),
                                 describe_method(report.options));
  text += fmt::format("  {:<18}{:>12}{:>9}{:>13}{:>13}{:>14}  {:<20}  {}\n", "", "octets/idle",
                      "threads", "p50 calm us", "p99 calm us", "disturbed us", "disturbed / calm",
                      "null");
  for (const CrowdRow& row : report.rows)
    text += fmt::format("  {:<18}{:>12.0f}{:>9}{:>13.0f}{:>13.0f}{:>14.0f}  {:<20}  {}\n",
                        row.strategy, row.idle_octets, row.threads, row.calm_p50, row.calm_p99,
                        row.disturbed_p99, to_text(row.p99_ratio), to_text(row.null_ratio));
  return text;
}

std::string to_json(const CrowdReport& report) {
  nlohmann::json document = begin_report("crowd");
  document["idle"] = report.options.idle;
  document["busy"] = report.options.busy;
  document["rounds"] = report.options.rounds;
  for (const CrowdRow& row : report.rows)
    document["results"][row.strategy] = {{"octets_per_idle_connection", row.idle_octets},
                                         {"threads", row.threads},
                                         {"calm_p50_us", row.calm_p50},
                                         {"calm_p99_us", row.calm_p99},
                                         {"disturbed_p99_us", row.disturbed_p99},
                                         {"p99_ratio", to_json(row.p99_ratio)},
                                         {"null_ratio", to_json(row.null_ratio)}};
  return document.dump(2) + "\n";
}

std::string to_html(const CrowdReport& report) {
  Page page("perigee bench crowd");
  page.note(describe_method(report.options));
  BarChart memory{.label = "octets of the server's own memory"};
  BarChart disturbed{.label = "p99, disturbed to calm", .values = Values::ratios};
  for (const CrowdRow& row : report.rows) {
    memory.bars.push_back({row.strategy, exactly(row.idle_octets), ""});
    disturbed.bars.push_back(
        {row.strategy, row.p99_ratio,
         fmt::format("{:.2f} (null {:.2f})", row.p99_ratio.value, row.null_ratio.value)});
  }
  page.heading("Memory for each idle connection");
  page.chart(memory);
  page.heading("Busy connections beside slow and half-open clients");
  page.chart(disturbed);
  return page.html();
}

}  // namespace perigee::bench
