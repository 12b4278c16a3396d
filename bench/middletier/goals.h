// What the models without waiting threads are meant to reach.
#pragma once

#include "harness/claims.h"
#include "middletier.h"

#include <vector>

namespace perigee::bench {

/// The models that the goals are about.
const std::vector<std::string>& goal_models();
/// The points that the goals are about, each with those of `models` that its goals need. Throws
/// std::runtime_error if no goal is about them.
std::vector<PointModels> goal_points(const std::vector<std::string>& models);
/// The goals that what was measured says something about.
std::vector<Claim> claims_of(const MiddletierReport& report);

}  // namespace perigee::bench
