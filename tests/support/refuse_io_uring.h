// A kernel that refuses io_uring, as containers do: for one thread, and the threads that it starts.
#pragma once

#include "support/refuse_system_call.h"

#include <sys/syscall.h>

#include <cerrno>

namespace perigee::test {

/// The refusal is permanent for the thread: call it on a thread of its own.
inline void refuse_io_uring() { refuse_system_call(SYS_io_uring_setup, EPERM); }

}  // namespace perigee::test
