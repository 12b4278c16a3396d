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

TEST_CASE("each percentile is a sample, also at 0 and at 1") {
  CHECK(percentile({5, 1, 4, 2, 3}, 0) == 1);
  CHECK(percentile({5, 1, 4, 2, 3}, 0.5) == 3);
  CHECK(percentile({5, 1, 4, 2, 3}, 1) == 5);
}

TEST_CASE("several percentiles at once equal the percentiles one at a time") {
  std::vector<double> samples;
  for (int value = 10'000; value > 0; --value) samples.push_back(value);
  const std::vector<double> fractions{0.5, 0.99, 0.9999, 1, 0};
  const std::vector<double> values = percentiles(samples, fractions);
  CHECK(values == std::vector<double>{5001, 9900, 9999, 10'000, 1});
  for (std::size_t index = 0; index < fractions.size(); ++index)
    CHECK(values[index] == percentile(samples, fractions[index]));
  CHECK(percentiles({}, fractions) == std::vector<double>(fractions.size()));
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

TEST_CASE("with fewer than six samples the interval is their range, and is called \"range\"") {
  const Estimate few = median_with_interval({3, 1, 2, 9, 4});
  CHECK(few.value == 3);
  CHECK(few.low == 1);
  CHECK(few.high == 9);
  CHECK(interval_name(5) == "range");
  CHECK(interval_name(6) == "95 % interval");
  CHECK(interval_text(5).find("95") == std::string::npos);
}

}  // namespace
}  // namespace perigee::bench
