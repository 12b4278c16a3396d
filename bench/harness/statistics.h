// Medians, percentiles and bootstrap intervals of measurements. Pure functions, no state.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace perigee::bench {

/// A value, and the interval in which it lies with 95 % confidence: see `interval_name`.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// The value below which `fraction` (0..1) of the samples lie. 0 for no samples.
double percentile(std::vector<double> samples, double fraction);
/// The same for several fractions.
std::vector<double> percentiles(std::vector<double> samples, std::span<const double> fractions);
double median(std::vector<double> samples);

/// The lowest and the highest of fewer samples enclose the median in fewer than 95 % of cases.
inline constexpr std::size_t interval_samples_min = 6;

/// Median with its 95 % percentile-bootstrap interval (2,000 resamples, fixed seed: the same
/// samples give the same interval). Of fewer than `interval_samples_min` samples: with the lowest
/// and the highest of them.
Estimate median_with_interval(const std::vector<double>& samples);

/// What the interval beside a median of `count` samples may be called: "95 % interval" or "range".
std::string interval_name(std::size_t count);
/// The same for a sentence: what stands in the brackets.
std::string interval_text(std::size_t count);

}  // namespace perigee::bench
