// The asynchronous calls of one ORB: which loop a thread's calls belong to.
#pragma once

#include "engine/client/connects.h"
#include "engine/loops/loop.h"
#include "orb/async/client_loop.h"
#include "orb/context/settings.h"
#include <perigee/base/deadline.h>
#include <perigee/base/export.h>
#include <perigee/base/function_ref.h>
#include <perigee/base/short_lock.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

namespace perigee::orb {

struct OrbContext;

/// Counts the calls in progress to reply handlers that are objects of POAs, and the octets that
/// these calls keep. Any thread.
class HandlerCallPlaces final {
 public:
  /// The share of one call in the limits, until the call has ended.
  class Place {
   public:
    Place() noexcept = default;
    Place(HandlerCallPlaces& places, std::size_t octets) noexcept
        : places_(&places), octets_(octets) {}
    Place(Place&& other) noexcept
        : places_(std::exchange(other.places_, nullptr)), octets_(other.octets_) {}
    Place& operator=(Place&& other) noexcept {
      std::swap(places_, other.places_);
      std::swap(octets_, other.octets_);
      return *this;
    }
    ~Place() {
      if (places_ != nullptr) places_->give_back(octets_);
    }
    explicit operator bool() const noexcept { return places_ != nullptr; }

   private:
    HandlerCallPlaces* places_ = nullptr;
    std::size_t octets_ = 0;
  };

  /// No place if the limits are reached. A single call may keep any number of octets.
  [[nodiscard]] Place take(std::size_t octets, const Settings& settings) noexcept;

 private:
  void give_back(std::size_t octets) noexcept;

  ShortLock lock_;  // guards the members below
  std::uint32_t count_ = 0;
  std::size_t octets_ = 0;
};

/// Any thread. Made when the first asynchronous call begins.
class AsyncEngine final {
 public:
  /// Raises NO_RESOURCES if there is no handle for a reactor.
  explicit AsyncEngine(const OrbContext& context);
  ~AsyncEngine();
  AsyncEngine(const AsyncEngine&) = delete;
  AsyncEngine& operator=(const AsyncEngine&) = delete;

  /// The LoopCalls to which calls of the calling thread belong. Their loop is the loop of the
  /// server that the thread serves; for a dedicated reader, the home loop of its connection; for
  /// other threads, the client's loop. May throw bad_alloc.
  [[nodiscard]] LoopCalls& calls();
  /// Where tasks of the calling thread sleep: in the loop that its calls belong to.
  [[nodiscard]] PERIGEE_INTERNAL_API event::Reactor& sleeping_place();
  [[nodiscard]] ClientLoop& client_loop() noexcept { return client_loop_; }
  [[nodiscard]] HandlerCallPlaces& handler_calls() noexcept { return handler_calls_; }

  /// If the calling thread alone serves its loop, serves this loop until `done()` or the deadline.
  /// Otherwise runs the client's loop, or waits for the thread that runs it. `done` is called after
  /// each turn and after each `wake`. False: too many waits of this thread are in progress.
  [[nodiscard]] bool drive_until(function_ref<bool()> done, Deadline until);
  /// The same for a thread that waits for one of `calls`.
  [[nodiscard]] bool drive_for(const LoopCalls& calls, function_ref<bool()> done, Deadline until);
  /// Whether `turn_for` has nothing to do: other threads serve the loop of `calls`.
  [[nodiscard]] bool others_serve(const LoopCalls& calls) const noexcept;
  /// Handles the events of the loop of `calls` that have come, and does not block. If the loop of
  /// the application has to run for these calls, handles its events, too. False: too many waits of
  /// this thread are in progress.
  [[nodiscard]] bool turn_for(const LoopCalls& calls);
  /// Lets the threads in `drive_until` call `done` again.
  void wake() noexcept;
  /// The loops of the server have ended: ends the calls that belong to them.
  void loops_ended() noexcept;
  /// Ends all calls. Called once, after the server has stopped.
  void stop() noexcept;

 private:
  /// The LoopCalls of one loop of the server. Lives as long as the engine.
  struct OfLoop;

  /// The loop of the server that calls of the calling thread belong to; null: there is none.
  [[nodiscard]] engine::Loop* server_loop() const noexcept;
  [[nodiscard]] OfLoop* find(const engine::Loop& loop) const noexcept;
  [[nodiscard]] OfLoop& make(engine::Loop& loop);
  /// Runs one turn of the server's loop that the calling thread alone serves.
  [[nodiscard]] bool turn_server_loop(engine::Loop& loop);
  [[nodiscard]] bool drive_client_loop(function_ref<bool()> done, Deadline until);

  const OrbContext& context_;
  HandlerCallPlaces handler_calls_;
  engine::Connects connects_;
  ClientLoop client_loop_;
  std::atomic<OfLoop*> first_{nullptr};  // owned list; `make` adds in front, under `mutex_`
  std::recursive_mutex ending_mutex_;    // held while calls of loops are ended
  std::mutex mutex_;
};

}  // namespace perigee::orb
