// The list of work, and the wait for its end.
#include "orb/core/main_thread.h"

namespace perigee::orb {
namespace {

// Identifies the calling thread while it lives.
const void* this_thread() noexcept {
  thread_local const char mark = 0;
  return &mark;
}

}  // namespace

void MainThread::begin() noexcept { thread_.store(this_thread(), std::memory_order_relaxed); }

bool MainThread::is_this() const noexcept {
  return thread_.load(std::memory_order_relaxed) == this_thread();
}

void MainThread::run_work() noexcept {
  while (Work* const work = take_first()) {
    work->run();
    // The thread that waits may return, and destroy the work, as soon as it sees the new state.
    const std::lock_guard lock(mutex_);
    work->state = State::done;
    changed_.notify_all();
  }
}

MainThread::Work* MainThread::take_first() noexcept {
  if (!has_work()) return nullptr;
  const std::lock_guard lock(mutex_);
  Work* const first = first_waiting_.load();
  if (first == nullptr) return nullptr;
  first_waiting_.store(first->next);
  first->state = State::begun;
  return first;
}

// Does nothing if the work is not in the list.
void MainThread::remove(const Work& work) noexcept {
  if (first_waiting_.load() == &work) return first_waiting_.store(work.next);
  for (Work* each = first_waiting_.load(); each != nullptr; each = each->next)
    if (each->next == &work) {
      each->next = work.next;
      return;
    }
}

MainThread::End MainThread::run(function_ref<void()> work, function_ref<void()> wake,
                                std::optional<std::chrono::milliseconds> limit) {
  Work item{work};
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return End::shut_down;
    Work* last = first_waiting_.load();
    while (last != nullptr && last->next != nullptr) last = last->next;
    if (last == nullptr)
      first_waiting_.store(&item);
    else
      last->next = &item;
  }
  wake();
  std::unique_lock lock(mutex_);
  const auto has_begun = [&item] { return item.state != State::waiting; };
  if (limit && !changed_.wait_for(lock, *limit, has_begun)) {
    remove(item);
    return End::too_late;
  }
  changed_.wait(lock,
                [&item] { return item.state == State::done || item.state == State::refused; });
  return item.state == State::done ? End::done : End::shut_down;
}

void MainThread::end() noexcept {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  for (Work* each = first_waiting_.load(); each != nullptr; each = each->next)
    each->state = State::refused;
  first_waiting_.store(nullptr);
  changed_.notify_all();
}

}  // namespace perigee::orb
