// The numbers of each preset.
#include "engine/loops/thread_plan.h"

#include <algorithm>
#include <limits>

namespace perigee::engine {
namespace {

constexpr std::uint32_t add(std::uint32_t a, std::uint32_t b) noexcept {
  return a > std::numeric_limits<std::uint32_t>::max() - b
             ? std::numeric_limits<std::uint32_t>::max()
             : a + b;
}

}  // namespace

ThreadPlan plan_of(Preset preset, const PlanOptions& options) noexcept {
  const std::uint32_t threads = options.threads != 0 ? options.threads : std::max(options.cpus, 1U);
  switch (preset) {
    case Preset::automatic:
      return {threads, threads, add(threads, options.spares), add(threads, threads), true};
    case Preset::thread_per_connection: {
      const std::uint32_t loops = std::min(threads, continuation_loops_max);
      return {loops, loops, add(loops, options.spares), options.connections, true};
    }
    case Preset::thread_pool:
      return {1, threads, add(threads, options.pool_spares), 0, false};
    case Preset::reactor_per_core:
      return {threads, threads, threads, 0, false};
    case Preset::reactive:
      break;
  }
  return {1, 0, 1, 0, false};
}

}  // namespace perigee::engine
