// The source of the contents of the metrics page.
#pragma once

#include <perigee/orb/status_section.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace perigee::runtime {

/// The contents of the page. The page's thread calls these functions until the page is destroyed.
struct MetricsSource {
  std::function<std::string()> prometheus;
  std::function<std::string()> json;
  /// Null: there is no `/status.json`.
  std::function<std::string()> status = nullptr;
  /// Null: there is no `/section.json`. std::nullopt: no section has this name.
  std::function<std::optional<std::string>(std::string_view name, const orb::StatusQuery& query)>
      section = nullptr;
};

}  // namespace perigee::runtime
