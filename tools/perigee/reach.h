// Explains in words why an address in a reference cannot be used.
#pragma once

#include <perigee/base/io_error.h>

#include <string>
#include <string_view>

namespace perigee::tool {

/// A remark on an address before it is tried: only this host, private, of one link, or invalid.
/// Empty if there is no remark. `host` is as in a profile.
std::string remark_on_host(std::string_view host);

/// The reason why connecting failed, and its likely cause.
std::string explain(const IoError& error);

}  // namespace perigee::tool
