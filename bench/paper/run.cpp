// Runs the experiments of the papers as child processes.
#include "harness/captured_run.h"
#include "harness/commit.h"
#include "harness/document.h"
#include "harness/json.h"
#include "harness/machine.h"
#include "harness/process.h"
#include "harness/progress.h"
#include "harness/temporary_folder.h"
#include "paper.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace perigee::bench::paper {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

/// A run in the chosen extent.
struct Plan {
  std::string name;
  std::vector<std::string> words;
  std::size_t repeats;
  double seconds;  ///< expected, of one repetition
};

Plan plan_of(const Run& run, Extent extent) {
  const bool quick = extent == Extent::quick;
  return {run.name, quick ? run.quick : run.full, quick ? run.quick_repeats : run.full_repeats,
          quick ? run.quick_seconds : run.full_seconds};
}

std::vector<Plan> plans_of(const std::vector<Paper>& papers, Extent extent) {
  std::vector<Plan> plans;
  for (const Paper& paper : papers)
    for (const Run& run : paper.runs) plans.push_back(plan_of(run, extent));
  return plans;
}

std::size_t weight_of(const Plan& plan) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(plan.seconds)));
}

std::size_t total_weight(const std::vector<Plan>& plans) {
  std::size_t total = 0;
  for (const Plan& plan : plans) total += weight_of(plan) * plan.repeats;
  return total;
}

// A busy machine may be much slower, but an experiment that hangs must end.
std::chrono::seconds time_limit_of(const Plan& plan) {
  return std::chrono::seconds(60 + 10 * static_cast<std::int64_t>(weight_of(plan)));
}

// Adds the report of one repetition, or the error.
void repeat(const Plan& plan, const std::filesystem::path& file, Progress& progress,
            Outcome& outcome) {
  std::vector<std::string> arguments{own_executable(), "bench"};
  arguments.insert(arguments.end(), plan.words.begin(), plan.words.end());
  outcome.command = command_line(arguments);
  arguments.insert(arguments.end(), {"--json", file.string()});
  const auto time_limit = time_limit_of(plan);
  const CapturedRun run = run_captured(arguments, time_limit, [&progress] { progress.refresh(); });
  outcome.error = failure_of(run, time_limit);
  if (outcome.error.empty()) outcome.documents.push_back(read_report(file.string()));
}

// The first error ends the repetitions of this run: the next repetition would fail in the same way.
Outcome run_plan(const Plan& plan, const TemporaryFolder& folder, Progress& progress) {
  Outcome outcome;
  const auto start = Clock::now();
  for (std::size_t index = 0; index < plan.repeats && outcome.error.empty(); ++index) {
    progress.step(fmt::format("{} {} of {}", plan.name, index + 1, plan.repeats), weight_of(plan));
    try {
      repeat(plan, folder.path() / "report.json", progress, outcome);
    } catch (const std::runtime_error& error) {
      outcome.error = error.what();
    }
  }
  outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return outcome;
}

std::string text_at(const json& document, const char* field) {
  const auto value = document.find(field);
  return value != document.end() && value->is_string() ? value->get<std::string>() : "";
}

void describe(Report& report) {
  const json& origin = report.origin;
  report.descriptions = {
      text_at(origin, "machine"),
      fmt::format("Perigee {}, commit {}, {}: {}", text_at(origin, "version"),
                  text_at(origin, "commit"), text_at(origin, "date"), text_at(origin, "command"))};
}

Outcome outcome_of(const std::string& name, const json& run) {
  if (!run.is_object()) throw std::runtime_error("the run \"" + name + "\" is not an object");
  Outcome outcome;
  outcome.command = text_at(run, "command");
  outcome.error = text_at(run, "error");
  if (const auto seconds = run.find("seconds"); seconds != run.end() && seconds->is_number())
    outcome.seconds = seconds->get<double>();
  const auto reports = run.find("reports");
  if (reports == run.end() || !reports->is_array())
    throw std::runtime_error("the run \"" + name + "\" has no reports");
  for (const json& document : *reports) outcome.documents.push_back(document);
  return outcome;
}

}  // namespace

std::chrono::duration<double> expected_time(const std::vector<Paper>& papers, Extent extent) {
  std::chrono::duration<double> time{};
  for (const Plan& plan : plans_of(papers, extent))
    time += std::chrono::duration<double>(plan.seconds) * static_cast<double>(plan.repeats);
  return time;
}

Report run_papers(std::vector<Paper> papers, Extent extent) {
  Report report{.papers = std::move(papers), .extent = extent};
  report.origin = begin_report("paper");
  report.origin["commit"] = source_commit();
  const std::vector<Plan> plans = plans_of(report.papers, extent);
  const TemporaryFolder folder;
  Progress progress("papers", total_weight(plans));
  for (const Plan& plan : plans) report.outcomes[plan.name] = run_plan(plan, folder, progress);
  describe(report);
  return report;
}

Report read_papers(std::vector<Paper> papers, const json& document) {
  if (text_at(document, "experiment") != "paper")
    throw std::runtime_error("not a report of perigee bench paper");
  const auto runs = document.find("runs");
  if (runs == document.end() || !runs->is_object())
    throw std::runtime_error("the report has no runs");
  Report report{.papers = std::move(papers),
                .extent = text_at(document, "extent") == "quick" ? Extent::quick : Extent::full};
  for (const char* field : {"experiment", "machine", "version", "date", "command", "commit"})
    report.origin[field] = text_at(document, field);
  for (const auto& [name, run] : runs->items()) report.outcomes[name] = outcome_of(name, run);
  std::erase_if(report.papers, [&report](const Paper& paper) {
    return std::ranges::none_of(
        paper.runs, [&report](const Run& run) { return report.outcomes.contains(run.name); });
  });
  describe(report);
  return report;
}

}  // namespace perigee::bench::paper
