// The asynchronous calls of one ORB: which shard a thread's calls belong to.
#pragma once

#include "engine/client/connects.h"
#include "orb/async/shard.h"

#include <memory>
#include <mutex>
#include <vector>

namespace perigee::orb {

struct OrbContext;

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
  /// Of all threads that run no loop.
  [[nodiscard]] Shard& foreign() noexcept { return *foreign_; }
  /// Threads that drive, or wait for calls, ask again what they wait for.
  void wake() noexcept;
  /// Ends all calls. After the server has stopped; once.
  void stop() noexcept;

 private:
  [[nodiscard]] Shard& shard_of(event::Reactor& loop);
  [[nodiscard]] std::vector<Shard*> shards_of_loops();

  const OrbContext& context_;
  engine::Connects connecting_;
  std::unique_ptr<Shard> foreign_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::unique_ptr<Shard>> of_loops_;
};

}  // namespace perigee::orb
