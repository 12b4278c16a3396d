// The page of metrics that Prometheus collects: an HTTP server for one reader at a time.
#pragma once

#include <perigee/base/io_error.h>

#include <chrono>
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

/// What the page says. Called on the page's thread, and not after its end.
struct MetricsSource {
  std::function<std::string()> prometheus;
  std::function<std::string()> json;
};

/// `address`: "host:port", or ":port" for all interfaces. A reader who takes longer makes others
/// wait, so it is cut off.
std::expected<std::unique_ptr<MetricsPage>, IoError> make_metrics_page(
    const std::string& address, MetricsSource source,
    std::chrono::milliseconds time_per_reader = std::chrono::seconds(5));

}  // namespace perigee::runtime
