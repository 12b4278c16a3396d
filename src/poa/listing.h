// The names that a server offers, for its operator.
#pragma once

#include <perigee/base/export.h>

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

/// The names of the IOR table. Empty if the ORB has no adapters. Makes no adapter and opens no
/// endpoint. Any thread.
[[nodiscard]] PERIGEE_INTERNAL_API std::vector<ListedName> list_names(orb::OrbCore& core);

}  // namespace perigee::poa
