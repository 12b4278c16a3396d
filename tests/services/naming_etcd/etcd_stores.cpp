// The stores in etcd for the common suite.
#include "services/naming_etcd/etcd_stores.h"

#include "services/naming/stores_under_test.h"

#include <chrono>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <utility>

namespace perigee::naming::test {

namespace {

/// Long enough for thousands of changes in a row, on a busy machine and with sanitizers.
constexpr std::chrono::seconds write_time_max{60};

}  // namespace

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
  EtcdStoreOptions options = etcd_options(prefix);
  options.write_time_max = write_time_max;
  return open_etcd_store(std::move(options)).value();
}

std::vector<NamedStore> stores_under_test(const std::string&, std::size_t contexts_max) {
  EtcdStoreOptions options = etcd_options(new_prefix());
  options.contexts_max = contexts_max;
  options.write_time_max = write_time_max;
  std::vector<NamedStore> stores;
  stores.push_back({"etcd", open_etcd_store(std::move(options)).value()});
  return stores;
}

}  // namespace perigee::naming::test
