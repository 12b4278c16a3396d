// What a server offers, for its operator: the names of its IOR table, and its adapters.
#pragma once

#include <perigee/base/export.h>

#include <cstddef>
#include <string>
#include <vector>

namespace perigee::orb {
class OrbCore;
}

namespace perigee::poa {

struct ListedName {
  std::string name;           ///< as in corbaloc::host:port/name
  std::string repository_id;  ///< of the reference; may be empty
};

struct ListedAdapter {
  std::string path;   ///< "RootPOA/accounts"; "%2F" and "%25" stand for / and % in a name
  std::string state;  ///< of its manager: "holding", "active", "discarding" or "inactive"
  std::size_t active_object_count = 0;
};

/// @name Any thread
/// Empty if the ORB has no adapters. Make no adapter and open no endpoint. An adapter is listed
/// before its children.
/// @{
[[nodiscard]] PERIGEE_INTERNAL_API std::vector<ListedName> list_names(orb::OrbCore& core);
[[nodiscard]] PERIGEE_INTERNAL_API std::vector<ListedAdapter> list_adapters(orb::OrbCore& core);
/// @}

}  // namespace perigee::poa
