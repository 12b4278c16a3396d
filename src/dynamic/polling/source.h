// What a set of pollables waits for.
#pragma once

#include <perigee/base/function_ref.h>

#include <cstdint>

namespace perigee::polling {

/// Any thread.
class Source {
 public:
  enum class Stage : std::uint8_t {
    waiting,  ///< the event has not come
    ready,    ///< the event has come
    used_up,  ///< the program, or a reply handler, has taken the event
  };

  Source() noexcept = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  [[nodiscard]] virtual Stage stage() const noexcept = 0;
  /// Waits until `done()`, up to `timeout` milliseconds.
  virtual void wait(function_ref<bool()> done, std::uint32_t timeout) const = 0;
  /// From now on, a change of `stage` lets the threads in `wait` of all sources of the ORB call
  /// `done` again.
  virtual void wake_at_change() const noexcept = 0;
  /// Lets the threads in `wait` call `done` again.
  virtual void wake() const noexcept = 0;
  /// Distinguishes ORBs.
  [[nodiscard]] virtual const void* orb() const noexcept = 0;

 protected:
  ~Source() = default;
};

}  // namespace perigee::polling
