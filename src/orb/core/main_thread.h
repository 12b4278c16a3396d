// Work for the thread that runs the ORB: upcalls of POAs with MAIN_THREAD_MODEL.
#pragma once

#include "orb/serving/kept_request.h"
#include <perigee/base/export.h>
#include <perigee/base/function_ref.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace perigee::orb {

/// The main thread of an ORB, and the work that other threads give it. The main thread is the
/// thread in ORB::run or ORB::perform_work. If no thread is there, it is the thread that was there
/// last, or the thread that made the ORB. If several threads are there, it is the first of them.
/// Any thread.
class MainThread final {
 public:
  /// A stay of the calling thread in ORB::run or ORB::perform_work.
  class Stay {
   public:
    explicit Stay(MainThread& main) noexcept : main_(main) { (void)is_main(); }
    ~Stay();
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;
    /// Asks for the role of the main thread. Returns whether the calling thread has it.
    [[nodiscard]] bool is_main() noexcept;

   private:
    MainThread& main_;
    bool counted_ = false;
  };

  MainThread() noexcept;
  MainThread(const MainThread&) = delete;
  MainThread& operator=(const MainThread&) = delete;
  ~MainThread();

  [[nodiscard]] PERIGEE_INTERNAL_API bool is_this() const noexcept;
  /// Whether work waits that the main thread can do. `run_work` does it.
  [[nodiscard]] bool has_work() const noexcept { return waiting_.load() != 0; }
  /// Whether threads wait in `run`.
  [[nodiscard]] bool has_callers() const noexcept { return callers_.load() != 0; }
  /// Does the work that waits now, but no work that comes meanwhile. For the main thread, and for a
  /// thread of its loop.
  void run_work(RequestDispatcher& dispatcher) noexcept;

  enum class End : std::uint8_t {
    done,
    too_late,   ///< the main thread did not begin the work in time
    shut_down,  ///< `end` was called before the main thread began the work
  };
  /// Gives `work` to the main thread, calls `wake`, and waits until the work is done. `limit`
  /// bounds the wait until the work begins; std::nullopt: no limit. `work` must not throw.
  [[nodiscard]] End run(function_ref<void()> work, function_ref<void()> wake,
                        std::optional<std::chrono::microseconds> limit);
  /// Gives a request to the main thread. It is dispatched there, in the order of these calls. After
  /// `end`, the request gets TRANSIENT at once.
  void dispatch(std::unique_ptr<KeptRequest> request);
  /// Called when POA managers have changed their state: requests that had to wait for them are
  /// dispatched again. True if there are such requests.
  [[nodiscard]] bool resume() noexcept;
  /// The exception that the client gets after `End::shut_down`.
  [[nodiscard]] PERIGEE_INTERNAL_API static CORBA::TRANSIENT refusal();
  /// Refuses the work that has not begun, and all later work.
  void end() noexcept;

 private:
  enum class State : std::uint8_t { waiting, begun, done, refused };
  /// Either a function, on the stack of the thread that waits for it, or a request.
  struct Work {
    function_ref<void()> run = nullptr;
    State state = State::waiting;
    std::unique_ptr<KeptRequest> request = nullptr;
    Work* next = nullptr;
  };
  /// A list in the order of arrival.
  struct WorkList {
    Work* first = nullptr;
    Work* last = nullptr;
    void append(Work& work) noexcept;
    [[nodiscard]] Work* take_first() noexcept;
    void remove(const Work& work) noexcept;
  };

  [[nodiscard]] Work* take_first() noexcept;
  void do_work(Work& work, RequestDispatcher& dispatcher) noexcept;
  void do_request(std::unique_ptr<Work> work, RequestDispatcher& dispatcher) noexcept;
  static void refuse(std::unique_ptr<Work> work) noexcept;

  std::atomic<std::uint64_t> thread_;    // its number
  std::atomic<std::size_t> waiting_{0};  // pieces of work in `list_`

  std::atomic<std::size_t> callers_{0};

  std::mutex mutex_;                 // guards the members below
  std::condition_variable changed_;  // the state of some work
  WorkList list_;
  WorkList held_;            // requests that wait for a POA manager
  std::uint32_t stays_ = 0;  // of the main thread
  bool ended_ = false;
};

}  // namespace perigee::orb
