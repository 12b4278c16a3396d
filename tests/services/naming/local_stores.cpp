// The stores in memory and in a file.
#include "services/naming/stores_under_test.h"

namespace perigee::naming::test {

std::vector<NamedStore> stores_under_test(const std::string& folder, std::size_t contexts_max) {
  std::vector<NamedStore> stores;
  stores.push_back({"memory", make_memory_store({.contexts_max = contexts_max})});
  stores.push_back(
      {"file", open_sqlite_store(folder + "/names.db", {.contexts_max = contexts_max}).value()});
  return stores;
}

}  // namespace perigee::naming::test
