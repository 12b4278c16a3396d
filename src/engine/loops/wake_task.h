// A task that only ends the sleep of a reactor's thread.
#pragma once

#include "engine/loops/reactor.h"

namespace perigee::engine {

/// For a thread that asks after each turn whether to go on.
class WakeTask final : public Task {
 public:
  WakeTask() noexcept : Task([](Task& /*task*/) {}) {}
};

}  // namespace perigee::engine
