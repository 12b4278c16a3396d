// The asynchronous calls of one ORB: which shard a thread's calls belong to.
#pragma once

#include "engine/client/connects.h"
#include "engine/loops/loop.h"
#include "orb/async/shard.h"
#include "orb/context/settings.h"
#include <perigee/base/short_lock.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace perigee::orb {

class LoopCalls;
struct OrbContext;

/// How many calls of reply handlers that are objects of POAs are in progress, and how many octets
/// they keep. Any thread.
class HandlerCallPlaces final {
 public:
  /// What one call takes, until its end.
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

  ShortLock lock_;  // guards what follows
  std::uint32_t count_ = 0;
  std::size_t octets_ = 0;
};

/// Any thread. Made when the first asynchronous call is.
class AsyncEngine final {
 public:
  /// Raises NO_RESOURCES if there is no handle for a reactor.
  explicit AsyncEngine(const OrbContext& context);
  ~AsyncEngine();
  AsyncEngine(const AsyncEngine&) = delete;
  AsyncEngine& operator=(const AsyncEngine&) = delete;

  /// Where calls of the calling thread go: its loop's, if it runs one.
  [[nodiscard]] Shard& shard();
  /// For calls that begin on a thread of a loop that several threads serve; null: the calling
  /// thread belongs to no such loop. May throw bad_alloc.
  [[nodiscard]] LoopCalls* calls_of_this_thread();
  /// Of all threads that run no loop.
  [[nodiscard]] Shard& foreign() noexcept { return *foreign_; }
  [[nodiscard]] HandlerCallPlaces& handler_calls() noexcept { return handler_calls_; }
  /// Threads that drive, or wait for calls, ask again what they wait for.
  void wake() noexcept;
  /// The loops of the server have ended: ends the calls that belong to them.
  void loops_ended() noexcept;
  /// Ends all calls. After the server has stopped; once.
  void stop() noexcept;

 private:
  [[nodiscard]] LoopCalls* find_calls(const engine::Loop& loop) const noexcept;
  [[nodiscard]] LoopCalls& make_calls(engine::Loop& loop);
  [[nodiscard]] Shard& shard_of(event::Reactor& loop);
  [[nodiscard]] std::vector<Shard*> shards_of_loops();

  const OrbContext& context_;
  HandlerCallPlaces handler_calls_;
  engine::Connects connecting_;
  std::unique_ptr<Shard> foreign_;
  std::atomic<LoopCalls*> first_calls_{nullptr};  // owned; grows in front, under the mutex
  std::recursive_mutex ending_mutex_;             // held while calls of loops are ended
  std::mutex mutex_;                              // guards what follows
  std::vector<std::unique_ptr<Shard>> of_loops_;
};

}  // namespace perigee::orb
