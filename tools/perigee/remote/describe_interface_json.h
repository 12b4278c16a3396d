// A described interface as JSON.
#pragma once

#include "remote/description.h"

#include <nlohmann/json.hpp>

#include <string>

namespace perigee::tool {

/// docs/call.md lists the members. Types are repository ids, or IDL for types without a name.
[[nodiscard]] nlohmann::json json_of(const Described& interface, const std::string& idl);

}  // namespace perigee::tool
