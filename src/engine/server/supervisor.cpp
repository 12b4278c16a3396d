// The ticks of the supervisor.
#include "engine/server/supervisor.h"

#include "event/cpu_time.h"
#include "event/runnable.h"

#include <algorithm>
#include <utility>

namespace perigee::engine {
namespace {

// A look costs time for each connection. All looks together take at most 1/20 of a CPU.
constexpr int rest_after_look = 20;

}  // namespace

void Supervisor::start() noexcept {
  if (stopped_.load() || running_.exchange(true)) return;
  arm(TickRate::slow);
}

void Supervisor::stop() noexcept {
  stopped_.store(true);
  (void)service_.cancel(timer_);
}

void Supervisor::arm(std::chrono::milliseconds period) noexcept {
  (void)service_.arm(timer_, Deadline::after(period, context_.clock.now()));
}

// An upcall that begins after the last look finds the ticks switched off, and starts them again.
void Supervisor::tick() noexcept {
  if (stopped_.load()) return;
  const TimePoint begin = context_.clock.now();
  const Found found = look();
  const TimePoint now = context_.clock.now();
  const auto period = rate_.next(now, !found.any_upcall, found.acted);
  const auto rest = std::chrono::ceil<std::chrono::milliseconds>(rest_after_look * (now - begin));
  if (period.count() != 0) return arm(std::max(period, rest));
  running_.store(false);
  if (look().any_upcall && !running_.exchange(true)) arm(TickRate::slow);
}

Supervisor::Found Supervisor::look() noexcept {
  Found found;
  for (std::size_t index = 0; index < loops_.loop_count(); ++index)
    if (Home* const calls = loops_.calls_home_of(index)) found.any_upcall |= calls->send_held();
  if (help_ == Help::none) return found;
  const TimePoint now = context_.clock.now();
  const Duration since = now - last_look_;
  last_look_ = now;
  const std::uint32_t idle = idle_cpus(since);
  for (std::size_t index = 0; index < loops_.loop_count(); ++index) {
    found.any_upcall |= loops_.home_of(index).look_at_lent_roles();
    if (Home* const calls = loops_.calls_home_of(index))
      found.any_upcall |= calls->look_at_lent_roles();
    const Found loop = look_at_loop(loops_.threads_of(index), since, idle);
    found.any_upcall |= loop.any_upcall;
    found.acted |= loop.acted;
  }
  return found;
}

Supervisor::Found Supervisor::look_at_loop(LoopThreads& threads, Duration since,
                                           std::uint32_t idle) noexcept {
  const LoopSample sample = threads.look(since);
  SpareRoom room{.threads = spares_.left()};
  if (is_stuck(sample) && sample.upcalls != Upcalls::block) [[unlikely]]
    room.idle_cpus = std::min(idle, event::idle_cpus_of_machine());
  return {.any_upcall = sample.upcalls != Upcalls::none || sample.has_extra,
          .acted = needs_spare(sample, room) && threads.add_spares()};
}

// The CPUs that the process has not used since the last look. Half a CPU counts as idle.
std::uint32_t Supervisor::idle_cpus(Duration since) noexcept {
  const Duration cpu_time = event::cpu_time_of_process();
  const Duration used = cpu_time - std::exchange(cpu_time_seen_, cpu_time);
  if (since <= Duration::zero()) return 0;
  const std::int64_t busy = (used + since / 2) / since;
  const std::int64_t all = context_.settings.cpus;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(all - busy, 0, all));
}

}  // namespace perigee::engine
