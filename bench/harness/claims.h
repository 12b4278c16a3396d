// Goals of an experiment, beside what was measured.
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

/// A goal, and what was measured.
struct Claim {
  std::string what;
  Bound bound = Bound::at_most;
  double goal = 0;
  Estimate measured;
  std::string failure = {};  ///< why nothing was measured: then it is missed
  std::string note = {};     ///< what a reader compares the value with, like the floor's own value
};

/// `within_chance`: the value misses the goal, its interval does not.
Verdict verdict(const Claim& claim);

/// What the verdicts rest on, for the method of a report.
std::string describe_claims(std::size_t rounds);
/// A line for each.
std::string to_table(const std::vector<Claim>& claims);
nlohmann::json to_json(const std::vector<Claim>& claims);
void add_to(Page& page, const std::vector<Claim>& claims);

}  // namespace perigee::bench
