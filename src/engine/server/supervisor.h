// Finds upcalls that block a dedicated reader or a loop, and lets another thread serve meanwhile.
// Also sends requests that wait for the end of a long turn.
#pragma once

#include "engine/connection/home.h"
#include "engine/loops/context.h"
#include "engine/loops/loop_threads.h"
#include "engine/loops/reactor.h"
#include "engine/loops/supervision.h"
#include <perigee/base/clock.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace perigee::engine {

/// The interface of a server's loops that the supervisor uses.
class SupervisedLoops {
 public:
  [[nodiscard]] virtual std::size_t loop_count() const noexcept = 0;
  [[nodiscard]] virtual Home& home_of(std::size_t index) noexcept = 0;
  /// The home of the client connections of the loop; null: none.
  [[nodiscard]] virtual Home* calls_home_of(std::size_t index) noexcept = 0;
  [[nodiscard]] virtual LoopThreads& threads_of(std::size_t index) noexcept = 0;

 protected:
  ~SupervisedLoops() = default;
};

/// Ticks on the service thread while upcalls are in progress, or requests are held for the end of a
/// turn. A dedicated reader that stays in one upcall for two ticks gets help from its home loop. A
/// loop whose threads all stay in upcalls gets a spare thread. Each tick also sends held requests.
class Supervisor final : public Ticks {
 public:
  /// Which upcalls get help.
  enum class Help : std::uint8_t { none, blocked_upcalls };

  /// The references must stay valid as long as the Supervisor exists.
  Supervisor(const EngineContext& context, Reactor& service, SupervisedLoops& loops,
             const SpareThreads& spares, Help help) noexcept
      : context_(context), service_(service), loops_(loops), spares_(spares), help_(help) {}
  ~Supervisor() { stop(); }
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  /// Ends the ticks for good. To be called after the service thread has ended.
  void stop() noexcept;

 private:
  /// The result of one tick.
  struct Found {
    bool any_upcall = false;  // or any held request
    bool acted = false;
  };

  void start() noexcept override;
  void tick() noexcept;
  [[nodiscard]] Found look() noexcept;
  [[nodiscard]] Found look_at_loop(LoopThreads& threads, Duration since,
                                   std::uint32_t idle) noexcept;
  [[nodiscard]] std::uint32_t idle_cpus(Duration since) noexcept;
  void arm(std::chrono::milliseconds period) noexcept;

  const EngineContext& context_;
  Reactor& service_;
  SupervisedLoops& loops_;
  const SpareThreads& spares_;
  const Help help_;
  std::atomic<bool> stopped_{false};
  MemberTimer<Supervisor, &Supervisor::tick> timer_{*this};

  // Used by the service thread only.
  TickRate rate_;
  TimePoint last_look_;
  Duration cpu_time_seen_{};  // the CPU time of the process
};

}  // namespace perigee::engine
