// Fetching events by many threads, and waking one that sleeps when there is something to do.
#include "event/shared_epoll.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <thread>
#include <utility>

namespace perigee::event {
namespace {

/// The wake-up's key among the events: the first slot's generation is never 0.
constexpr std::uint64_t wake_key = 0;
constexpr std::size_t batch_size = 16;

constexpr Readiness readiness_of(std::uint32_t events) noexcept {
  Readiness readiness = Readiness::none;
  if ((events & EPOLLIN) != 0) readiness = readiness | Readiness::readable;
  if ((events & EPOLLOUT) != 0) readiness = readiness | Readiness::writable;
  if ((events & (EPOLLRDHUP | EPOLLHUP)) != 0) readiness = readiness | Readiness::peer_closed;
  if ((events & EPOLLERR) != 0) readiness = readiness | Readiness::error;
  return readiness;
}

std::unexpected<IoError> failure(IoErrorKind kind, int code) {
  return std::unexpected(IoError{kind, IoOperation::wait, code, {}});
}

epoll_event make_event(std::uint64_t key, WriteInterest writing) noexcept {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP | EPOLLET;
  if (writing == WriteInterest::on) event.events |= EPOLLOUT;
  event.data.u64 = key;
  return event;
}

}  // namespace

std::expected<void, IoError> SharedEpoll::add(int fd, SharedHandler& handler) {
  if (!slots_.add(fd, handler)) return failure(IoErrorKind::limit, 0);
  if (fd < 0) return {};
  epoll_event event = make_event(SharedPollSlots::key_of(handler), WriteInterest::off);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0) return {};
  const int code = errno;
  slots_.remove(handler);
  return failure(IoErrorKind::system, code);
}

void SharedEpoll::want_writable(SharedHandler& handler, WriteInterest interest) {
  if (!slots_.set_writing(handler, interest)) return;
  epoll_event event = make_event(SharedPollSlots::key_of(handler), interest);
  static_cast<void>(::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, slots_.fd_of(handler), &event));
}

void SharedEpoll::remove(SharedHandler& handler) noexcept {
  const int fd = slots_.fd_of(handler);
  if (fd >= 0) static_cast<void>(::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr));
  slots_.remove(handler);
}

SharedPoll::Ready SharedEpoll::wait(Waiter& waiter) {
  const Ready ready = wait_for_ready(all_are_quick(waiter));
  waiter.turn_begin = steady_clock().now();
  return ready;
}

SharedPoll::Ready SharedEpoll::wait_for_ready(bool naps) noexcept {
  while (!stopped()) {
    const SharedPollSlots::Popped next = slots_.pop();
    if (next.found) {
      if (slots_.has_ready()) wake_a_sleeper();
      return slots_.take(next.key);
    }
    if (!next.look_first && std::exchange(naps, false)) nap();
    const Ready ready = fetch(next.look_first ? Sleep::no : Sleep::yes);
    if (ready.handler != nullptr) return ready;
  }
  wake();  // the next one
  return {};
}

// Whether this thread's last turn was short, and others had turns meanwhile.
bool SharedEpoll::all_are_quick(Waiter& waiter) noexcept {
  const std::uint64_t before = waiter.turn;
  waiter.turn = turns_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (before == 0 || waiter.turn - before == 1 || busy_poll_.count() != 0) return false;
  return steady_clock().now() - waiter.turn_begin < nap_time;
}

// One thread at a time: another one must be there for what comes.
void SharedEpoll::nap() noexcept {
  if (napping_.exchange(true)) return;
  std::this_thread::sleep_for(nap_time);
  napping_.store(false);
}

// One event of those fetched; the others go to the ready list.
SharedPoll::Ready SharedEpoll::fetch(Sleep sleep) noexcept {
  std::array<epoll_event, batch_size> events;
  const int count = wait_events(events.data(), sleep);
  std::array<std::uint64_t, batch_size> owned;
  std::size_t owned_count = 0;
  for (int index = 0; index < count; ++index) {
    const epoll_event& event = events[static_cast<std::size_t>(index)];
    // Cleared before the ready list is looked at: whoever pushes later wakes anew.
    if (event.data.u64 == wake_key)
      wake_pending_.exchange(false);
    else if (slots_.own(event.data.u64, readiness_of(event.events)))
      owned[owned_count++] = event.data.u64;
  }
  if (owned_count == 0) return {};
  // All that are in the list were there before: the first one found waits behind them.
  const std::size_t kept = sleep == Sleep::yes ? 1 : 0;
  if (owned_count > kept) slots_.push_found(std::span(owned).subspan(kept, owned_count - kept));
  if (kept == 0) return {};
  // A wake-up that came with the events was for one who looks at the list, which this thread does
  // not do now: it passes it on.
  if (slots_.has_ready()) wake_a_sleeper();
  return slots_.take(owned[0]);
}

int SharedEpoll::wait_events(epoll_event* events, Sleep sleep) noexcept {
  const auto look = [&] {
    return ::epoll_wait(epoll_.get(), events, static_cast<int>(batch_size), 0);
  };
  if (sleep == Sleep::no) return look();
  if (busy_poll_.count() != 0) [[unlikely]] {
    const TimePoint end = steady_clock().now() + busy_poll_;
    do {
      if (const int count = look(); count != 0) return count;
      if (slots_.has_ready() || stopped()) return 0;
    } while (steady_clock().now() < end);
  }
  return sleep_for_events(events);
}

int SharedEpoll::sleep_for_events(epoll_event* events) noexcept {
  sleepers_.fetch_add(1);
  int count = 0;
  if (!slots_.has_ready() && !stopped())
    count = ::epoll_wait(epoll_.get(), events, static_cast<int>(batch_size), -1);
  sleepers_.fetch_sub(1);
  return count;
}

void SharedEpoll::leave() noexcept {
  if (slots_.has_ready()) wake_a_sleeper();
}

void SharedEpoll::stop() noexcept {
  stopped_.store(true);
  wake();
}

void SharedEpoll::wake_a_sleeper() noexcept {
  if (sleepers_.load() != 0 && !wake_pending_.exchange(true)) wake();
}

void SharedEpoll::wake() noexcept {
  const std::uint64_t one = 1;
  // Fails only if the counter is full, and then a wake-up is under way.
  static_cast<void>(!::write(wake_.get(), &one, sizeof(one)));
}

void SharedEpoll::release(SharedHandler& handler, Next next) noexcept {
  if (!slots_.disown(SharedPollSlots::key_of(handler))) requeue(handler, next);
}

void SharedEpoll::requeue(SharedHandler& handler, Next next) noexcept {
  slots_.push(SharedPollSlots::key_of(handler));
  if (next == Next::upcall) wake_a_sleeper();
}

void SharedEpoll::notify(SharedHandler& handler, Readiness readiness) noexcept {
  const std::uint64_t key = SharedPollSlots::key_of(handler);
  if (!slots_.own(key, readiness)) return;
  slots_.push(key);
  wake_a_sleeper();
}

std::expected<std::unique_ptr<SharedPoll>, IoError> make_shared_poll(
    std::chrono::microseconds busy_poll) {
  ipc::Handle epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return failure(IoErrorKind::system, errno);
  ipc::Handle wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return failure(IoErrorKind::system, errno);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.u64 = wake_key;
  if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, wake.get(), &event) != 0)
    return failure(IoErrorKind::system, errno);
  return std::make_unique<SharedEpoll>(std::move(epoll), std::move(wake), busy_poll);
}

}  // namespace perigee::event
