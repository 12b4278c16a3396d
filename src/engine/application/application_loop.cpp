// Entering and leaving the loop of the application.
#include "engine/application/application_loop.h"

#include "engine/connection/wait.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <chrono>
#include <exception>

namespace perigee::engine {

// Waits while another thread is in the loop. A thread in `perform_work` leaves soon, and a thread
// in `run` when the loop ends.
void ApplicationLoop::run() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return finished_ || !looping_; });
  if (finished_) return;
  looping_ = running_ = true;
  changed_.notify_all();  // threads in `run_until_run` leave
  lock.unlock();
  run_to_end();
}

// If one event throws an exception, the other events are still handled.
void ApplicationLoop::turn(Deadline deadline) noexcept try {
  loop_.reactor().run_once(deadline);
} catch (const std::exception& exception) {
  log::write(log::Level::error, "server", exception.what());
}

void ApplicationLoop::run_to_end() noexcept {
  const Loop::Scope serves(loop_);
  while (!ended_.load()) {
    try {
      loop_.reactor().run();
    } catch (const std::exception& exception) {
      log::write(log::Level::error, "server", exception.what());
    }
  }
  const std::lock_guard lock(mutex_);
  finished_ = true;
  looping_ = running_ = false;
  changed_.notify_all();
}

void ApplicationLoop::end_unstarted() noexcept {
  const std::lock_guard lock(mutex_);
  finished_ = true;
  changed_.notify_all();
}

void ApplicationLoop::await_end() noexcept {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return finished_ || !looping_ || running_; });
  if (!looping_ && !finished_) {
    looping_ = running_ = true;
    lock.unlock();
    return run_to_end();
  }
  changed_.wait(lock, [this] { return finished_; });
}

ApplicationLoop::Entry ApplicationLoop::enter(Deadline deadline) noexcept {
  std::unique_lock lock(mutex_);
  Entry entry = Entry::at_once;
  while (looping_ && !finished_ && !deadline.passed(clock_.now())) {
    entry = Entry::after_wait;
    await_change(lock, deadline);
  }
  if (!is_free()) return Entry::refused;
  looping_ = true;
  return entry;
}

void ApplicationLoop::await_change(std::unique_lock<std::mutex>& lock, Deadline deadline) noexcept {
  const Duration left = deadline.left(clock_.now());
  (void)changed_.wait_for(lock, std::min<Duration>(left, std::chrono::hours(1)));
}

void ApplicationLoop::leave() noexcept {
  const std::lock_guard lock(mutex_);
  looping_ = false;
  finished_ = ended_.load();
  changed_.notify_all();
}

bool ApplicationLoop::perform_work(Deadline deadline) {
  if (loop_.on_thread()) {
    begin_nested_turns();
    turn(deadline);
    return true;
  }
  const Entry entry = enter(deadline);
  if (entry == Entry::refused) return false;
  // While this thread waited to enter the loop, the other thread may have handled the event for
  // which this thread runs the turn. So the turn does not wait after such a wait.
  serve([this, deadline, entry] {
    const bool waits = entry == Entry::at_once && !waits_ended_.load();
    turn(waits ? deadline : Deadline::immediately());
  });
  leave();
  return true;
}

bool ApplicationLoop::visit(function_ref<void()> action) noexcept {
  if (enter() == Entry::refused) return false;
  serve(action);
  leave();
  return true;
}

// Called by the thread that has entered the loop.
void ApplicationLoop::serve(function_ref<void()> action) {
  const Loop::Scope serves(loop_);
  action();
  loop_.end_turn();
}

// A thread that waits for the thread in the loop takes its place when that thread leaves. A turn
// that ends after `waiting_` was raised wakes the thread that waits.
void ApplicationLoop::run_until(function_ref<bool()> done, Deadline deadline,
                                Beside beside) noexcept {
  const auto over = [&] { return done() || deadline.passed(clock_.now()); };
  std::unique_lock lock(mutex_);
  while (!over()) {
    if (beside == Beside::no_run && (running_ || finished_)) return;
    if (is_free()) {
      looping_ = true;
      lock.unlock();
      run_turns_until(over, deadline);
      leave();
      lock.lock();
      continue;
    }
    waiting_.fetch_add(1);
    if (!over()) await_change(lock, deadline);
    waiting_.fetch_sub(1);
  }
}

void ApplicationLoop::run_until(function_ref<bool()> done, Deadline deadline) noexcept {
  run_until(done, deadline, Beside::run);
}

void ApplicationLoop::run_until_run(function_ref<bool()> done, Deadline deadline) noexcept {
  run_until(done, deadline, Beside::no_run);
}

void ApplicationLoop::run_turns_until(function_ref<bool()> over, Deadline deadline) noexcept {
  serve([&] {
    while (!over() && !ended_.load()) {
      turn(deadline);
      wake();
    }
  });
}

void ApplicationLoop::wake() noexcept {
  if (waiting_.load() == 0) return;
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

bool ApplicationLoop::work_pending() {
  const std::lock_guard lock(mutex_);
  return is_free() && loop_.reactor().has_work();
}

}  // namespace perigee::engine
