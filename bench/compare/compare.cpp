// Collects the samples of two reports, and compares the values that both reports have.
#include "compare.h"

#include "harness/document.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <stdexcept>
#include <string_view>

namespace perigee::bench::compare {
namespace {

using nlohmann::json;

// Texts that differ between two runs of the same experiment.
constexpr std::array descriptions{"machine", "date", "command", "error"};
// Whole numbers that tell the elements of an array apart.
constexpr std::array positions{"queue_size", "buffer_size", "clients", "delay_ms",    "shared_cpus",
                               "size",       "octets",      "cpus",    "connections", "in_flight"};
// Names of measured values end with one of these units. Each repetition measures the values again.
constexpr std::array<std::string_view, 6> units{"ns",     "_us",         "_ms",
                                                "_per_s", "_per_second", "percent"};

bool is_position(const std::string& field, const json& value) {
  if (value.is_string()) return std::ranges::find(descriptions, field) == descriptions.end();
  return value.is_number_integer() && std::ranges::find(positions, field) != positions.end();
}

std::string label_of(const json& element) {
  std::string label;
  if (!element.is_object()) return label;
  for (const auto& [field, value] : element.items())
    if (is_position(field, value))
      label += fmt::format("{}{}={}", label.empty() ? "" : "; ", field,
                           value.is_string() ? value.get<std::string>() : value.dump());
  return label;
}

bool has_unit(std::string_view name) {
  return std::ranges::any_of(units, [&](std::string_view unit) { return name.ends_with(unit); });
}

/// Walks through a report, and collects samples. The depth of a report has a limit: see
/// harness/document.h.
class Collector {
 public:
  void walk(const json& value, const std::string& name) {
    if (value.is_object() && value.contains("samples"))
      add(value["samples"], name);
    else if (value.is_object())
      walk_fields(value, name);
    else if (value.is_array())
      walk_elements(value, name);
    else if (value.is_number() && has_unit(name))
      numbers_[name].push_back(value.get<double>());
  }

  /// If the report has several repetitions, a number without samples of its own gets one sample
  /// from each repetition.
  std::map<std::string, std::vector<double>> result() {
    for (auto& [name, values] : numbers_)
      if (values.size() > 1) samples_[name] = std::move(values);
    return std::move(samples_);
  }

 private:
  void add(const json& samples, const std::string& name) {
    if (!samples.is_array()) throw std::runtime_error(name + ": the samples are not an array");
    std::vector<double>& target = samples_[name];
    if (samples.size() > report_samples_max - std::min(target.size(), report_samples_max))
      throw std::runtime_error(fmt::format("{}: more than {} samples", name, report_samples_max));
    for (const json& sample : samples) {
      if (!sample.is_number()) throw std::runtime_error(name + ": a sample is not a number");
      target.push_back(sample.get<double>());
    }
  }

  void walk_fields(const json& object, const std::string& name) {
    for (const auto& [field, value] : object.items())
      walk(value, name.empty() ? field : name + " / " + field);
  }

  // Elements with the same label get numbers, so that their samples stay apart. All
  // repetitions have one name, so that their samples are collected together.
  void walk_elements(const json& array, const std::string& name) {
    const bool repetitions = name.ends_with(" / reports");
    std::map<std::string, std::size_t> seen;
    for (const json& element : array) {
      std::string label = repetitions ? "" : label_of(element);
      if (const std::size_t count = seen[label]++; !repetitions && (count > 0 || label.empty()))
        label += fmt::format("#{}", count + 1);
      walk(element, repetitions ? name.substr(0, name.size() - 10) : name + " / " + label);
    }
  }

  std::map<std::string, std::vector<double>> samples_;
  std::map<std::string, std::vector<double>> numbers_;
};

std::string text_of_field(const json& report, const char* field) {
  const auto value = report.find(field);
  return value != report.end() && value->is_string() ? value->get<std::string>() : "unknown";
}

double resampled_median(const std::vector<double>& samples, std::mt19937_64& random,
                        std::vector<double>& room) {
  std::uniform_int_distribution<std::size_t> pick(0, samples.size() - 1);
  room.resize(samples.size());
  for (double& value : room) value = samples[pick(random)];
  return median(room);
}

Change change_of(const std::string& name, const std::vector<double>& before,
                 const std::vector<double>& after) {
  Change change{.name = name,
                .before = median(before),
                .after = median(after),
                .samples_before = before.size(),
                .samples_after = after.size()};
  change.ratio = ratio_of_medians(before, after);
  change.judgement = judge(before, after, change.ratio);
  return change;
}

std::vector<std::string> differences(const json& before, const json& after) {
  std::vector<std::string> notes;
  for (const char* field : {"machine", "version", "commit", "command"})
    if (before.contains(field) && text_of_field(before, field) != text_of_field(after, field))
      notes.push_back(fmt::format("{}: {} before, {} after", field, text_of_field(before, field),
                                  text_of_field(after, field)));
  return notes;
}

}  // namespace

std::map<std::string, std::vector<double>> samples_of(const json& report) {
  Collector collector;
  if (text_of_field(report, "experiment") != "paper")
    collector.walk(report, "");
  else if (const auto runs = report.find("runs"); runs != report.end())
    collector.walk(*runs, "");  // the field `findings` repeats values of the runs
  return collector.result();
}

const char* to_string(Judgement judgement) {
  switch (judgement) {
    case Judgement::smaller:
      return "smaller";
    case Judgement::unchanged:
      return "no change beyond chance";
    case Judgement::larger:
      return "larger";
    case Judgement::too_few_samples:
      return "too few samples";
  }
  return "";
}

Estimate ratio_of_medians(const std::vector<double>& before, const std::vector<double>& after) {
  constexpr int resamples = 2000;
  std::mt19937_64 random(20021);
  std::vector<double> room;
  std::vector<double> ratios;
  ratios.reserve(resamples);
  for (int index = 0; index < resamples; ++index) {
    const double base = resampled_median(before, random, room);
    if (base != 0) ratios.push_back(resampled_median(after, random, room) / base);
  }
  const double outside = (1 - confidence) / 2;
  return {median(after) / median(before), percentile(ratios, outside),
          percentile(ratios, 1 - outside)};
}

Judgement judge(const std::vector<double>& before, const std::vector<double>& after,
                const Estimate& ratio) {
  if (std::min(before.size(), after.size()) < interval_samples_min)
    return Judgement::too_few_samples;
  if (ratio.low > 1) return Judgement::larger;
  if (ratio.high < 1) return Judgement::smaller;
  return Judgement::unchanged;
}

Report compare_reports(const json& before, const json& after) {
  Report report{.experiment = text_of_field(before, "experiment"),
                .notes = differences(before, after)};
  if (report.experiment != text_of_field(after, "experiment"))
    throw std::runtime_error(fmt::format("the first file is a report of {}, the second of {}",
                                         report.experiment, text_of_field(after, "experiment")));
  const auto first = samples_of(before);
  const auto second = samples_of(after);
  for (const auto& [name, samples] : first) {
    const auto other = second.find(name);
    if (other == second.end())
      report.only_before.push_back(name);
    else if (!samples.empty() && !other->second.empty() && median(samples) != 0)
      report.changes.push_back(change_of(name, samples, other->second));
  }
  for (const auto& [name, samples] : second)
    if (!first.contains(name)) report.only_after.push_back(name);
  if (report.changes.empty())
    throw std::runtime_error(
        "the two reports have no value with samples in common; reports of Perigee 0.2 have no "
        "samples: measure again");
  return report;
}

}  // namespace perigee::bench::compare
