// Reads the IOR table, if the ORB has one.
#include "poa/listing.h"

#include "orb/core/orb_core.h"
#include "poa/dispatcher.h"
#include "poa/ior_table.h"

#include <utility>

namespace perigee::poa {

std::vector<ListedName> list_names(orb::OrbCore& core) {
  std::vector<ListedName> all;
  if (core.dispatcher() == nullptr) return all;
  for (auto& [name, id] : static_cast<Dispatcher*>(core.dispatcher())->name_table()->names())
    all.push_back({std::move(name), std::move(id)});
  return all;
}

}  // namespace perigee::poa
