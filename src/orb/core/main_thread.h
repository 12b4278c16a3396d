// Work for the thread that runs the ORB: upcalls of POAs with MAIN_THREAD_MODEL.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/function_ref.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

namespace perigee::orb {

/// The main thread of an ORB, and the work that other threads give it. The main thread is the
/// thread that made the ORB, later the thread that has called ORB::run or ORB::perform_work last.
/// Any thread.
class MainThread final {
 public:
  MainThread() noexcept { begin(); }
  MainThread(const MainThread&) = delete;
  MainThread& operator=(const MainThread&) = delete;

  /// The calling thread is the main thread from now on.
  void begin() noexcept;
  [[nodiscard]] bool is_this() const noexcept;
  /// Whether work waits for the main thread. `run_work` does it.
  [[nodiscard]] bool has_work() const noexcept { return first_waiting_.load() != nullptr; }
  /// Does all work that waits. For the main thread, and for a thread of its loop.
  void run_work() noexcept;

  enum class End : std::uint8_t {
    done,
    too_late,   ///< the main thread did not begin the work in time
    shut_down,  ///< `end` was called before the main thread began the work
  };
  /// Gives `work` to the main thread, calls `wake`, and waits until the work is done. `limit`: of
  /// the wait until the work begins; without a value there is none. `work` must not throw.
  [[nodiscard]] End run(function_ref<void()> work, function_ref<void()> wake,
                        std::optional<std::chrono::milliseconds> limit);
  /// Refuses the work that has not begun, and all later work.
  void end() noexcept;

 private:
  enum class State : std::uint8_t { waiting, begun, done, refused };
  /// On the stack of the thread that waits for the work.
  struct Work {
    function_ref<void()> run;
    State state = State::waiting;
    Work* next = nullptr;
  };

  [[nodiscard]] Work* take_first() noexcept;
  void remove(const Work& work) noexcept;

  std::atomic<const void*> thread_{nullptr};

  std::mutex mutex_;                           // guards the members below
  std::condition_variable changed_;            // the state of some work
  std::atomic<Work*> first_waiting_{nullptr};  // written under the lock, read without it
  bool ended_ = false;
};

}  // namespace perigee::orb
