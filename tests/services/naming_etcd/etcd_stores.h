// Stores in the etcd that the variable ETCD names. test_stores.py starts etcd.
#pragma once

#include "services/naming_etcd/etcd_store.h"

#include <memory>
#include <string>

namespace perigee::naming::test {

/// A prefix that no other test uses.
[[nodiscard]] std::string new_prefix();
/// The options of a store in etcd.
[[nodiscard]] EtcdStoreOptions etcd_options(const std::string& prefix);
[[nodiscard]] std::unique_ptr<EtcdStore> open_etcd(const std::string& prefix);

}  // namespace perigee::naming::test
