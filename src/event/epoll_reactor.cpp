// The reactor over epoll: registration, waiting, and the four queues of a turn.
#include "event/epoll_reactor.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace perigee::event {
namespace {

/// The wake-up's number among the events: no handle has it.
constexpr std::uint64_t wake_key = ~std::uint64_t{0};

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

TimerId EpollReactor::schedule(TimePoint time, Task task) {
  return timers_.schedule(time, std::move(task));
}

void EpollReactor::post(Task task) {
  {
    const std::scoped_lock lock(mutex_);
    posted_.push_back(std::move(task));
    has_posted_.store(true, std::memory_order_release);
  }
  if (!is_loop_thread()) wake();
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
  while (!stop_.load(std::memory_order_acquire)) turn(std::chrono::milliseconds(-1));
  stop_.store(false, std::memory_order_release);
}

void EpollReactor::run_once(std::chrono::milliseconds timeout) {
  const OnThread on_thread(*this);
  turn(timeout);
}

void EpollReactor::turn(std::chrono::milliseconds timeout) {
  if (event_index_ == event_count_) fetch_events(timeout);
  call_handlers();
  call_ready();
  run_timers();
  run_tasks();
}

bool EpollReactor::has_work() const noexcept {
  if (has_left_over() || event_index_ != event_count_) return true;
  if (const auto next = timers_.next(); next && *next <= clock_.now()) return true;
  pollfd poll{epoll_.get(), POLLIN, 0};
  return ::poll(&poll, 1, 0) > 0;
}

/// Whether something is to be called without looking at handles.
bool EpollReactor::has_left_over() const noexcept {
  return !ready_.empty() || running_index_ != running_.size() ||
         has_posted_.load(std::memory_order_acquire);
}

int EpollReactor::wait_ms(std::chrono::milliseconds timeout) const noexcept {
  if (has_left_over() || timeout.count() == 0) return 0;
  constexpr std::chrono::milliseconds longest = std::chrono::hours(1);
  auto wait = timeout.count() < 0 ? longest : std::min(timeout, longest);
  if (const auto next = timers_.next()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - clock_.now());
    wait = std::clamp(left, std::chrono::milliseconds::zero(), wait);
  } else if (timeout.count() < 0) {
    return -1;
  }
  return static_cast<int>(wait.count());
}

void EpollReactor::fetch_events(std::chrono::milliseconds timeout) noexcept {
  event_index_ = event_count_ = 0;
  const int count = wait_events(wait_ms(timeout));
  // Cleared before the tasks are looked at: whoever posts later wakes anew. An exchange, so that
  // what was posted by one who saw it still set is seen here.
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
    if (event.data.u64 == wake_key) continue;
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
  if (timers_.size() == 0) return;
  const TimePoint now = clock_.now();
  const std::uint64_t mark = timers_.mark();
  while (auto task = timers_.take_due(now, mark)) (*task)();
}

void EpollReactor::run_tasks() {
  if (running_index_ == running_.size()) {
    if (!has_posted_.load(std::memory_order_acquire)) return;
    running_.clear();
    running_index_ = 0;
    const std::scoped_lock lock(mutex_);
    running_.swap(posted_);
    has_posted_.store(false, std::memory_order_relaxed);
  }
  while (running_index_ != running_.size()) {
    Task task = std::move(running_[running_index_++]);
    task();
  }
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
