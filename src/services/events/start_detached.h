// Tasks that no task awaits.
#pragma once

#include <perigee/async/task.h>

#include <stop_token>

namespace perigee::events {

/// Starts a task that no task awaits. It stops at `stop`. A failure is logged.
void start_detached(task<void> work, std::stop_token stop = {});

}  // namespace perigee::events
