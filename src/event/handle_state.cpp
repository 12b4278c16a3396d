// Finds out or awaits the state of a handle by one call of poll(2).
#include <perigee/event/handle_state.h>

#include <poll.h>

#include <algorithm>
#include <limits>

namespace perigee::event {

bool is_writable(int fd) noexcept {
  if (fd < 0) return true;
  pollfd entry{fd, POLLOUT, 0};
  return ::poll(&entry, 1, 0) != 0;
}

bool is_readable(int fd) noexcept {
  pollfd entry{fd, POLLIN, 0};
  return fd >= 0 && ::poll(&entry, 1, 0) > 0;
}

namespace {

void await(int fd, short events, std::chrono::milliseconds limit) noexcept {
  if (fd < 0) return;
  using std::chrono::milliseconds;
  constexpr milliseconds longest{std::numeric_limits<int>::max()};
  pollfd entry{fd, events, 0};
  (void)::poll(&entry, 1, static_cast<int>(std::clamp(limit, milliseconds(0), longest).count()));
}

}  // namespace

void await_readable(int fd, std::chrono::milliseconds limit) noexcept { await(fd, POLLIN, limit); }

void await_writable(int fd, std::chrono::milliseconds limit) noexcept { await(fd, POLLOUT, limit); }

bool is_ended_by_peer(int fd) noexcept {
  pollfd entry{fd, POLLRDHUP, 0};
  return fd >= 0 && ::poll(&entry, 1, 0) > 0;
}

}  // namespace perigee::event
