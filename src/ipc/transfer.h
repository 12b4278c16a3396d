// Repeats one transfer: after signals, and until it is possible. Private to ipc.
#pragma once

#include "ipc/deadline.h"
#include <perigee/ipc/io.h>

#include <sys/socket.h>
#include <sys/types.h>

#include <cerrno>
#include <utility>

namespace perigee::ipc::io {

/// Repeats a call that a signal interrupts.
template <typename Call>
[[nodiscard]] Transfer transfer(Call&& call) noexcept {
  for (;;) {
    const ssize_t count = call();
    if (count >= 0) [[likely]]
      return {static_cast<std::size_t>(count), 0};
    if (errno != EINTR) return {0, errno};
  }
}

/// Whether to go on after EAGAIN. Without a limit, EAGAIN means that the socket's own time-out has
/// passed.
[[nodiscard]] inline bool can_wait(TimeLimit limit) noexcept {
  return !limit.is_forever() && !limit.is_no_wait();
}

/// Goes on after a first try that did not wait: waits until the limit, tries again, and so on.
/// `call` must not block. `wait` takes the deadline and returns how the wait ended.
template <typename Wait, typename Call>
[[nodiscard]] Transfer transfer_after(Transfer result, Wait&& wait, TimeLimit limit,
                                      Call&& call) noexcept {
  if (result.error == EINTR) result = transfer(call);
  if (result.error != EAGAIN || !can_wait(limit)) return result;
  const Deadline deadline(limit);
  while (result.error == EAGAIN) {
    if (const Waited waited = wait(deadline); waited.error != 0) return {0, waited.error};
    result = transfer(call);
    // The wait may have been for another condition than the call needs. So the deadline is checked
    // here, too.
    if (result.error == EAGAIN && deadline.has_passed()) return {0, ETIMEDOUT};
  }
  return result;
}

/// The same for a handle: waits until `fd` is ready for `events`. `call` takes additional flags;
/// without them it blocks by itself.
template <typename Call>
[[nodiscard]] Transfer transfer_after_failure(Transfer failed, int fd, short events,
                                              TimeLimit limit, Call&& call) noexcept {
  return transfer_after(
      failed, [&](const Deadline& deadline) { return wait_ready(fd, events, deadline); }, limit,
      [&] { return call(limit.is_forever() ? 0 : MSG_DONTWAIT); });
}

/// The same for a call that has just failed with `errno`.
template <typename Call>
[[nodiscard]] Transfer transfer_again(int fd, short events, TimeLimit limit, Call&& call) noexcept {
  return transfer_after_failure({0, errno}, fd, events, limit, call);
}

/// The same without a first try. This is treated like a try that a signal has interrupted.
template <typename Call>
[[nodiscard]] Transfer transfer_by_flags(int fd, short events, TimeLimit limit,
                                         Call&& call) noexcept {
  return transfer_after_failure({0, EINTR}, fd, events, limit, call);
}

}  // namespace perigee::ipc::io
