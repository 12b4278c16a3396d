// The jobs that wait for the writing thread of a file. The thread makes many of them durable
// together.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace perigee::sqlite {

struct GroupLimits {
  std::size_t waiting_max = 1;         ///< jobs in the queue
  std::size_t waiting_octets_max = 0;  ///< of the jobs in the queue; one job always fits
  std::size_t group_max = 1;           ///< jobs of a group, at least 1
  std::size_t group_octets_max = 0;    ///< of a group; one job always fits
};

/// Any thread adds jobs, and one thread takes them.
template <typename Job>
class GroupQueue {
 public:
  using Time = std::chrono::steady_clock::duration;

  explicit GroupQueue(const GroupLimits& limits) : limits_(limits) {}

  /// Moves the job into the queue. False beyond the limits: the job has not moved.
  [[nodiscard]] bool push(Job& job, std::size_t octets) {
    std::unique_lock lock(mutex_);
    if (jobs_.size() >= limits_.waiting_max || !fits(octets)) return false;
    jobs_.push_back({std::move(job), octets});
    octets_ += octets;
    const bool wakes = jobs_.size() == 1 || jobs_.size() == wanted_;
    lock.unlock();
    if (wakes) changed_.notify_one();
    return true;
  }
  /// Waits for jobs, at most for this time. Empty: the time is over, or the queue has ended.
  [[nodiscard]] std::vector<Job> take(Time wait_max) {
    std::unique_lock lock(mutex_);
    const auto is_over = [this] { return is_ending_ || !jobs_.empty(); };
    if (wait_max == Time::max())
      changed_.wait(lock, is_over);
    else
      changed_.wait_for(lock, wait_max, is_over);
    if (!jobs_.empty()) gather(lock);
    std::vector<Job> group;
    for (std::size_t octets = 0; !jobs_.empty() && group.size() < limits_.group_max;) {
      octets += jobs_.front().octets;
      if (!group.empty() && octets > limits_.group_octets_max) break;
      octets_ -= jobs_.front().octets;
      group.push_back(std::move(jobs_.front().job));
      jobs_.pop_front();
    }
    return group;
  }
  /// The thread has made a group of jobs durable, in this time.
  void group_done(std::size_t jobs, Time time) {
    const std::lock_guard lock(mutex_);
    last_time_ = time;
    wanted_ = std::min(jobs + jobs_.size(), limits_.group_max);
  }
  /// The jobs that wait are still taken.
  void end() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    changed_.notify_one();
  }
  [[nodiscard]] bool has_ended() const {
    const std::lock_guard lock(mutex_);
    return is_ending_ && jobs_.empty();
  }

 private:
  struct Waiting {
    Job job;
    std::size_t octets = 0;
  };

  /// Expects the lock.
  [[nodiscard]] bool fits(std::size_t octets) const noexcept {
    return jobs_.empty() || (octets_ <= limits_.waiting_octets_max &&
                             octets <= limits_.waiting_octets_max - octets_);
  }
  /// The clients of a group get their replies, and send their next jobs, one after the other.
  /// Waits until as many jobs have come as were in progress at the end of the last group, so that
  /// the clients do not become several small groups in turn. Takes at most a quarter of the time of
  /// the last group, and at most 5 ms.
  void gather(std::unique_lock<std::mutex>& lock) {
    constexpr Time longest = std::chrono::milliseconds(5);
    changed_.wait_for(lock, std::min(last_time_ / 4, longest),
                      [this] { return is_ending_ || jobs_.size() >= wanted_; });
  }

  const GroupLimits limits_;
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::deque<Waiting> jobs_;
  std::size_t octets_ = 0;  // of jobs_
  bool is_ending_ = false;
  std::size_t wanted_ = 1;  // jobs for the next group: see gather()
  Time last_time_{0};       // of the last group
};

}  // namespace perigee::sqlite
