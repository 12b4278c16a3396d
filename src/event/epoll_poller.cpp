// The poller over epoll.
#include "event/poller.h"
#include <perigee/ipc/handle.h>

#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

namespace perigee::event {
namespace {

constexpr Readiness readiness_of_events(std::uint32_t events) noexcept {
  if (events == EPOLLIN) [[likely]]
    return Readiness::readable;
  Readiness readiness = Readiness::none;
  if ((events & EPOLLIN) != 0) readiness = readiness | Readiness::readable;
  if ((events & EPOLLOUT) != 0) readiness = readiness | Readiness::writable;
  if ((events & (EPOLLRDHUP | EPOLLHUP)) != 0) readiness = readiness | Readiness::peer_closed;
  if ((events & EPOLLERR) != 0) readiness = readiness | Readiness::error;
  return readiness;
}

class EpollPoller final : public Poller {
 public:
  explicit EpollPoller(ipc::Handle epoll) noexcept : epoll_(std::move(epoll)) {}

  std::expected<void, IoError> add(int fd, std::uint64_t key) override {
    if (control(EPOLL_CTL_ADD, fd, key, WriteInterest::off)) return {};
    return std::unexpected(IoError{IoErrorKind::system, IoOperation::wait, errno, {}});
  }
  void want_writable(int fd, std::uint64_t key, WriteInterest interest) noexcept override {
    static_cast<void>(control(EPOLL_CTL_MOD, fd, key, interest));
  }
  void remove(int fd) noexcept override {
    static_cast<void>(::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr));
  }
  std::span<PolledEvent> wait(std::span<PolledEvent> events, Duration left) noexcept override {
    std::array<epoll_event, events_max> found;
    const std::size_t size = std::min(events.size(), found.size());
    const int count =
        ::epoll_wait(epoll_.get(), found.data(), static_cast<int>(size), milliseconds_of(left));
    const std::size_t taken = count > 0 ? static_cast<std::size_t>(count) : 0;
    for (std::size_t index = 0; index < taken; ++index)
      events[index] = {found[index].data.u64, readiness_of_events(found[index].events), {}};
    return events.first(taken);
  }
  [[nodiscard]] bool has_events() noexcept override {
    pollfd poll{epoll_.get(), POLLIN, 0};
    return ::poll(&poll, 1, 0) > 0;
  }
  [[nodiscard]] int handle() noexcept override { return epoll_.get(); }

 private:
  [[nodiscard]] static int milliseconds_of(Duration left) noexcept {
    if (left == Duration::max()) return -1;
    constexpr Duration longest = std::chrono::hours(1);  // fits the int of epoll_wait
    return static_cast<int>(
        std::chrono::ceil<std::chrono::milliseconds>(std::min(left, longest)).count());
  }
  [[nodiscard]] bool control(int operation, int fd, std::uint64_t key,
                             WriteInterest writing) noexcept {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLRDHUP | EPOLLET;
    if (writing == WriteInterest::on) event.events |= EPOLLOUT;
    event.data.u64 = key;
    return ::epoll_ctl(epoll_.get(), operation, fd, &event) == 0;
  }

  ipc::Handle epoll_;
};

}  // namespace

std::expected<std::unique_ptr<Poller>, IoError> make_epoll_poller() {
  ipc::Handle epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return std::unexpected(IoError{IoErrorKind::system, IoOperation::create, errno, {}});
  return std::make_unique<EpollPoller>(std::move(epoll));
}

}  // namespace perigee::event
