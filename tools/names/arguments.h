// The command line of perigee-names.
#pragma once

#include "services/naming_etcd/etcd_options.h"
#include <perigee/services/naming/options.h>

#include <cstddef>
#include <string>
#include <vector>

namespace perigee::tool {

struct NamesArguments {
  std::vector<std::string> endpoints;
  std::string store;  ///< "memory", "etcd", or a path
  std::size_t contexts_max = 1'000'000;
  naming::EtcdStoreOptions etcd;
  double staleness_max_s = 60;  ///< seconds
  std::string reference_file;
  std::vector<std::string> rules;  ///< the values of --allow-bind
  naming::Limits limits;
};

/// The file for names if --store is not given: `perigee/names.db` below $XDG_STATE_HOME, or below
/// ~/.local/state. Empty if neither is known.
[[nodiscard]] std::string default_store();

/// The options for ORB_init: `given`, the endpoints, and one thread unless `given` names a
/// strategy.
[[nodiscard]] std::vector<std::string> orb_options(const NamesArguments& arguments,
                                                   std::vector<std::string> given);

/// The options of a store in etcd. Throws UsageError unless --etcd is given.
[[nodiscard]] naming::EtcdStoreOptions etcd_options(const NamesArguments& arguments);

/// The rules about clients that may change names. The default rule allows clients of this host.
/// Throws UsageError.
[[nodiscard]] std::vector<naming::AccessRule> access_rules(const NamesArguments& arguments);

}  // namespace perigee::tool
