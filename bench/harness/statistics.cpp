// Computes medians, percentiles and bootstrap intervals of measurements.
#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace perigee::bench {

namespace {

// The index of a percentile in `count` sorted values. `fraction` is 0.99 for the 99th percentile.
std::size_t index_of(double fraction, std::size_t count) {
  return static_cast<std::size_t>(std::lround(static_cast<double>(count - 1) * fraction));
}

}  // namespace

double percentile(std::vector<double> samples, double fraction) {
  if (samples.empty()) return 0;
  const std::size_t index = index_of(fraction, samples.size());
  std::nth_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(index),
                   samples.end());
  return samples[index];
}

std::vector<double> percentiles(std::vector<double> samples, std::span<const double> fractions) {
  if (samples.empty()) return std::vector<double>(fractions.size());
  std::ranges::sort(samples);
  std::vector<double> values;
  for (const double fraction : fractions)
    values.push_back(samples[index_of(fraction, samples.size())]);
  return values;
}

double median(std::vector<double> samples) {
  if (samples.empty()) return 0;
  std::ranges::sort(samples);
  const std::size_t middle = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
}

Estimate median_with_interval(const std::vector<double>& samples) {
  if (samples.empty()) return {};
  if (samples.size() < interval_samples_min)
    return {median(samples), std::ranges::min(samples), std::ranges::max(samples), samples};
  constexpr int resamples = 2000;
  std::mt19937_64 random(20021);
  std::uniform_int_distribution<std::size_t> pick(0, samples.size() - 1);
  std::vector<double> medians;
  medians.reserve(resamples);
  std::vector<double> resample(samples.size());
  for (int round = 0; round < resamples; ++round) {
    for (double& value : resample) value = samples[pick(random)];
    medians.push_back(median(resample));
  }
  return {median(samples), percentile(medians, 0.025), percentile(medians, 0.975), samples};
}

std::string interval_name(std::size_t count) {
  return count < interval_samples_min ? "range" : "95 % interval";
}

std::string interval_text(std::size_t count) {
  return count < interval_samples_min
             ? "in brackets the lowest and the highest: too few rounds for an interval"
             : "in brackets its 95 % bootstrap interval";
}

}  // namespace perigee::bench
