// The common parts of JSON reports.
#pragma once

#include "harness/machine.h"
#include "harness/statistics.h"

#include <nlohmann/json.hpp>

#include <string>

namespace perigee::bench {

/// "samples" are the raw values of the rounds, from which `perigee bench compare` computes
/// intervals.
inline nlohmann::json to_json(const Estimate& estimate) {
  nlohmann::json result{{"value", estimate.value}, {"low", estimate.low}, {"high", estimate.high}};
  if (!estimate.samples.empty()) result["samples"] = estimate.samples;
  return result;
}

/// The first fields of each report.
inline nlohmann::json begin_report(const std::string& experiment) {
  const Measurement run = this_run();
  return {{"experiment", experiment},
          {"machine", machine_description()},
          {"version", run.version},
          {"date", run.date},
          {"command", run.command}};
}

}  // namespace perigee::bench
