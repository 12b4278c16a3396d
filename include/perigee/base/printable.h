// Text that strangers chose, made fit for a terminal and for one line of a log.
#pragma once

#include <perigee/base/export.h>

#include <string>
#include <string_view>

namespace perigee {

/// `text` with everything but printable ASCII as \xNN, and the backslash, too.
PERIGEE_API std::string printable(std::string_view text);

}  // namespace perigee
