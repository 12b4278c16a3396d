// The metrics of an ORB as numbers, for use in the process, as JSON, or as text for Prometheus.
// ORB::_metrics makes them; docs/metrics.md lists them.
#pragma once

#include <perigee/base/export.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::orb {

/// A histogram of durations: for each range between two bounds, the number of durations in it. The
/// last number counts the durations above the highest bound.
struct LatencyHistogram {
  /// 1, 2, 5, 10 ... microseconds to 100 seconds.
  static constexpr std::size_t bound_count = 25;
  [[nodiscard]] static std::chrono::nanoseconds bound(std::size_t index) noexcept;

  /// The count of each range alone: not cumulative.
  std::array<std::uint64_t, bound_count + 1> counts{};
  std::chrono::nanoseconds sum{};

  [[nodiscard]] std::uint64_t count() const noexcept;
  /// The quantile `share` (0 to 1) of the durations, rounded up to a bound. If the quantile is
  /// above the highest bound, gives the highest bound.
  [[nodiscard]] std::chrono::nanoseconds quantile(double share) const noexcept;
};

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

/// A family of numbers with the same meaning. Labels distinguish them.
struct MetricFamily {
  enum class Type : std::uint8_t { counter, gauge, histogram };
  struct Sample {
    MetricLabels labels;
    std::uint64_t value = 0;
  };
  struct Histogram {
    MetricLabels labels;
    LatencyHistogram latencies;
  };

  std::string name;
  std::string help;
  Type type = Type::counter;
  std::vector<Sample> samples;
  std::vector<Histogram> histograms;
};

/// All numbers, taken at about the same moment. The snapshot is a copy: later calls do not change
/// it.
struct PERIGEE_API MetricsSnapshot {
  std::vector<MetricFamily> families;

  /// The sum of the family's samples that have all of these labels; 0 if there are no such samples.
  [[nodiscard]] std::uint64_t value(
      std::string_view name,
      std::initializer_list<std::pair<std::string_view, std::string_view>> labels = {}) const;
  /// nullptr if the operation was not measured. `side` is "client" or "server".
  [[nodiscard]] const LatencyHistogram* latencies(std::string_view side,
                                                  std::string_view operation) const;
};

PERIGEE_API std::string to_json(const MetricsSnapshot& snapshot);
/// The text format 0.0.4 of Prometheus.
PERIGEE_API std::string to_prometheus(const MetricsSnapshot& snapshot);

}  // namespace perigee::orb
