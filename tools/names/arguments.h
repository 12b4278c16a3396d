// The command line of perigee-names.
#pragma once

#include <perigee/services/naming/options.h>

#include <string>
#include <vector>

namespace perigee::tool {

struct NamesArguments {
  std::vector<std::string> endpoints;
  std::string store;  ///< "memory", or a path
  std::string reference_file;
  std::vector<std::string> rules;  ///< of --allow-bind
  naming::Limits limits;
};

/// The file for names if --store is not given: `perigee/names.db` below $XDG_STATE_HOME, or below
/// ~/.local/state. Empty if neither is known.
[[nodiscard]] std::string default_store();

/// The options for ORB_init: `given`, the endpoints, and one thread unless `given` names a
/// strategy.
[[nodiscard]] std::vector<std::string> orb_options(const NamesArguments& arguments,
                                                   std::vector<std::string> given);

/// The rules, by default local clients. Throws UsageError.
[[nodiscard]] std::vector<naming::AccessRule> access_rules(const NamesArguments& arguments);

}  // namespace perigee::tool
