// A task that only ends the sleep of a reactor's thread.
#pragma once

#include "engine/loops/reactor.h"

namespace perigee::engine {

/// For a thread that checks its condition after each turn.
class WakeTask final : public Task {
 public:
  WakeTask() noexcept : Task([](Task& /*task*/) {}) {}
};

}  // namespace perigee::engine
