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

/// Any thread adds jobs, and one thread takes them: whole groups by `take`, or groups that grow
/// while the thread works on their first jobs, by `take_first` and `take_more`.
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
    const bool wakes = jobs_.size() == wakes_at_;
    lock.unlock();
    if (wakes) changed_.notify_one();
    return true;
  }
  /// Waits for jobs, at most for this time. Empty: the time is over, or the queue has ended.
  [[nodiscard]] std::vector<Job> take(Time wait_max) {
    std::unique_lock lock(mutex_);
    begin_group(lock, wait_max);
    if (!jobs_.empty()) gather(lock, wanted_);
    waited_ = Time(0);  // the caller's time begins now
    return take_off();
  }
  /// Waits for jobs, and begins a group with them. Empty: the queue has ended.
  [[nodiscard]] std::vector<Job> take_first() {
    std::unique_lock lock(mutex_);
    begin_group(lock, Time::max());
    return take_off();
  }
  /// Further jobs of the group. Waits for a part of them: a wake-up for each job would cost more
  /// than the early begin saves. Empty: the group is complete.
  [[nodiscard]] std::vector<Job> take_more() {
    std::unique_lock lock(mutex_);
    if (taken_ >= wanted_) return {};
    const std::size_t part = std::max<std::size_t>(wanted_ / parts_of_group, 1);
    gather(lock, std::min(wanted_ - taken_, part));
    return take_off();
  }
  /// Called when the thread has made a group of jobs durable. `time` is the time that this took
  /// since `take` or `take_first`.
  void group_done(std::size_t jobs, Time time) {
    const std::lock_guard lock(mutex_);
    last_time_ = time - waited_;
    wanted_ = std::min(jobs + jobs_.size(), limits_.group_max);
  }
  /// Ends the queue. The jobs that wait are still taken.
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

  /// Whether the queue has room for these octets. Expects the lock.
  [[nodiscard]] bool fits(std::size_t octets) const noexcept {
    return jobs_.empty() || (octets_ <= limits_.waiting_octets_max &&
                             octets <= limits_.waiting_octets_max - octets_);
  }
  void begin_group(std::unique_lock<std::mutex>& lock, Time wait_max) {
    const auto is_over = [this] { return is_ending_ || !jobs_.empty(); };
    wakes_at_ = 1;
    if (wait_max == Time::max())
      changed_.wait(lock, is_over);
    else
      changed_.wait_for(lock, wait_max, is_over);
    taken_ = 0;
    taken_octets_ = 0;
    waited_ = Time(0);
    gather_end_ = std::chrono::steady_clock::now() + std::min(last_time_ / 4, gather_time_max);
  }
  /// The clients of a group get their replies, and send their next jobs, one after the other.
  /// Waits until `count` jobs have come. All parts of a group together are as many as were in
  /// progress at the end of the last group, so that the clients do not become several small groups
  /// in turn. The waits of a group take at most a quarter of the time of the last group, and at
  /// most 5 ms.
  void gather(std::unique_lock<std::mutex>& lock, std::size_t count) {
    if (jobs_.size() >= count) return;
    const auto begin = std::chrono::steady_clock::now();
    wakes_at_ = count;
    changed_.wait_until(lock, gather_end_,
                        [this, count] { return is_ending_ || jobs_.size() >= count; });
    waited_ += std::chrono::steady_clock::now() - begin;
  }
  /// The jobs that wait, within the limits of the group. Expects the lock.
  [[nodiscard]] std::vector<Job> take_off() {
    std::vector<Job> jobs;
    for (; !jobs_.empty() && taken_ < limits_.group_max; ++taken_) {
      const std::size_t octets = jobs_.front().octets;
      if (taken_ > 0 && taken_octets_ + octets > limits_.group_octets_max) break;
      taken_octets_ += octets;
      octets_ -= octets;
      jobs.push_back(std::move(jobs_.front().job));
      jobs_.pop_front();
    }
    return jobs;
  }

  static constexpr std::size_t parts_of_group = 4;
  static constexpr Time gather_time_max = std::chrono::milliseconds(5);

  const GroupLimits limits_;
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::deque<Waiting> jobs_;
  std::size_t octets_ = 0;  // of jobs_
  bool is_ending_ = false;
  std::size_t wanted_ = 1;    // jobs for the next group: see gather()
  std::size_t wakes_at_ = 1;  // jobs that the taking thread waits for
  Time last_time_{0};         // of the last group, without its waits
  // Of the present group:
  std::size_t taken_ = 0;  // jobs
  std::size_t taken_octets_ = 0;
  Time waited_{0};
  std::chrono::steady_clock::time_point gather_end_{};
};

}  // namespace perigee::sqlite
