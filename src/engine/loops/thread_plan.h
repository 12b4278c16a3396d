// A thread strategy as numbers: how many threads serve, and how they share the connections.
#pragma once

#include <perigee/base/export.h>

#include <cstdint>

namespace perigee::engine {

/// The names of -ORBThreadStrategy.
enum class Preset : std::uint8_t {
  automatic,
  thread_per_connection,
  thread_pool,
  reactor_per_core,
  reactive,
};

/// The plan of a server's threads. A value.
struct ThreadPlan {
  std::uint32_t loops = 1;
  std::uint32_t threads = 1;        ///< that run loops; 0: the application runs the only loop
  std::uint32_t threads_max = 1;    ///< with the spare threads; dedicated readers do not count
  std::uint32_t dedicated_max = 0;  ///< connections that have a reading thread of their own
  bool supervised = false;          ///< the service thread looks for blocked upcalls

  /// Each loop has one thread, and never another one: a thread that waits runs nested turns.
  [[nodiscard]] constexpr bool single_threaded() const noexcept { return threads_max <= loops; }

  friend bool operator==(const ThreadPlan&, const ThreadPlan&) = default;
};

/// The options from which `plan_of` computes a plan.
struct PlanOptions {
  std::uint32_t threads = 0;           ///< -ORBThreads; 0: one per CPU
  std::uint32_t cpus = 1;              ///< that this process may use
  std::uint32_t spares = 256;          ///< of the supervised presets, for upcalls that block
  std::uint32_t pool_spares = 32;      ///< of thread-pool, for upcalls that wait
  std::uint32_t connections = 10'000;  ///< the server's limit
};

/// Loops of thread-per-connection: they run continuations, and serve handed-over connections.
inline constexpr std::uint32_t continuation_loops_max = 4;

/// Computes the plan of a preset. The table of plans is in docs/engine.md.
[[nodiscard]] PERIGEE_INTERNAL_API ThreadPlan plan_of(Preset preset,
                                                      const PlanOptions& options) noexcept;

}  // namespace perigee::engine
