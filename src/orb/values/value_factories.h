// The value factories that the application has registered with an ORB.
#pragma once

#include <perigee/orb/value.h>

#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>

namespace perigee::orb {

/// Any thread.
class ValueFactories final {
 public:
  /// Returns the factory that was registered before, or nil.
  CORBA::ValueFactory add(const std::string& id, const CORBA::ValueFactory& factory);
  /// False if there was none.
  bool remove(const std::string& id);
  /// Nil if there is none.
  [[nodiscard]] CORBA::ValueFactory find(std::string_view id) const;
  void clear() noexcept;

 private:
  mutable std::shared_mutex mutex_;  // guards factories_
  std::map<std::string, CORBA::ValueFactory, std::less<>> factories_;
};

}  // namespace perigee::orb
