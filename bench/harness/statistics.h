// Medians, percentiles and bootstrap intervals of measurements. Pure functions, no state.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace perigee::bench {

/// A value with its 95 % confidence interval: see `interval_name`.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
  std::vector<double> samples = {};  ///< in the order of the rounds; empty: not measured in rounds
};

/// The value below which `fraction` (0..1) of the samples lie. 0 for no samples.
double percentile(std::vector<double> samples, double fraction);
/// The same for several fractions.
std::vector<double> percentiles(std::vector<double> samples, std::span<const double> fractions);
double median(std::vector<double> samples);

/// With fewer samples, the lowest and the highest sample enclose the median in fewer than 95 % of
/// cases.
inline constexpr std::size_t interval_samples_min = 6;

/// The median with its 95 % percentile-bootstrap interval (2,000 resamples, fixed seed: the same
/// samples give the same interval). For fewer than `interval_samples_min` samples, the interval is
/// from the lowest to the highest sample. The result keeps the samples.
Estimate median_with_interval(const std::vector<double>& samples);

/// The name of the interval beside a median of `count` samples: "95 % interval" or "range".
std::string interval_name(std::size_t count);
/// A part of a sentence that says what the numbers in brackets are.
std::string interval_text(std::size_t count);

}  // namespace perigee::bench
