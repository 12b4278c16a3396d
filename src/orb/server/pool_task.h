// What the workers of a thread pool are given to do, and what they do it with.
#pragma once

#include "orb/server/conversation.h"
#include <perigee/event/shared_poll.h>

#include <cstddef>
#include <cstdint>

namespace perigee::orb {

class PoolTask;

/// One thread of the pool. `reading` says whether it still owns the task that it was given.
struct PoolWorker : ServingThread {
  using ServingThread::ServingThread;

  PoolTask* task = nullptr;
  std::uint64_t resumptions_seen = 0;  ///< before the present upcall: see HeldRequests
};

/// Has something for a worker. One worker at a time owns it.
class PoolTask : public event::SharedHandler {
 public:
  /// By the worker who has become its owner; who has given it up or released it when this returns.
  virtual void serve(event::Readiness readiness, PoolWorker& worker) noexcept = 0;
  /// By the owner, before an upcall during which others may go on with the task.
  virtual void give_up() = 0;

 protected:
  ~PoolTask() = default;
};

}  // namespace perigee::orb
