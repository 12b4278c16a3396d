// Makes the handshake of a client's transport. The transport itself never waits, so one deadline
// limits all round trips of the handshake.
#include "engine/client/opening.h"

#include <perigee/event/handle_state.h>

#include <algorithm>
#include <utility>

namespace perigee::engine {
namespace {

using std::chrono::milliseconds;
using transport::Step;
using transport::Transport;
using transport::Wait;
using transport::Wants;

constexpr milliseconds look_around{100};  // the longest wait before the clock is read again

void await_readiness(const Transport& transport, milliseconds limit) {
  const bool writes = transport.wants(Step::open) == Wants::to_write;
  const auto await = writes ? event::await_writable : event::await_readable;
  await(transport.readiness_fd(), limit);
}

[[nodiscard]] MadeTransport open_until(std::unique_ptr<Transport> opening, Deadline end,
                                       const Clock& clock) {
  for (;;) {
    const IoResult result = opening->open(Wait::no);
    if (result.ok()) return opening;
    if (result.status != IoStatus::would_block)
      return std::unexpected(transport::opening_error(*opening, result));
    const TimePoint now = clock.now();
    if (end.passed(now))
      return std::unexpected(transport::opening_error(*opening, {0, IoStatus::timed_out, 0}));
    const auto left = std::chrono::ceil<milliseconds>(end.left(now));
    await_readiness(*opening, std::min(left, look_around));
  }
}

}  // namespace

MadeTransport connect_and_open(transport::Connector& connector, const transport::Endpoint& endpoint,
                               milliseconds timeout, const Clock& clock) {
  const Deadline connect_end = Deadline::after(timeout, clock.now());
  auto connected = connector.connect(endpoint, timeout);
  if (!connected || !(*connected)->features().opens) return connected;
  const Deadline end =
      timeout.count() == 0 ? Deadline::after(handshake_max, clock.now()) : connect_end;
  return open_until(std::move(*connected), end, clock);
}

}  // namespace perigee::engine
