// The page of metrics that Prometheus collects: an HTTP server for one reader at a time.
#pragma once

#include <perigee/base/io_error.h>

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

/// `address`: "host:port", or ":port" for all interfaces.
std::expected<std::unique_ptr<MetricsPage>, IoError> make_metrics_page(const std::string& address,
                                                                       MetricsSource source);

}  // namespace perigee::runtime
