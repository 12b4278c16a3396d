// The errors that failed system calls return. Private to ipc.
#pragma once

#include <expected>
#include <system_error>

namespace perigee::ipc {

/// The result of a function that failed with this value of errno.
inline std::unexpected<std::error_code> failure(int code) noexcept {
  return std::unexpected(std::error_code(code, std::system_category()));
}

}  // namespace perigee::ipc
