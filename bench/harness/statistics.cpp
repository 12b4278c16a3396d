// Medians, percentiles and bootstrap intervals of measurements.
#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace perigee::bench {

double percentile(std::vector<double> samples, double fraction) {
  if (samples.empty()) return 0;
  const auto last = static_cast<double>(samples.size() - 1);
  const auto index = static_cast<std::ptrdiff_t>(std::lround(last * fraction));
  std::nth_element(samples.begin(), samples.begin() + index, samples.end());
  return samples[static_cast<std::size_t>(index)];
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
    return {median(samples), std::ranges::min(samples), std::ranges::max(samples)};
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
  return {median(samples), percentile(medians, 0.025), percentile(medians, 0.975)};
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
