// The stores in etcd for the common suite.
#include "services/naming_etcd/etcd_stores.h"

#include "services/naming/stores_under_test.h"

#include <cstdlib>
#include <random>
#include <stdexcept>

namespace perigee::naming::test {

std::string new_prefix() {
  std::random_device random;
  return "/test/" + std::to_string(random()) + "-" + std::to_string(random()) + "/";
}

EtcdStoreOptions etcd_options(const std::string& prefix) {
  const char* const member = std::getenv("ETCD");
  if (member == nullptr) throw std::runtime_error("ETCD is not set; start test_stores.py");
  return {.members = {member}, .prefix = prefix};
}

std::unique_ptr<EtcdStore> open_etcd(const std::string& prefix) {
  return open_etcd_store(etcd_options(prefix)).value();
}

std::vector<NamedStore> stores_under_test(const std::string&, std::size_t contexts_max) {
  EtcdStoreOptions options = etcd_options(new_prefix());
  options.contexts_max = contexts_max;
  std::vector<NamedStore> stores;
  stores.push_back({"etcd", open_etcd_store(std::move(options)).value()});
  return stores;
}

}  // namespace perigee::naming::test
