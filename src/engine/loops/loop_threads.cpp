// The threads of a loop: they serve it, step back, and are called again.
#include "engine/loops/loop_threads.h"

#include "event/cpu_time.h"
#include "event/runnable.h"
#include <perigee/base/log.h>

#include <exception>
#include <utility>

namespace perigee::engine {
/// The entry of one thread of a loop, on the stack of that thread. Guarded by the mutex of the
/// loop's threads, except for the atomic fields.
class LoopThreads::Member {
 public:
  explicit Member(LoopThreads& threads) noexcept : threads_(threads) {
    const std::lock_guard lock(threads.mutex_);
    number = threads.started_count_++;
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
  [[nodiscard]] bool serves() const noexcept { return !on_standby && waits == 0; }
  /// The CPU time since the last call.
  [[nodiscard]] Duration take_cpu_time() noexcept {
    const Duration used = cpu_time_.used();
    return used - std::exchange(cpu_time_seen_, used);
  }

  [[nodiscard]] bool is_runnable() const noexcept { return event::is_runnable(id_); }

  static thread_local Member* of_this_thread;

  std::atomic<std::uint64_t> turns{0};  // written by its thread
  std::uint64_t turns_seen = 0;
  std::uint32_t number = 0;
  std::uint32_t waits = 0;  // in progress, with nested ones
  bool on_standby = false;

 private:
  LoopThreads& threads_;
  const pid_t id_ = event::thread_id();
  const event::ThreadCpuTime cpu_time_;
  Duration cpu_time_seen_{};
  Member* next_ = nullptr;
  Member* previous_ = nullptr;
};

thread_local LoopThreads::Member* LoopThreads::Member::of_this_thread = nullptr;

std::uint32_t LoopThreads::number_of_this_thread() noexcept {
  return Member::of_this_thread != nullptr ? Member::of_this_thread->number : 0;
}

bool LoopThreads::this_thread_waits() noexcept {
  return Member::of_this_thread != nullptr && Member::of_this_thread->waits != 0;
}

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

// The last thread runs the tasks that the last turn has posted: no other thread is left for them.
void LoopThreads::run_thread() noexcept {
  const Loop::Scope serves(loop_);
  {
    Member self(*this);
    serve(self);
  }
  if (leave_as_last()) loop_.reactor().close();
}

// Each thread beyond the planned number has taken one of the spares. It does not matter which of
// the threads gives the spare back. Threads on stand-by take no turn after the reactor was stopped.
bool LoopThreads::leave_as_last() noexcept {
  const std::lock_guard lock(mutex_);
  if (thread_count_-- > planned_) spares_.give_back();
  return loop_.reactor().stopped() && thread_count_ == standby_count_;
}

bool LoopThreads::one_too_many() const noexcept {
  return serving_count_.load(std::memory_order_relaxed) >
         planned_ + extra_.load(std::memory_order_relaxed);
}

// False: the reactor was stopped. An exception of one task does not concern the other tasks.
// Threads beyond the planned ones wake up to look whether they have become too many.
bool LoopThreads::run_turn() noexcept {
  Reactor& reactor = loop_.reactor();
  try {
    if (loop_.single_threaded()) {
      reactor.run();
      return false;
    }
    const bool may_be_extra = serving_count_.load(std::memory_order_relaxed) > planned_;
    reactor.run_once(may_be_extra ? Deadline::after(extra_time, loop_.clock().now())
                                  : Deadline::never());
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "engine", exception.what());
  }
  return !reactor.stopped();
}

void LoopThreads::serve(Member& self) noexcept {
  while (run_turn()) {
    self.turns.store(self.turns.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (one_too_many() && !step_back(self)) return;
  }
}

// True if this thread is to serve: there are not too many threads after all, or it was called
// again.
bool LoopThreads::step_back(Member& self) {
  std::unique_lock lock(mutex_);
  if (!one_too_many()) return true;
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

bool LoopThreads::begin_wait() noexcept {
  Member* const self = Member::of_this_thread;
  const std::lock_guard lock(mutex_);
  if (self != nullptr && self->waits != 0) {
    ++self->waits;
    return true;
  }
  if (serving_count_.load() == 1 && !call_spare()) return false;
  serving_count_.fetch_sub(1);
  if (self != nullptr) self->waits = 1;
  return true;
}

void LoopThreads::end_wait() noexcept {
  Member* const self = Member::of_this_thread;
  const std::lock_guard lock(mutex_);
  if (self != nullptr && --self->waits != 0) return;
  serving_count_.fetch_add(1);
}

// Wakes a thread if there is work, since a thread that stays long in an upcall may have marked
// objects for its own next turn.
LoopSample LoopThreads::look(Duration tick) noexcept {
  loop_.reactor().leave();
  const bool all_awake = loop_.reactor().sleepers() == 0;
  const std::lock_guard lock(mutex_);
  const bool stays_awake = std::exchange(all_awake_seen_, all_awake) && all_awake;
  std::uint64_t turns = 0;
  Duration cpu_time{};
  for (Member* each = members_; each != nullptr; each = each->next()) {
    const std::uint64_t all_turns = each->turns.load(std::memory_order_relaxed);
    turns += all_turns - std::exchange(each->turns_seen, all_turns);
    if (all_awake && each->serves()) cpu_time += each->take_cpu_time();
  }
  lower_extra(tick);
  const bool is_slow = serving_count_.load() * tick >= turns * slow_turn;
  LoopSample sample;
  if (all_awake || turns != 0) sample.upcalls = Upcalls::some;
  if (stays_awake) sample.upcalls = is_slow ? Upcalls::long_turns : Upcalls::short_turns;
  sample.has_work = all_awake && loop_.reactor().has_work();
  if (is_stuck(sample) && cpu_time < tick / 2 && !enough_runnable())
    sample.upcalls = Upcalls::block;
  sample.has_extra = extra_.load() != 0;
  return sample;
}

// Whether more than a quarter of the serving threads run or wait for a CPU. Such threads will serve
// soon, so more threads would not help. Fewer of them do not count: some blocked threads may just
// have been woken. Expects mutex_ to be held.
bool LoopThreads::enough_runnable() const noexcept {
  std::uint32_t runnable = 0;
  for (const Member* each = members_; each != nullptr; each = each->next())
    if (each->serves() && each->is_runnable() && ++runnable * 4 > serving_count_.load())
      return true;
  return false;
}

// Expects mutex_ to be held.
void LoopThreads::lower_extra(Duration tick) noexcept {
  if (extra_.load() == 0) return;
  since_remedy_ += tick;
  if (since_remedy_ >= extra_time) extra_.fetch_sub(1);
}

bool LoopThreads::add_spares() noexcept {
  const std::lock_guard lock(mutex_);
  const std::uint32_t most = 1 + serving_count_.load() / 4;
  std::uint32_t added = 0;
  while (added < most && call_spare()) ++added;
  extra_.fetch_add(added);
  if (added != 0) since_remedy_ = {};
  return added != 0;
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
