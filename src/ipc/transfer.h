// How one transfer is repeated: after signals, and until it is possible. Private to ipc.
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
    if (count >= 0) return {static_cast<std::size_t>(count), 0};
    if (errno != EINTR) return {0, errno};
  }
}

/// Tries without waiting, then waits until the limit, and so on. `call` must not block; `wait`
/// takes the deadline and gives how it ended.
template <typename Wait, typename Call>
[[nodiscard]] Transfer transfer_after(Wait&& wait, TimeLimit limit, Call&& call) noexcept {
  Transfer result = transfer(call);
  if (result.error != EAGAIN || limit.is_no_wait()) return result;
  const Deadline deadline(limit);
  while (result.error == EAGAIN) {
    if (const Waited waited = wait(deadline); waited.error != 0) return {0, waited.error};
    result = transfer(call);
    // Who waited for something else than what the call wants must not wait for ever.
    if (result.error == EAGAIN && deadline.has_passed()) return {0, ETIMEDOUT};
  }
  return result;
}

/// The same, waiting until `fd` is ready for `events`.
template <typename Call>
[[nodiscard]] Transfer transfer_within(int fd, short events, TimeLimit limit,
                                       Call&& call) noexcept {
  return transfer_after([&](const Deadline& deadline) { return wait_ready(fd, events, deadline); },
                        limit, call);
}

/// The same with a call that takes flags to add, and blocks by itself without them.
template <typename Call>
[[nodiscard]] Transfer transfer_by_flags(int fd, short events, TimeLimit limit,
                                         Call&& call) noexcept {
  if (limit.is_forever()) return transfer([&] { return call(0); });
  return transfer_within(fd, events, limit, [&] { return call(MSG_DONTWAIT); });
}

/// The same after a call without limit that has just failed, by `errno`; with a limit from the
/// beginning.
template <typename Call>
[[nodiscard]] Transfer transfer_again(int fd, short events, TimeLimit limit, Call&& call) noexcept {
  if (limit.is_forever() && errno != EINTR) return {0, errno};
  return transfer_by_flags(fd, events, limit, call);
}

}  // namespace perigee::ipc::io
