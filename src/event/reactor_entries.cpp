// The functions of a reactor that any thread may call: registering, marking, posting, arming,
// waking.
#include "base/undo.h"
#include "event/polling_reactor.h"

#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <limits>
#include <mutex>
#include <utility>

namespace perigee::event {
namespace {

std::unexpected<IoError> system_failure(IoOperation operation, int code) {
  return std::unexpected(IoError{IoErrorKind::system, operation, code, {}});
}

}  // namespace

PollingReactor::PollingReactor(const Clock& clock, std::unique_ptr<Poller> poller, Signal wake,
                               std::chrono::microseconds busy_poll, Threads threads) noexcept
    : clock_(clock),
      poller_(std::move(poller)),
      wake_(std::move(wake)),
      busy_poll_(busy_poll),
      threads_(threads) {}

// The ready list still holds references to objects that were marked after the last turn.
PollingReactor::~PollingReactor() {
  FunctionTask::drop(posted_);
  for (Event event = ready_.pop(); event.target != nullptr; event = ready_.pop())
    if (event.target->counted_ == Pollable::Counted::yes) event.target->drop_reference();
}

std::expected<void, IoError> PollingReactor::begin() {
  if (auto added = poller_->add(wake_.handle(), wake_key); !added) return added;
  timer_handle_follows_.store(shared());
  return make_timer_handle();
}

std::expected<void, IoError> PollingReactor::add(int fd, Pollable& pollable) {
  if (fd < 0) return system_failure(IoOperation::wait, EBADF);
  const std::lock_guard adding(add_mutex_);
  PollableSlots::Slots larger;  // after `grow` the old array, which is freed without the lock
  std::size_t size_needed = 0;
  {
    const std::lock_guard lock(lock_);
    if (slots_.full()) size_needed = std::max<std::size_t>(16, 2 * slots_.size());
  }
  if (size_needed != 0) larger.resize(size_needed);
  std::uint64_t key = 0;
  {
    const std::lock_guard lock(lock_);
    if (PollableSlots::has(pollable)) return system_failure(IoOperation::wait, EEXIST);
    if (!larger.empty()) slots_.grow(larger);
    key = slots_.add(fd, pollable);
  }
  Undo slot([&] {
    const std::lock_guard lock(lock_);
    slots_.remove(pollable);
  });
  auto added = poller_->add(fd, key);  // may throw
  if (added) slot.keep();
  return added;
}

void PollingReactor::want_writable(Pollable& pollable, WriteInterest interest) noexcept {
  const bool wants = interest == WriteInterest::on;
  if (pollable.wants_writable_ == wants) return;  // only this thread changes it
  std::uint64_t key = 0;
  {
    const std::lock_guard lock(lock_);
    if (!PollableSlots::has(pollable)) return;
    pollable.wants_writable_ = wants;
    key = slots_.key_of(pollable);
  }
  poller_->want_writable(pollable.fd_, key, interest);
}

void PollingReactor::remove(Pollable& pollable) noexcept {
  bool listed = false;
  bool registered = false;
  {
    const std::lock_guard lock(lock_);
    listed = ready_.erase(pollable);
    registered = PollableSlots::has(pollable);
    if (registered) slots_.remove(pollable);
  }
  if (registered) poller_->remove(pollable.fd_);
  if (listed) drop(pollable);
}

void PollingReactor::drop(Pollable& pollable) noexcept {
  if (pollable.counted_ == Pollable::Counted::yes) pollable.drop_reference();
}

void PollingReactor::mark_ready(Pollable& pollable, Next next) noexcept {
  bool wakes = false;
  {
    const std::lock_guard lock(lock_);
    ready_.mark(pollable);
    wakes = next == Next::call && must_wake();
  }
  wake_if(wakes);
}

void PollingReactor::unmark(Pollable& pollable) noexcept {
  bool listed = false;
  {
    const std::lock_guard lock(lock_);
    listed = ready_.unmark(pollable);
  }
  if (listed) drop(pollable);
}

bool PollingReactor::post(Task& task) noexcept {
  bool wakes = false;
  {
    const std::lock_guard lock(lock_);
    if (!posted_.push(task)) return false;
    ++posted_count_;
    has_tasks_.store(true, std::memory_order_release);
    wakes = must_wake();
  }
  wake_if(wakes);
  return true;
}

void PollingReactor::post(Function function) { post(*new FunctionTask(std::move(function))); }

// A thread that waits for a later timer has to begin its wait again.
bool PollingReactor::arm(Timer& timer, Deadline deadline) noexcept {
  bool was_idle = false;
  bool is_first = false;
  bool wakes = false;
  {
    const std::lock_guard lock(lock_);
    const Deadline first = timers_.next();
    was_idle = timers_.arm(timer, deadline);
    is_first = timers_.next() < first;
    has_timers_.store(true, std::memory_order_relaxed);
    wakes = is_first && !shared() && must_wake();
  }
  wake_if(wakes);
  if (is_first && timer_handle_follows_.load()) follow_timers();
  return was_idle;
}

bool PollingReactor::cancel(Timer& timer) noexcept {
  const std::lock_guard lock(lock_);
  return timers_.cancel(timer);
}

std::size_t PollingReactor::timers_armed() const noexcept {
  const std::lock_guard lock(lock_);
  return timers_.size();
}

TimerId PollingReactor::schedule(TimePoint time, Function function) {
  return functions_.schedule(time, std::move(function));
}

// Called under the lock by a thread that has added an entry. A foreign loop may wait for
// `handle()`: it must be told even if no thread sleeps here.
bool PollingReactor::must_wake() const noexcept {
  return sleepers_.load(std::memory_order_relaxed) != 0 ||
         has_foreign_loop_.load(std::memory_order_relaxed);
}

void PollingReactor::wake_if(bool needed) noexcept {
  if (needed && (shared() || !is_loop_thread())) wake();
}

void PollingReactor::wake() noexcept {
  if (!wake_pending_.exchange(true, std::memory_order_acq_rel)) wake_.raise();
}

void PollingReactor::stop() noexcept {
  {
    const std::lock_guard lock(lock_);  // each thread sees `stop_`, or sleeps already
    stop_.store(true, std::memory_order_release);
  }
  wake();
}

std::expected<void, IoError> PollingReactor::make_timer_handle() noexcept {
  ipc::Handle made(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!made) return system_failure(IoOperation::create, errno);
  if (auto added = poller_->add(made.get(), timer_key); !added) return added;
  timer_handle_ = std::move(made);
  return {};
}

int PollingReactor::handle() noexcept {
  timer_handle_follows_.store(true);
  if (!shared()) has_foreign_loop_.store(true);
  follow_timers();
  tell_foreign_loop();
  return poller_->handle();
}

// Entries do not make the handle of the poller readable; a wake does. An earlier wake that no turn
// has seen yet is enough.
void PollingReactor::tell_foreign_loop() noexcept {
  bool rest = false;
  {
    const std::lock_guard lock(lock_);
    rest = has_entries();
  }
  if (rest) wake();
}

bool PollingReactor::must_follow(TimePoint now) const noexcept {
  const Deadline present = timer_handle_due_.load(std::memory_order_relaxed);
  if (present.passed(now)) return true;
  const std::lock_guard lock(lock_);
  return timers_.next() < present;
}

// The handle may become readable too early, for a timer that was cancelled, but not too late.
void PollingReactor::follow_timers() noexcept {
  const std::lock_guard handle_lock(timer_handle_mutex_);
  Deadline due;
  {
    const std::lock_guard lock(lock_);
    due = timers_.next();
  }
  const TimePoint now = clock_.now();
  const Deadline present = timer_handle_due_.load();
  if (due >= present && !present.passed(now)) return;
  timer_handle_due_.store(due);
  itimerspec time{};
  if (!due.is_never()) {
    using std::chrono::seconds;
    const auto left = std::max<Duration>(due.left(now), std::chrono::nanoseconds(1));  // 0 disarms
    constexpr seconds longest(std::numeric_limits<time_t>::max());  // time_t may have 32 bits
    const auto whole = std::min(std::chrono::duration_cast<seconds>(left), longest);
    time.it_value.tv_sec = static_cast<time_t>(whole.count());
    time.it_value.tv_nsec = static_cast<long>((left % seconds(1)).count());
  }
  ::timerfd_settime(timer_handle_.get(), 0, &time, nullptr);
}

std::expected<std::unique_ptr<Reactor>, IoError> make_reactor(const Clock& clock,
                                                              std::chrono::microseconds busy_poll,
                                                              Threads threads, PollerKind kind) {
  auto poller = kind == PollerKind::uring ? make_uring_poller(threads) : make_epoll_poller();
  if (!poller) return std::unexpected(poller.error());
  Signal wake = Signal::make();
  if (wake.handle() < 0) return system_failure(IoOperation::create, errno);
  auto made = std::make_unique<PollingReactor>(clock, std::move(*poller), std::move(wake),
                                               busy_poll, threads);
  if (auto begun = made->begin(); !begun) return std::unexpected(begun.error());
  return made;
}

}  // namespace perigee::event
