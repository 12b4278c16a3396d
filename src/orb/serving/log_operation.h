// Log lines about one operation: errors of the application that no caller gets.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/log.h>

#include <initializer_list>
#include <string_view>

namespace perigee::orb {

/// Writes "operation: text…" in one line. Characters of the operation's name that cannot be printed
/// are escaped, since a peer chooses the name. Any thread.
PERIGEE_INTERNAL_API void log_operation(log::Level level, std::string_view operation,
                                        std::initializer_list<std::string_view> text) noexcept;

}  // namespace perigee::orb
