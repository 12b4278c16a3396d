// The option --idl of `perigee bridge`: the operations whose bodies contain references.
#pragma once

#include "idl_nodes.h"
#include <perigee/bridge/access_rules.h>
#include <perigee/bridge/rewriting.h>

#include <expected>
#include <string>

namespace perigee::tool {

/// Operations that the rules deny are left out. Error: message for the user, with the place in the
/// IDL:
/// - a file cannot be read, or is not valid IDL;
/// - operations of the same name have different types, and references occur in them;
/// - an operation has references, and types that a bridge does not read, for example native types;
/// - valuetypes of the same repository id have different state.
[[nodiscard]] std::expected<bridge::RewritingPlan, std::string> read_idl(
    const IdlFiles& idl, const bridge::AccessRules& rules, idlc::FileProvider& files);

}  // namespace perigee::tool
