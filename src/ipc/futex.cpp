// Waiting and waking by the system call futex.
#include "ipc/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <limits>

namespace perigee::ipc {
namespace {

// A 32-bit system has a call of its own for 64-bit times.
#ifdef SYS_futex_time64
constexpr long futex_call = sizeof(long) == 4 ? SYS_futex_time64 : SYS_futex;
#else
constexpr long futex_call = SYS_futex;
#endif

}  // namespace

// FUTEX_WAIT without FUTEX_PRIVATE_FLAG: the system finds the word by its file and offset, so the
// processes may map it at different addresses.
void wait_for_change(SharedWord& word, std::uint32_t value,
                     std::chrono::nanoseconds limit) noexcept {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(limit);
  timespec time{};
  time.tv_sec = static_cast<time_t>(seconds.count());
  time.tv_nsec = static_cast<long>((limit - seconds).count());
  const timespec* const given = limit == std::chrono::nanoseconds::max() ? nullptr : &time;
  (void)::syscall(futex_call, &word, FUTEX_WAIT, value, given, nullptr, 0);
}

void wake_waiting(SharedWord& word) noexcept {
  (void)::syscall(futex_call, &word, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr,
                  0);
}

}  // namespace perigee::ipc
