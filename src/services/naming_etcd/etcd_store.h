// Keeps the names of a naming service in etcd. Several naming services can use the same names.
#pragma once

#include "services/naming_etcd/etcd_options.h"
#include <perigee/services/naming/store.h>

#include <expected>
#include <memory>

namespace perigee::naming {

/// Names in etcd. Reads are answered from a copy in memory, which a watch of etcd keeps up to date.
/// A change is a transaction that names all it depends on, so changes of several stores never
/// overwrite each other. It is durable on most members when its `Done` is called.
///
/// A thread of the store makes all requests. A request that fails is repeated with the next member.
/// The destructor first makes the changes that wait.
class EtcdStore : public SharedStore {
 public:
  /// Any thread.
  [[nodiscard]] virtual EtcdStatus status() const = 0;
};

/// Copies the names, and makes an empty root context if there are none. Blocks until the copy is
/// complete, and for at most `start_time_max` without an answer of a member. Errors: `unavailable`,
/// `corrupt`, `newer`, `full`, `failed` (an option).
[[nodiscard]] std::expected<std::unique_ptr<EtcdStore>, StoreError> open_etcd_store(
    EtcdStoreOptions options);

}  // namespace perigee::naming
