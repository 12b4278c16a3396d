// Libraries that belong to the ORB, and that only some programs need.
#pragma once

#include <perigee/base/io_error.h>

#include <expected>

namespace perigee::transport {

/// The address of `symbol` in the library `file`, which is in the folder of this library, or where
/// the system's libraries are. The library stays mapped until the process ends. Any thread. Errors:
/// IoErrorKind::bad_plugin, with the reason.
std::expected<const void*, IoError> companion_symbol(const char* file, const char* symbol);

}  // namespace perigee::transport
