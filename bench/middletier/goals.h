// The goals for the models without waiting threads.
#pragma once

#include "harness/claims.h"
#include "middletier.h"

#include <vector>

namespace perigee::bench {

/// The models that have goals.
const std::vector<std::string>& goal_models();
/// The measured points that have goals. Each point has those of `models` that its goals need.
/// Throws std::runtime_error if no goal uses these models.
std::vector<PointModels> goal_points(const std::vector<std::string>& models);
/// The goals for which the report has measurements.
std::vector<Claim> claims_of(const MiddletierReport& report);

}  // namespace perigee::bench
