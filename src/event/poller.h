// Poller: the system's interface for readiness of handles. Private to event.
#pragma once

#include <perigee/event/reactor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <type_traits>

namespace perigee::event {

/// The events of one handle.
struct PolledEvent {
  std::uint64_t key = 0;  ///< the key that the handle was added with
  Readiness readiness = Readiness::none;
  MutableOctetSpan received;
};

/// Any thread; several threads may wait at the same time. Edge-triggered: one thread gets each
/// event.
class Poller {
 public:
  virtual ~Poller() = default;
  virtual std::expected<void, IoError> add(int fd, std::uint64_t key) = 0;
  virtual void want_writable(int fd, std::uint64_t key, WriteInterest interest) noexcept = 0;
  virtual void remove(int fd) noexcept = 0;
  /// Waits for at most `left`; Duration::max() means no limit. Returns the events that came.
  [[nodiscard]] virtual std::span<PolledEvent> wait(std::span<PolledEvent> events,
                                                    Duration left) noexcept = 0;
  /// Whether `wait` would return events at once.
  [[nodiscard]] virtual bool has_events() noexcept = 0;
  /// A handle for an event loop of the application. It becomes readable when `wait` would return
  /// events.
  [[nodiscard]] virtual int handle() noexcept = 0;
};

[[nodiscard]] std::expected<std::unique_ptr<Poller>, IoError> make_epoll_poller();
/// Fails if the kernel has no io_uring, or refuses it.
[[nodiscard]] std::expected<std::unique_ptr<Poller>, IoError> make_uring_poller(Threads threads);

/// The largest number of events of one `wait`. It is small, because timers and tasks wait until all
/// these events are handled.
inline constexpr std::size_t events_max = 32;

/// Memory for the events of one `wait`, not initialised.
class EventSpace {
 public:
  [[nodiscard]] std::span<PolledEvent> events() noexcept {
    return {reinterpret_cast<PolledEvent*>(octets_.data()), events_max};
  }

 private:
  static_assert(std::is_trivially_copyable_v<PolledEvent>);
  alignas(PolledEvent) std::array<std::byte, events_max * sizeof(PolledEvent)> octets_;
};

}  // namespace perigee::event
