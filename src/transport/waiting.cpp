// Waits at the handle of a transport.
#include <perigee/event/handle_state.h>
#include <perigee/transport/transport.h>

namespace perigee::transport {

void Transport::await_sendable(std::chrono::milliseconds limit) noexcept {
  event::await_writable(readiness_fd(), limit);
}

bool Transport::holds_input() const noexcept { return event::is_readable(readiness_fd()); }

}  // namespace perigee::transport
