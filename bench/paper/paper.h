// `perigee bench paper`: repeats the experiments of four papers, and says of each finding whether
// it is confirmed or refuted. The definitions of the figures are data: see figure.h.
#pragma once

#include "paper/evaluate.h"
#include "paper/figure.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

namespace paper {

enum class Extent : std::uint8_t { quick, full };

/// The time of all runs that `extent` may take on two CPUs.
constexpr std::chrono::minutes time_limit(Extent extent) {
  return std::chrono::minutes(extent == Extent::quick ? 5 : 60);
}
/// The time of all runs of `papers` that the definitions expect.
std::chrono::duration<double> expected_time(const std::vector<Paper>& papers, Extent extent);

struct Report {
  std::vector<Paper> papers;
  Extent extent = Extent::full;
  Outcomes outcomes;
  std::vector<std::string> descriptions;  ///< of machine, run and commit, for the page
  nlohmann::json origin;                  ///< the first fields of the JSON report
};

/// Runs the experiments of the papers as child processes, one at a time. A failure is kept in its
/// outcome, and the next experiment follows.
Report run_papers(std::vector<Paper> papers, Extent extent);
/// The report that an earlier run has written as JSON, without new measurements. Throws
/// std::runtime_error if the document is not such a report.
Report read_papers(std::vector<Paper> papers, const nlohmann::json& document);

/// The errors of the runs and of the values that are missing, one a line; empty: everything was
/// measured.
std::vector<std::string> failures_of(const Report& report);
/// The time of all runs, and the limits, as a sentence.
std::string time_text(const Report& report);

std::string to_table(const Report& report);
std::string to_json(const Report& report);
std::string to_html(const Report& report);

}  // namespace paper

/// Adds the command to `perigee bench`.
void add_paper_command(CLI::App& bench);

}  // namespace perigee::bench
