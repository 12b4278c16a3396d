// The stages in the life of an ORB.
#pragma once

#include <atomic>
#include <cstdint>

namespace perigee::orb {

/// Any thread reads; `OrbCore` writes.
struct OrbLife {
  enum class State : std::uint8_t { running, stopping, stopped, destroyed };

  /// Whether the shutdown has begun: then the ORB makes no more references to its objects, and
  /// resolves no initial references (BAD_INV_ORDER).
  [[nodiscard]] bool stopping() const noexcept {
    return state.load(std::memory_order_acquire) != State::running;
  }
  /// Whether the shutdown is complete: then calls raise BAD_INV_ORDER, OMG minor 4.
  [[nodiscard]] bool stopped() const noexcept {
    return state.load(std::memory_order_relaxed) >= State::stopped;
  }

  std::atomic<State> state{State::running};
  /// Shutdown has begun without waiting: deferred requests are cancelled.
  std::atomic<bool> cancels{false};
};

}  // namespace perigee::orb
