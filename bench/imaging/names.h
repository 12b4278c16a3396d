// Publishes the locator in a naming service, or in a file if there is no naming service.
#pragma once

#include "harness/process.h"
#include "harness/temporary_folder.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace perigee::bench {

/// Uses a running naming service, or starts omniNames. The destructor removes the names, and ends
/// omniNames.
class Names {
 public:
  /// `service`: "host:port" of a running service; empty: starts omniNames if it is installed.
  /// Throws std::runtime_error if `service` does not answer.
  explicit Names(const std::string& service);
  ~Names();
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  /// Publishes the reference under a name. Returns the URL that clients resolve.
  std::string publish(const std::string& name, const std::string& reference);
  [[nodiscard]] bool has_service() const noexcept { return !service_.empty(); }
  /// Why there is no naming service. Empty if there is one.
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

 private:
  void start_omninames();
  /// Runs `perigee name`. Returns whether it succeeded.
  bool run_name_command(std::vector<std::string> words) const;

  TemporaryFolder folder_;
  std::optional<Process> omninames_;
  std::string service_;
  std::string reason_;
  std::vector<std::string> names_;
};

}  // namespace perigee::bench
