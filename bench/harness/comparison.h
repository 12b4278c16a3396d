// Two systems of an experiment that its report compares.
#pragma once

#include <string>

namespace perigee::bench {

/// A system, and the system that its values are divided by.
struct Comparison {
  std::string system;
  std::string base;
};

/// "GIOP UNIX / GIOP TCP".
inline std::string to_text(const Comparison& comparison) {
  return comparison.system + " / " + comparison.base;
}

/// The ratio to the base must be at most `ratio`.
struct ComparisonGoal {
  Comparison comparison;
  double ratio;
};

}  // namespace perigee::bench
