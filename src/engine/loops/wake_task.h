// A task that only ends the sleep of a reactor's thread.
#pragma once

#include "engine/loops/reactor.h"

namespace perigee::engine {

/// Wakes a thread that checks a condition after each turn.
class WakeTask final : public Task {
 public:
  WakeTask() noexcept : Task([](Task& /*task*/) {}) {}
};

}  // namespace perigee::engine
