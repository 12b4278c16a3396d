// Two systems of an experiment that stand beside each other in its report.
#pragma once

#include <string>

namespace perigee::bench {

/// Two systems of which one is a variant of the other.
struct Comparison {
  std::string system;
  std::string base;
};

/// "GIOP UNIX / GIOP TCP".
inline std::string to_text(const Comparison& comparison) {
  return comparison.system + " / " + comparison.base;
}

/// At most `ratio` times the base.
struct ComparisonGoal {
  Comparison comparison;
  double ratio;
};

}  // namespace perigee::bench
