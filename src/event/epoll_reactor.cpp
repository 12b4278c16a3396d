// The reactor over epoll: registration, waiting, and the four queues of a turn.
#include "event/epoll_reactor.h"

#include <perigee/base/log.h>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <mutex>
#include <utility>

namespace perigee::event {
namespace {

/// The wake-up's number, and the timer handle's, among the events: no handle has them.
constexpr std::uint64_t wake_key = ~std::uint64_t{0};
constexpr std::uint64_t timer_key = wake_key - 1;

constexpr std::uint64_t key_of(int fd, std::uint32_t generation) noexcept {
  return (std::uint64_t{generation} << 32) | static_cast<std::uint32_t>(fd);
}

constexpr Readiness readiness_of(std::uint32_t events) noexcept {
  Readiness readiness = Readiness::none;
  if ((events & EPOLLIN) != 0) readiness = readiness | Readiness::readable;
  if ((events & EPOLLOUT) != 0) readiness = readiness | Readiness::writable;
  if ((events & (EPOLLRDHUP | EPOLLHUP)) != 0) readiness = readiness | Readiness::peer_closed;
  if ((events & EPOLLERR) != 0) readiness = readiness | Readiness::error;
  return readiness;
}

std::unexpected<IoError> failure(IoOperation operation, int code) {
  return std::unexpected(IoError{IoErrorKind::system, operation, code, {}});
}

}  // namespace

class EpollReactor::OnThread {
 public:
  explicit OnThread(EpollReactor& reactor) noexcept
      : reactor_(reactor), outer_(reactor.loop_thread_.load(std::memory_order_relaxed)) {
    reactor_.loop_thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  }
  ~OnThread() { reactor_.loop_thread_.store(outer_, std::memory_order_relaxed); }
  OnThread(const OnThread&) = delete;
  OnThread& operator=(const OnThread&) = delete;

 private:
  EpollReactor& reactor_;
  std::thread::id outer_;
};

EpollReactor::~EpollReactor() {
  FunctionTask::drop(running_);
  FunctionTask::drop(posted_);
}

bool EpollReactor::control(int operation, int fd, WriteInterest writing) noexcept {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP | EPOLLET;
  if (writing == WriteInterest::on) event.events |= EPOLLOUT;
  event.data.u64 = key_of(fd, handles_[static_cast<std::size_t>(fd)].generation);
  return ::epoll_ctl(epoll_.get(), operation, fd, &event) == 0;
}

std::expected<void, IoError> EpollReactor::add(int fd, EventHandler& handler) {
  if (fd < 0) return failure(IoOperation::wait, EBADF);
  const auto index = static_cast<std::size_t>(fd);
  if (index >= handles_.size()) handles_.resize(std::max(index + 1, handles_.size() * 2));
  Registration& registration = handles_[index];
  if (registration.handler != nullptr) return failure(IoOperation::wait, EEXIST);
  ++registration.generation;
  if (!control(EPOLL_CTL_ADD, fd, WriteInterest::off)) return failure(IoOperation::wait, errno);
  registration.handler = &handler;
  registration.writing = WriteInterest::off;
  return {};
}

void EpollReactor::want_writable(int fd, EventHandler& handler, WriteInterest interest) {
  const auto index = static_cast<std::size_t>(fd);
  if (fd < 0 || index >= handles_.size()) return;
  Registration& registration = handles_[index];
  if (registration.handler != &handler || registration.writing == interest) return;
  if (control(EPOLL_CTL_MOD, fd, interest)) registration.writing = interest;
}

void EpollReactor::remove(int fd, EventHandler& handler) noexcept {
  ready_.erase(handler);
  const auto index = static_cast<std::size_t>(fd);
  if (fd < 0 || index >= handles_.size() || handles_[index].handler != &handler) return;
  handles_[index].handler = nullptr;
  static_cast<void>(::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr));
}

bool EpollReactor::post(Task& task) noexcept {
  {
    const std::lock_guard lock(lock_);
    if (!posted_.push(task)) return false;
    has_posted_.store(true, std::memory_order_release);
  }
  if (!is_loop_thread()) wake();
  return true;
}

void EpollReactor::post(Function function) { post(*new FunctionTask(std::move(function))); }

// A loop that waits for a later timer has to wait anew.
bool EpollReactor::arm(Timer& timer, Deadline deadline) noexcept {
  bool was_idle = false;
  bool is_first = false;
  {
    const std::lock_guard lock(lock_);
    const Deadline first = timers_.next();
    was_idle = timers_.arm(timer, deadline);
    is_first = timers_.next() < first;
  }
  if (is_first && !is_loop_thread()) {
    wake();
    if (has_timer_handle_.load()) follow_timers();
  }
  return was_idle;
}

bool EpollReactor::cancel(Timer& timer) noexcept {
  const std::lock_guard lock(lock_);
  return timers_.cancel(timer);
}

std::size_t EpollReactor::timers_armed() const noexcept {
  const std::lock_guard lock(lock_);
  return timers_.size();
}

void EpollReactor::stop() noexcept {
  stop_.store(true, std::memory_order_release);
  wake();
}

void EpollReactor::wake() noexcept {
  if (wake_pending_.exchange(true, std::memory_order_acq_rel)) return;
  const std::uint64_t one = 1;
  // Fails only if the counter is full, and then a wake-up is under way.
  static_cast<void>(!::write(wake_.get(), &one, sizeof(one)));
}

bool EpollReactor::is_loop_thread() const noexcept {
  return loop_thread_.load(std::memory_order_relaxed) == std::this_thread::get_id();
}

void EpollReactor::run() {
  const OnThread on_thread(*this);
  while (!stop_.load(std::memory_order_acquire)) turn(Deadline::never());
  stop_.store(false, std::memory_order_release);
}

void EpollReactor::run_once(Deadline deadline) {
  const OnThread on_thread(*this);
  turn(deadline);
}

void EpollReactor::turn(Deadline deadline) {
  if (event_index_ == event_count_) fetch_events(deadline);
  call_handlers();
  call_ready();
  run_timers();
  run_tasks();
  if (has_timer_handle_.load(std::memory_order_relaxed)) follow_timers();
}

bool EpollReactor::has_work() const noexcept {
  if (!ready_.empty() || !running_.empty() || event_index_ != event_count_) return true;
  {
    const std::lock_guard lock(lock_);
    timers_.collect(clock_.now());
    if (timers_.has_due() || !posted_.empty()) return true;
  }
  pollfd poll{epoll_.get(), POLLIN, 0};
  return ::poll(&poll, 1, 0) > 0;
}

/// As epoll_wait takes it: less than zero is for ever.
int EpollReactor::wait_ms(Deadline deadline) const noexcept {
  if (!ready_.empty() || !running_.empty() || has_posted_.load(std::memory_order_acquire)) return 0;
  {
    const std::lock_guard lock(lock_);
    deadline = std::min(deadline, timers_.next());
  }
  if (deadline.is_never()) return -1;
  if (deadline == Deadline::immediately()) return 0;
  constexpr std::chrono::milliseconds longest = std::chrono::hours(1);
  const auto left = std::min<Duration>(deadline.left(clock_.now()), longest);
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
}

void EpollReactor::fetch_events(Deadline deadline) noexcept {
  event_index_ = event_count_ = 0;
  const int count = wait_events(wait_ms(deadline));
  // Cleared before the tasks are looked at: a thread that posts later wakes the loop anew. An
  // exchange: tasks whose thread saw it still set are seen here.
  wake_pending_.exchange(false, std::memory_order_acq_rel);
  if (count > 0) event_count_ = static_cast<std::size_t>(count);
}

int EpollReactor::wait_events(int wait_ms) noexcept {
  const auto wait = [this](int milliseconds) {
    return ::epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()),
                        milliseconds);
  };
  if (wait_ms != 0 && busy_poll_.count() != 0) [[unlikely]] {
    const TimePoint end = steady_clock().now() + busy_poll_;
    do {
      if (const int count = wait(0); count != 0) return count;
    } while (steady_clock().now() < end);
  }
  return wait(wait_ms);
}

void EpollReactor::call_handlers() noexcept {
  while (event_index_ != event_count_) {
    const epoll_event event = events_[event_index_++];
    if (event.data.u64 >= timer_key) continue;
    const auto index = static_cast<std::uint32_t>(event.data.u64);
    const Registration& registration = handles_[index];
    if (registration.handler == nullptr ||
        registration.generation != static_cast<std::uint32_t>(event.data.u64 >> 32)) {
      continue;  // removed since it was fetched
    }
    registration.handler->handle_ready(readiness_of(event.events));
  }
}

void EpollReactor::call_ready() noexcept {
  // Those that mark themselves again wait for the next turn, so that the others get theirs.
  for (std::size_t left = ready_.size(); left != 0 && !ready_.empty(); --left) {
    ready_.pop().handle_ready(Readiness::readable);
  }
}

void EpollReactor::run_timers() {
  Timer* timer = nullptr;
  {
    const std::lock_guard lock(lock_);
    if (timers_.size() == 0) return;
    timers_.collect(clock_.now());
    timer = timers_.take_due();
  }
  while (timer != nullptr) {
    TimerBuckets::fire(*timer);
    const std::lock_guard lock(lock_);
    timer = timers_.take_due();
  }
}

void EpollReactor::run_tasks() {
  if (running_.empty()) {
    if (!has_posted_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(lock_);
    running_.take(posted_);
    has_posted_.store(false, std::memory_order_relaxed);
  }
  while (Task* const task = running_.pop()) TaskList::run(*task);
}

// Tasks that sleep again and again end: a closed reactor lets nothing sleep.
void EpollReactor::close() noexcept {
  closed_.store(true);
  const OnThread on_thread(*this);
  for (;;) {
    {
      const std::lock_guard lock(lock_);
      timers_.collect_all();
      if (!timers_.has_due() && running_.empty() && posted_.empty()) return;
    }
    try {
      run_timers();
      run_tasks();
    } catch (const std::exception& exception) {
      log::write(log::Level::error, "event", exception.what());
    }
  }
}

int EpollReactor::handle() noexcept {
  {
    const std::lock_guard lock(timer_handle_mutex_);
    if (!timer_handle_) {
      ipc::Handle made(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
      epoll_event event{};
      event.events = EPOLLIN | EPOLLET;
      event.data.u64 = timer_key;
      if (!made || ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, made.get(), &event) != 0) return -1;
      timer_handle_ = std::move(made);
      has_timer_handle_.store(true);
    }
  }
  follow_timers();
  return epoll_.get();
}

// The handle may become readable too early, for a timer that was cancelled, but not too late.
void EpollReactor::follow_timers() noexcept {
  const std::lock_guard handle_lock(timer_handle_mutex_);
  Deadline due;
  {
    const std::lock_guard lock(lock_);
    due = timers_.next();
  }
  const TimePoint now = clock_.now();
  if (due == timer_handle_due_ || (due > timer_handle_due_ && !timer_handle_due_.passed(now)))
    return;
  timer_handle_due_ = due;
  itimerspec time{};
  if (!due.is_never()) {
    using std::chrono::seconds;
    const auto left = std::max<Duration>(due.left(now), std::chrono::nanoseconds(1));  // 0: never
    const auto whole = std::chrono::duration_cast<seconds>(left);
    time.it_value.tv_sec = static_cast<time_t>(whole.count());
    time.it_value.tv_nsec = static_cast<long>((left - whole).count());
  }
  ::timerfd_settime(timer_handle_.get(), 0, &time, nullptr);
}

std::expected<std::unique_ptr<Reactor>, IoError> make_reactor(const Clock& clock,
                                                              std::chrono::microseconds busy_poll) {
  ipc::Handle epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return failure(IoOperation::create, errno);
  ipc::Handle wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return failure(IoOperation::create, errno);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.u64 = wake_key;
  if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, wake.get(), &event) != 0) {
    return failure(IoOperation::create, errno);
  }
  return std::make_unique<EpollReactor>(clock, std::move(epoll), std::move(wake), busy_poll);
}

}  // namespace perigee::event
