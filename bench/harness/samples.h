// The samples of a system, one for each round, and their ratios to those of another system.
#pragma once

#include "harness/statistics.h"

#include <cstddef>
#include <vector>

namespace perigee::bench {

/// One member of all samples, in their order.
template <typename Sample, typename Member>
std::vector<double> column(const std::vector<Sample>& samples, Member member) {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back(sample.*member);
  return values;
}

/// Compares one member within each round. `base` must have as many samples as `samples`.
template <typename Sample, typename Member>
Estimate ratio(const std::vector<Sample>& samples, const std::vector<Sample>& base, Member member) {
  std::vector<double> values;
  for (std::size_t round = 0; round < samples.size(); ++round)
    values.push_back(samples[round].*member / base[round].*member);
  return median_with_interval(values);
}

}  // namespace perigee::bench
