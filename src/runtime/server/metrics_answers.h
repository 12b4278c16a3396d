// The answers of the metrics page: from the text of a request to the text of a response. Does no
// input or output.
#pragma once

#include "runtime/server/http_request.h"
#include "runtime/server/metrics_source.h"

#include <string>
#include <string_view>
#include <vector>

namespace perigee::runtime {

/// Used by the thread of the page.
class MetricsAnswers {
 public:
  /// `hosts`: see is_accepted_host.
  MetricsAnswers(MetricsSource source, std::vector<std::string> hosts);

  /// `request` ends with the empty line after the header. If a function of the source throws, the
  /// answer says so, and the log has the reason. Throws std::bad_alloc.
  [[nodiscard]] std::string answer(std::string_view request) const;

 private:
  struct Response;
  [[nodiscard]] Response respond(std::string_view text, std::string_view& method) const;
  [[nodiscard]] static Response failure(const HttpRequest& request, std::string_view reason);
  [[nodiscard]] Response page(const HttpRequest& request) const;
  [[nodiscard]] Response section(std::string_view query) const;

  MetricsSource source_;
  std::vector<std::string> hosts_;
};

}  // namespace perigee::runtime
