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

/// A histogram of durations: the number of durations up to each of `bounds`, and of longer ones.
struct LatencyHistogram {
  /// 1, 2, 5, 10 ... microseconds to 100 seconds.
  static constexpr std::size_t bound_count = 25;
  [[nodiscard]] static std::chrono::nanoseconds bound(std::size_t index) noexcept;

  std::array<std::uint64_t, bound_count + 1> counts{};  ///< of each range, without the lower ranges
  std::chrono::nanoseconds sum{};

  [[nodiscard]] std::uint64_t count() const noexcept;
  /// The bound that `share` (0 to 1) of all durations do not exceed. The highest bound if they are
  /// longer.
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

/// All numbers at about one moment. A value, which does not change when the ORB counts on.
struct PERIGEE_API MetricsSnapshot {
  std::vector<MetricFamily> families;

  /// The sum of the family's samples that have all of these labels; 0 if there are no such samples.
  [[nodiscard]] std::uint64_t value(
      std::string_view name,
      std::initializer_list<std::pair<std::string_view, std::string_view>> labels = {}) const;
  /// nullptr if that operation was not measured. `side` is "client" or "server".
  [[nodiscard]] const LatencyHistogram* latencies(std::string_view side,
                                                  std::string_view operation) const;
};

PERIGEE_API std::string to_json(const MetricsSnapshot& snapshot);
/// The text format 0.0.4 of Prometheus.
PERIGEE_API std::string to_prometheus(const MetricsSnapshot& snapshot);

}  // namespace perigee::orb
