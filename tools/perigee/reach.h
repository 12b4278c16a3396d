// Why an address in a reference cannot be used, in words.
#pragma once

#include <perigee/base/io_error.h>

#include <string>
#include <string_view>

namespace perigee::tool {

/// What is to be known of an address before anybody tries it: that it is this host only, private,
/// of one link, or none at all. Empty if there is nothing. `host` is as in a profile.
std::string remark_on_host(std::string_view host);

/// Why connecting failed, and what is likely behind it.
std::string explain(const IoError& error);

}  // namespace perigee::tool
