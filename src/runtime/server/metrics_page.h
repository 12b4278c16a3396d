// The page of metrics that Prometheus collects: a small HTTP server.
#pragma once

#include <perigee/base/io_error.h>

#include <chrono>
#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <string>

namespace perigee::runtime {

/// Serves until it is destroyed, on a thread of its own. `/metrics` has the text format of
/// Prometheus, `/metrics.json` JSON.
class MetricsPage {
 public:
  virtual ~MetricsPage() = default;
  /// host:port, the port that the system chose included.
  [[nodiscard]] virtual const std::string& address() const noexcept = 0;
};

/// The largest number of readers at one time. A further reader takes the place of the oldest reader
/// that has not sent its request. If all readers have sent theirs, the further reader is rejected.
inline constexpr std::size_t metrics_readers_max = 16;

/// The contents of the page. The page's thread calls these functions until the page is destroyed.
struct MetricsSource {
  std::function<std::string()> prometheus;
  std::function<std::string()> json;
};

/// `address`: "host:port", or ":port" for all interfaces. A connection is closed after
/// `time_per_reader`.
std::expected<std::unique_ptr<MetricsPage>, IoError> make_metrics_page(
    const std::string& address, MetricsSource source,
    std::chrono::milliseconds time_per_reader = std::chrono::seconds(5));

}  // namespace perigee::runtime
