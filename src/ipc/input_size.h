// The number of octets that a socket holds.
#pragma once

#include <cstddef>

namespace perigee::ipc {

/// The octets that a receive would give without waiting; 0 if the system does not say.
[[nodiscard]] std::size_t input_size(int fd) noexcept;

}  // namespace perigee::ipc
