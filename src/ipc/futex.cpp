// Waiting and waking by the system call futex.
#include "ipc/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <limits>

namespace perigee::ipc {
namespace {

// 32-bit systems have a separate call for 64-bit times. The C library's timespec can have 32-bit
// times there.
#ifdef SYS_futex_time64
constexpr long futex_call = SYS_futex_time64;
#else
static_assert(sizeof(long) == 8, "the headers of the system lack futex_time64");
constexpr long futex_call = SYS_futex;
#endif

/// __kernel_timespec
struct KernelTime {
  std::int64_t seconds;
  std::int64_t nanoseconds;
};

}  // namespace

// FUTEX_WAIT without FUTEX_PRIVATE_FLAG: the system finds the word by its file and offset, so the
// processes may map it at different addresses.
void wait_for_change(SharedWord& word, std::uint32_t value,
                     std::chrono::nanoseconds limit) noexcept {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(limit);
  const KernelTime time{seconds.count(), (limit - seconds).count()};
  (void)::syscall(futex_call, &word, FUTEX_WAIT, value, &time, nullptr, 0);
}

void wake_waiting(SharedWord& word) noexcept {
  (void)::syscall(futex_call, &word, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr,
                  0);
}

}  // namespace perigee::ipc
