// A list of the object adapters of an ORB, for operators.
#pragma once

#include <perigee/poa/poa.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::orb {
class OrbCore;
}

namespace perigee::poa {

struct AdapterReport {
  std::vector<std::string> name;  ///< as Adapter::full_name
  std::string manager;            ///< the id of the POA manager
  PortableServer::POAManager::State state = PortableServer::POAManager::State::HOLDING;
  std::size_t active_objects = 0;
};

struct AdapterReports {
  std::vector<AdapterReport> adapters;  ///< each adapter before its children
  bool is_cut = false;                  ///< there are further adapters
};

/// "holding", "active", "discarding" or "inactive".
[[nodiscard]] std::string_view text_of(PortableServer::POAManager::State state) noexcept;
/// At most `count_max` adapters. Any thread.
[[nodiscard]] AdapterReports report_adapters(const orb::OrbCore& core, std::size_t count_max);

}  // namespace perigee::poa
