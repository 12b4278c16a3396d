// What the models without waiting threads are meant to reach.
#pragma once

#include "harness/claims.h"
#include "middletier.h"

#include <vector>

namespace perigee::bench {

/// The points, and the models, that the goals are about.
const std::vector<Point>& goal_points();
const std::vector<std::string>& goal_models();
/// The goals that what was measured says something about.
std::vector<Claim> claims_of(const MiddletierReport& report);

}  // namespace perigee::bench
