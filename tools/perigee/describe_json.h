// References as JSON for programs. Describes data only: resolves no names and makes no connection.
#pragma once

#include "choice.h"
#include <perigee/iop/corbaloc.h>
#include <perigee/iop/ior.h>

#include <string>
#include <string_view>
#include <vector>

namespace perigee::tool {

/// The contents of `describe` with these protocols, and `choices`, as one line. Octets are
/// hexadecimal. `printable` escapes the texts of the reference, so the result is ASCII.
std::string to_json(const iop::Ior& ior, const std::vector<Choice>& choices,
                    const transport::ProtocolRegistry* protocols = nullptr);
std::string to_json(const iop::Corbaloc& reference, const std::vector<Choice>& choices = {},
                    std::string_view name = {});

}  // namespace perigee::tool
