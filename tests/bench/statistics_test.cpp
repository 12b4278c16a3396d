// Medians, percentiles and intervals.
#include "harness/statistics.h"

#include <doctest/doctest.h>

namespace perigee::bench {
namespace {

TEST_CASE("the median of an even number of samples lies between the middle two") {
  CHECK(median({}) == 0);
  CHECK(median({3}) == 3);
  CHECK(median({4, 1, 3, 2}) == doctest::Approx(2.5));
}

TEST_CASE("percentiles are samples, at both ends too") {
  CHECK(percentile({5, 1, 4, 2, 3}, 0) == 1);
  CHECK(percentile({5, 1, 4, 2, 3}, 0.5) == 3);
  CHECK(percentile({5, 1, 4, 2, 3}, 1) == 5);
}

TEST_CASE("an interval holds its median, and the same samples give the same interval") {
  const std::vector<double> samples{1.0, 1.2, 0.9, 1.1, 1.4, 0.8, 1.05};
  const Estimate first = median_with_interval(samples);
  const Estimate again = median_with_interval(samples);
  CHECK(first.low <= first.value);
  CHECK(first.value <= first.high);
  CHECK(first.low < first.high);
  CHECK(first.low == again.low);
  CHECK(first.high == again.high);
}

}  // namespace
}  // namespace perigee::bench
