// The tables that services show on the metrics page of an ORB.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/status_section.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::orb {

class OrbCore;

/// One per ORB that has sections or a page. Any thread. Shared by the ORB, its page and the
/// sections: a section may outlive the ORB.
class StatusSections {
 public:
  /// Makes the object at the first call. Raises BAD_INV_ORDER (OMG minor 4) after `destroy`.
  [[nodiscard]] static std::shared_ptr<StatusSections> of(OrbCore& core);

  /// False if the name is taken.
  [[nodiscard]] bool add(const std::string& name, std::string title, StatusReader read);
  /// Waits until no thread executes the function of this section.
  void remove(const std::string& name) noexcept;
  /// Names and titles.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> all() const;
  /// std::nullopt if there is no such section. Throws the exceptions of the section's function.
  [[nodiscard]] std::optional<StatusTable> read(std::string_view name,
                                                const StatusQuery& query) const;

 private:
  struct Section {
    std::string title;
    StatusReader read;  // null after `remove`
    std::mutex mutex;   // guards `read`; held while it executes
  };
  mutable std::mutex mutex_;  // guards the map; not held while a section is read
  // Shared with the threads that read a section.
  std::map<std::string, std::shared_ptr<Section>, std::less<>> sections_;
};

}  // namespace perigee::orb
