// The goals of an experiment, and their verdicts after the measurements.
#pragma once

#include "harness/statistics.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace perigee::bench {

class Page;

enum class Bound : std::uint8_t { at_most, at_least };
enum class Verdict : std::uint8_t { met, within_chance, missed };

/// A goal, and its measurement.
struct Claim {
  std::string what;
  Bound bound = Bound::at_most;
  double goal = 0;
  Estimate measured;
  std::string failure = {};  ///< why nothing was measured: then the goal is missed
  std::string note = {};     ///< a value to compare with, such as the floor's own value
};

/// `within_chance`: the value misses the goal, but the interval of the value reaches the goal.
Verdict verdict(const Claim& claim);

/// The basis of the verdicts, for the method section of a report.
std::string describe_claims(std::size_t rounds);
/// One line for each claim.
std::string to_table(const std::vector<Claim>& claims);
nlohmann::json to_json(const std::vector<Claim>& claims);
void add_to(Page& page, const std::vector<Claim>& claims);

}  // namespace perigee::bench
