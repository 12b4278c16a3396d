// Medians, percentiles and bootstrap intervals of measurements. Pure functions, no state.
#pragma once

#include <cstddef>
#include <vector>

namespace perigee::bench {

/// A value and the interval in which it lies with 95 % confidence.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// The value below which `fraction` (0..1) of the samples lie. 0 for no samples.
double percentile(std::vector<double> samples, double fraction);
double median(std::vector<double> samples);

/// Median with its 95 % percentile-bootstrap interval (2,000 resamples, fixed seed: the same
/// samples give the same interval).
Estimate median_with_interval(const std::vector<double>& samples);

}  // namespace perigee::bench
