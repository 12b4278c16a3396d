// Requests that wait in a thread pool's server until their POA manager lets them pass.
#pragma once

#include "orb/server/held_queue.h"
#include "orb/server/pool_task.h"

#include <cstddef>
#include <cstdint>

namespace perigee::orb {

/// Any thread. As a task, dispatches those whose time has come, one at a time, so that as many
/// workers as are free take part: oneways in their order, under ownership, like a connection.
class HeldRequests final : public PoolTask {
 public:
  /// `poll` must outlive it.
  HeldRequests(event::SharedPoll& poll, std::size_t requests_max) noexcept
      : poll_(poll), queue_(requests_max) {}

  /// @name See HeldQueue
  /// @{
  [[nodiscard]] std::uint64_t resumptions() const noexcept { return queue_.resumptions(); }
  [[nodiscard]] HeldQueue::Kept keep(HeldPlace place, messaging::IncomingMessage& message,
                                     std::uint64_t resumptions_seen);
  [[nodiscard]] HeldQueue::Kept keep_behind(HeldPlace place, messaging::IncomingMessage& message);
  void resume();
  void drop(const Conversation& conversation) noexcept { queue_.drop(conversation); }
  void clear() noexcept { queue_.clear(); }
  /// @}

  void serve(event::Readiness readiness, PoolWorker& worker) noexcept override;
  void give_up() override;

 private:
  void finish(event::SharedPoll::Next next);

  event::SharedPoll& poll_;
  HeldQueue queue_;
  std::uint64_t in_hand_ = 0;  // the owner's: the number of the request that it dispatches
};

}  // namespace perigee::orb
