// The stores that the common suite tests. Each test program chooses its stores.
#pragma once

#include <perigee/services/naming/store.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace perigee::naming::test {

struct NamedStore {
  std::string name;
  std::unique_ptr<Store> store;
};

/// Empty stores, which may keep files in the folder.
[[nodiscard]] std::vector<NamedStore> stores_under_test(const std::string& folder,
                                                        std::size_t contexts_max = 1'000'000);

}  // namespace perigee::naming::test
