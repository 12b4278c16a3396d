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

/// Tries without waiting, then waits until the limit, and so on. `call` must not block.
template <typename Call>
[[nodiscard]] Transfer transfer_within(int fd, short events, TimeLimit limit,
                                       Call&& call) noexcept {
  Transfer result = transfer(call);
  if (result.error != EAGAIN || limit.is_no_wait()) return result;
  const Deadline deadline(limit);
  while (result.error == EAGAIN) {
    if (const auto waited = wait_ready(fd, events, deadline); waited.error != 0) {
      return {0, waited.error};
    }
    result = transfer(call);
  }
  return result;
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
