// A small HTTP server for the metrics page. Prometheus collects this page, and operators open it in
// a browser.
#pragma once

#include "runtime/server/metrics_source.h"
#include <perigee/base/io_error.h>

#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <vector>

namespace perigee::runtime {

/// Serves until it is destroyed, on a thread of its own. `/` is the page for browsers. `/metrics`
/// has the text format of Prometheus. `/metrics.json`, `/status.json` and `/section.json` have
/// JSON.
class MetricsPage {
 public:
  virtual ~MetricsPage() = default;
  /// host:port, the port that the system chose included.
  [[nodiscard]] virtual const std::string& address() const noexcept = 0;
};

/// The largest number of readers at one time. A further reader takes the place of the oldest reader
/// that has not sent its request. If all readers have sent theirs, the further reader is rejected.
inline constexpr std::size_t metrics_readers_max = 16;

/// `address`: "host:port", or ":port" for all interfaces. A connection is closed after
/// `time_per_reader`. `hosts`: further host names by which clients may reach the page; it always
/// accepts numeric addresses, "localhost", and the host of `address`.
std::expected<std::unique_ptr<MetricsPage>, IoError> make_metrics_page(
    const std::string& address, MetricsSource source,
    std::chrono::milliseconds time_per_reader = std::chrono::seconds(5),
    std::vector<std::string> hosts = {});

}  // namespace perigee::runtime
