// Whether a handle can be written to, without waiting.
#pragma once

#include <perigee/base/export.h>

namespace perigee::event {

/// Whether a write would take something at once, or fail at once. True for -1, which stands for
/// what cannot be waited for.
PERIGEE_API bool is_writable(int fd) noexcept;

}  // namespace perigee::event
