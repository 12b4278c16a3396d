// `perigee bench compare`: which values differ between two runs of an experiment by more than
// chance.
#pragma once

#include "harness/statistics.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

namespace compare {

/// The samples of a report by the names of their values. A name is the way to the value:
/// "results / version=sock; buffer_size=8192 / cpu_ratio". Samples of the repetitions in a report
/// of `perigee bench paper` are put together. Throws std::runtime_error if samples are not numbers.
std::map<std::string, std::vector<double>> samples_of(const nlohmann::json& report);

enum class Judgement : std::uint8_t { smaller, unchanged, larger, too_few_samples };
const char* to_string(Judgement judgement);

/// The confidence level: the share of intervals that contain the true ratio.
inline constexpr double confidence = 0.99;

/// The ratio of the medians, after / before, with its bootstrap interval of `confidence` (2,000
/// resamples of both sides, fixed seed). The median of `before` is not 0.
Estimate ratio_of_medians(const std::vector<double>& before, const std::vector<double>& after);
/// `too_few_samples`: one side has fewer than `interval_samples_min`.
Judgement judge(const std::vector<double>& before, const std::vector<double>& after,
                const Estimate& ratio);

struct Change {
  std::string name;
  double before = 0;  ///< medians
  double after = 0;
  std::size_t samples_before = 0;
  std::size_t samples_after = 0;
  Estimate ratio;
  Judgement judgement = Judgement::unchanged;
};

struct Report {
  std::string experiment;
  std::vector<std::string> notes;  ///< differences of the two runs, such as their machines
  std::vector<Change> changes;     ///< of all values with samples in both reports
  std::vector<std::string> only_before;
  std::vector<std::string> only_after;
};

/// Throws std::runtime_error if the reports are of different experiments, or have no values with
/// samples in common.
Report compare_reports(const nlohmann::json& before, const nlohmann::json& after);

enum class Rows : std::uint8_t { changed, all };
std::string to_table(const Report& report, Rows rows);
std::string to_json(const Report& report);

}  // namespace compare

/// Adds the command to `perigee bench`.
void add_compare_command(CLI::App& bench);

}  // namespace perigee::bench
