// Serving, stepping back, and being called again.
#include "engine/loops/loop_threads.h"

#include "event/cpu_time.h"
#include <perigee/base/log.h>

#include <exception>
#include <utility>

namespace perigee::engine {
/// One thread of a loop, on its stack. Guarded by the mutex of the loop's threads, but for the
/// atomic fields.
class LoopThreads::Member {
 public:
  explicit Member(LoopThreads& threads) noexcept : threads_(threads) {
    const std::lock_guard lock(threads.mutex_);
    next_ = threads.members_;
    if (next_ != nullptr) next_->previous_ = this;
    threads.members_ = this;
    of_this_thread = this;
  }
  ~Member() {
    const std::lock_guard lock(threads_.mutex_);
    (previous_ != nullptr ? previous_->next_ : threads_.members_) = next_;
    if (next_ != nullptr) next_->previous_ = previous_;
    of_this_thread = nullptr;
  }
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  [[nodiscard]] Member* next() const noexcept { return next_; }
  [[nodiscard]] bool serves() const noexcept { return !on_standby && waits == 0 && !replaced; }
  /// The CPU time since the last call.
  [[nodiscard]] Duration take_cpu_time() noexcept {
    const Duration used = cpu_time_.used();
    return used - std::exchange(cpu_time_seen_, used);
  }

  static thread_local Member* of_this_thread;

  std::atomic<std::uint64_t> turns{0};  // written by its thread
  std::atomic<bool> replaced{false};    // written under the mutex
  std::uint64_t turns_seen = 0;
  std::uint32_t waits = 0;  // the nested ones, too
  bool on_standby = false;

 private:
  LoopThreads& threads_;
  const event::ThreadCpuTime cpu_time_;
  Duration cpu_time_seen_{};
  Member* next_ = nullptr;
  Member* previous_ = nullptr;
};

thread_local LoopThreads::Member* LoopThreads::Member::of_this_thread = nullptr;

std::uint32_t LoopThreads::thread_count() const noexcept {
  const std::lock_guard lock(mutex_);
  return thread_count_;
}

bool LoopThreads::start() noexcept {
  const std::lock_guard lock(mutex_);
  while (thread_count_ < planned_ && start_thread()) serving_count_.fetch_add(1);
  return thread_count_ != 0;
}

// Expects mutex_ to be held.
bool LoopThreads::start_thread() noexcept {
  try {
    threads_.start([this] { run_thread(); });
  } catch (const std::exception& exception) {
    log::write(log::Level::warning, "engine", exception.what());
    return false;
  }
  ++thread_count_;
  return true;
}

void LoopThreads::join() noexcept {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wanted_.notify_all();
  }
  threads_.join_all();
}

// Any thread beyond the planned ones has taken one of the spares, whichever thread ends.
void LoopThreads::run_thread() noexcept {
  {
    const Loop::Scope serves(loop_);
    Member self(*this);
    serve(self);
  }
  const std::lock_guard lock(mutex_);
  if (thread_count_-- > planned_) spares_.give_back();
}

// False: the reactor was stopped. What one task throws does not concern the other tasks.
bool LoopThreads::run_turn() noexcept {
  Reactor& reactor = loop_.reactor();
  try {
    if (loop_.single_threaded()) {
      reactor.run();
      return false;
    }
    reactor.run_once(Deadline::never());
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "engine", exception.what());
  }
  return !reactor.stopped();
}

void LoopThreads::serve(Member& self) noexcept {
  while (run_turn()) {
    self.turns.store(self.turns.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (self.replaced.load(std::memory_order_relaxed)) [[unlikely]]
      serve_again(self);
    if (serving_count_.load(std::memory_order_relaxed) <= planned_) continue;
    if (!step_back(self)) return;
  }
}

// One thread too many serves now: the next idle thread steps back.
void LoopThreads::serve_again(Member& self) noexcept {
  const std::lock_guard lock(mutex_);
  if (!self.replaced.exchange(false)) return;
  serving_count_.fetch_add(1);
}

// True if this thread is to serve: there are not too many after all, or it was called again.
bool LoopThreads::step_back(Member& self) {
  std::unique_lock lock(mutex_);
  if (serving_count_.load() <= planned_) return true;
  serving_count_.fetch_sub(1);
  ++standby_count_;
  self.on_standby = true;
  loop_.reactor().leave();
  (void)wanted_.wait_for(lock, standby_, [this] { return wanted_count_ != 0 || stopping_; });
  self.on_standby = false;
  --standby_count_;
  if (wanted_count_ == 0) return false;
  --wanted_count_;
  return true;
}

// A thread that was replaced already does not count as serving.
bool LoopThreads::begin_wait() noexcept {
  Member* const self = Member::of_this_thread;
  const std::lock_guard lock(mutex_);
  if (self != nullptr && self->waits != 0) {
    ++self->waits;
    return true;
  }
  const bool replaced = self != nullptr && self->replaced.exchange(false);
  if (!replaced) {
    if (serving_count_.load() == 1 && !call_spare()) return false;
    serving_count_.fetch_sub(1);
  }
  if (self != nullptr) self->waits = 1;
  return true;
}

void LoopThreads::end_wait() noexcept {
  Member* const self = Member::of_this_thread;
  const std::lock_guard lock(mutex_);
  if (self != nullptr && --self->waits != 0) return;
  serving_count_.fetch_add(1);
}

LoopSample LoopThreads::look(Duration tick) noexcept {
  LoopSample sample;
  const bool all_awake = loop_.reactor().sleepers() == 0;
  const std::lock_guard lock(mutex_);
  sample.serving = serving_count_.load();
  sample.progressed = !std::exchange(all_awake_seen_, all_awake) && all_awake;
  Duration cpu_time{};
  for (Member* each = members_; each != nullptr; each = each->next()) {
    const std::uint64_t turns = each->turns.load(std::memory_order_relaxed);
    if (each->serves() && turns != each->turns_seen) sample.progressed = true;
    each->turns_seen = turns;
    if (all_awake && each->serves()) cpu_time += each->take_cpu_time();
  }
  if (!all_awake) return sample;
  sample.in_upcalls = sample.serving;
  sample.blocked = cpu_time < tick / 2;
  sample.has_work = loop_.reactor().has_work();
  return sample;
}

bool LoopThreads::add_spare() noexcept {
  const std::lock_guard lock(mutex_);
  if (!call_spare()) return false;
  for (Member* each = members_; each != nullptr; each = each->next()) {
    const bool stays = each->turns.load(std::memory_order_relaxed) == each->turns_seen;
    if (!each->serves() || !stays) continue;
    each->replaced.store(true);
    serving_count_.fetch_sub(1);
    break;
  }
  return true;
}

// Expects mutex_ to be held. The thread counts as serving from now on.
bool LoopThreads::call_spare() noexcept {
  if (stopping_) return false;
  if (wanted_count_ < standby_count_) {
    ++wanted_count_;
    wanted_.notify_one();
  } else {
    const bool is_spare = thread_count_ >= planned_;
    if (is_spare && !spares_.take()) return false;
    if (!start_thread()) {
      if (is_spare) spares_.give_back();
      return false;
    }
  }
  serving_count_.fetch_add(1);
  return true;
}

}  // namespace perigee::engine
