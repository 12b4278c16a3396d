// Explains in words why an address in a reference cannot be used.
#pragma once

#include <perigee/base/io_error.h>

#include <string>
#include <string_view>

namespace perigee::tool {

/// A remark on an address that other hosts may not reach, for example a loopback, private or
/// link-local address. Makes no connection. Empty if there is no remark. `host` is as in a profile.
std::string remark_on_host(std::string_view host);

/// The reason why connecting failed, and its likely cause.
std::string explain(const IoError& error);

}  // namespace perigee::tool
