// Measurements as parts of JSON reports.
#pragma once

#include "harness/statistics.h"

#include <nlohmann/json.hpp>

namespace perigee::bench {

inline nlohmann::json to_json(const Estimate& estimate) {
  return {{"value", estimate.value}, {"low", estimate.low}, {"high", estimate.high}};
}

}  // namespace perigee::bench
