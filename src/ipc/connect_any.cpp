// The race of RFC 8305: one attempt after the other, each with a head start before the next.
#include "ipc/deadline.h"
#include "ipc/native_time.h"
#include <perigee/ipc/connect_any.h>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <optional>
#include <utility>

namespace perigee::ipc {
namespace {

using Clock = std::chrono::steady_clock;

std::error_code system_error(int code) noexcept { return {code, std::system_category()}; }

/// A TCP socket that connects to a free port of this host may get this port as its local port, and
/// is then connected to itself. No server listens on such a port.
bool is_connected_to_itself(int fd) noexcept {
  InetAddr local;
  InetAddr peer;
  return io::name_of(fd, io::Side::local, local) && io::name_of(fd, io::Side::peer, peer) &&
         local == peer;
}

}  // namespace

namespace io {

class ConnectRace::Race {
 public:
  Race(std::vector<InetAddr> addresses, const RaceOptions& race,
       std::span<const io::OptionValue> options)
      : addresses_(std::move(addresses)),
        attempt_delay_(std::max(race.attempt_delay, std::chrono::milliseconds::zero())),
        options_(options.begin(), options.end()) {}

  std::expected<Handle, ConnectFailure> run(const Deadline& deadline) {
    while (is_address_left() || !running_.empty()) {
      if (is_address_left() && (running_.empty() || Clock::now() >= next_start_)) {
        start(addresses_[next_++]);
      } else if (const int error = wait(deadline); error != 0) {
        return std::unexpected(ended_by(system_error(error)));
      }
      if (winner_) return take_winner();
    }
    return std::unexpected(failure());
  }

  State advance() {
    while (is_address_left() || !running_.empty()) {
      if (is_address_left() && (running_.empty() || Clock::now() >= next_start_)) {
        start(addresses_[next_++]);
      } else if (const int ready = settle_ready(); ready == 0) {
        const Status watched = watch();
        if (watched) return State::running;
        give_up(watched.error());
        return State::lost;
      }
      if (winner_) return State::won;
    }
    return State::lost;
  }
  [[nodiscard]] int handle() const noexcept { return watch_.get(); }
  [[nodiscard]] Handle take_winner() noexcept { return std::move(winner_); }
  [[nodiscard]] ConnectFailure failure() const {
    if (!running_.empty() || is_address_left()) return ended_by(system_error(ETIMEDOUT));
    if (failed_.empty()) return {std::make_error_code(std::errc::invalid_argument), {}};
    return {failed_.back().error, failed_};
  }

 private:
  struct Attempt {
    InetAddr address;
    Handle handle;
    bool watched = false;
  };

  [[nodiscard]] bool is_address_left() const noexcept { return next_ < addresses_.size(); }

  void start(const InetAddr& address) {
    auto handle = opened(address);
    if (handle) {
      running_.push_back({address, std::move(*handle)});
      next_start_ = Clock::now() + attempt_delay_;
    } else {
      failed_.push_back({address, handle.error()});
    }
  }

  Result<Handle> opened(const InetAddr& address) const {
    auto handle = io::open_stream(address, io::Blocking::no);
    if (!handle) return handle;
    Status status;
    for (const auto& option : options_) {
      if (status) status = io::set_option(handle->get(), option.name, option.raw);
    }
    if (status) status = io::start_connect(handle->get(), address);
    if (!status) return std::unexpected(status.error());
    return handle;
  }

  /// Waits until an attempt has ended or the next attempt is due. Returns 0, or an errno that ends
  /// the race.
  int wait(const Deadline& deadline) {
    std::vector<pollfd> entries = poll_entries();
    const auto time = time_to_wait(deadline);
    const timespec left = to_timespec(time.value_or(std::chrono::nanoseconds::zero()));
    const int ready = ::ppoll(entries.data(), entries.size(), time ? &left : nullptr, nullptr);
    if (ready == -1) return errno == EINTR ? 0 : errno;
    if (ready > 0) {
      settle(entries);
    } else if (!deadline.is_forever() && deadline.left().count() == 0) {
      return ETIMEDOUT;
    }
    return 0;
  }

  [[nodiscard]] std::vector<pollfd> poll_entries() const {
    std::vector<pollfd> entries;
    for (const auto& attempt : running_) entries.push_back({attempt.handle.get(), POLLOUT, 0});
    return entries;
  }

  /// Settles the attempts that have ended, without waiting. Returns their number.
  int settle_ready() {
    std::vector<pollfd> entries = poll_entries();
    const int ready = ::poll(entries.data(), entries.size(), 0);
    if (ready > 0) settle(entries);
    return std::max(ready, 0);
  }

  /// Makes `watch_` readable when an attempt has ended, or when the next attempt is due.
  Status watch() {
    if (!watch_) {
      watch_ = Handle(::epoll_create1(EPOLL_CLOEXEC));
      if (!watch_) return std::unexpected(system_error(errno));
    }
    for (Attempt& attempt : running_) {
      if (attempt.watched) continue;
      if (const auto status = watch(attempt.handle.get(), EPOLLOUT); !status) return status;
      attempt.watched = true;
    }
    return is_address_left() || timer_ ? watch_next_start() : Status{};
  }
  Status watch(int fd, std::uint32_t events) {
    epoll_event event{};
    event.events = events;
    if (::epoll_ctl(watch_.get(), EPOLL_CTL_ADD, fd, &event) == 0) return {};
    return std::unexpected(system_error(errno));
  }
  Status watch_next_start() {
    if (!timer_) {
      timer_ = Handle(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
      if (!timer_) return std::unexpected(system_error(errno));
      if (const auto status = watch(timer_.get(), EPOLLIN); !status) return status;
    }
    itimerspec time{};  // disarmed
    if (is_address_left()) time.it_value = to_timespec(next_start_.time_since_epoch());
    if (::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &time, nullptr) == 0) return {};
    return std::unexpected(system_error(errno));
  }

  [[nodiscard]] std::optional<std::chrono::nanoseconds> time_to_wait(
      const Deadline& deadline) const {
    std::optional<std::chrono::nanoseconds> time;
    if (!deadline.is_forever()) time = deadline.left();
    if (!is_address_left()) return time;
    const auto head_start =
        std::max<std::chrono::nanoseconds>(next_start_ - Clock::now(), std::chrono::nanoseconds(0));
    return time ? std::min(*time, head_start) : head_start;
  }

  /// Entry i belongs to attempt i of `running_`. If several attempts are connected, the earliest
  /// attempt wins.
  void settle(const std::vector<pollfd>& entries) {
    std::vector<Attempt> still_running;
    for (std::size_t index = 0; index < entries.size(); ++index) {
      auto& attempt = running_[index];
      if (entries[index].revents == 0) {
        still_running.push_back(std::move(attempt));
      } else if (const auto error = outcome(attempt)) {
        failed_.push_back({attempt.address, error});
        next_start_ = Clock::now();
      } else if (!winner_) {
        if (attempt.watched)
          ::epoll_ctl(watch_.get(), EPOLL_CTL_DEL, attempt.handle.get(), nullptr);
        winner_ = std::move(attempt.handle);
      }
    }
    running_ = std::move(still_running);
  }

  static std::error_code outcome(const Attempt& attempt) {
    const auto status = io::finish_connect(attempt.handle.get(), no_wait);
    if (!status) return status.error();
    if (is_connected_to_itself(attempt.handle.get())) return system_error(ECONNREFUSED);
    return {};
  }

  [[nodiscard]] ConnectFailure ended_by(std::error_code error) const {
    std::vector<FailedAttempt> attempts = failed_;
    for (const auto& attempt : running_) attempts.push_back({attempt.address, error});
    return {error, std::move(attempts)};
  }

  /// Ends all running attempts with this error. No further attempt begins.
  void give_up(std::error_code error) {
    failed_ = ended_by(error).attempts;
    running_.clear();
    next_ = addresses_.size();
  }

  std::vector<InetAddr> addresses_;
  std::size_t next_ = 0;  ///< index into addresses_
  std::chrono::milliseconds attempt_delay_;
  std::vector<io::OptionValue> options_;
  Clock::time_point next_start_{};
  std::vector<Attempt> running_;
  std::vector<FailedAttempt> failed_;
  Handle winner_;
  Handle watch_;  // an epoll handle: `handle` returns it
  Handle timer_;
};

}  // namespace io

std::string to_string(const ConnectFailure& failure) {
  if (failure.attempts.empty()) return failure.error.message();
  std::string text;
  for (const auto& attempt : failure.attempts) {
    if (!text.empty()) text += "; ";
    text += to_string(attempt.address) + ": " + attempt.error.message();
  }
  return text;
}

std::vector<InetAddr> interleaved(std::span<const InetAddr> addresses) {
  std::vector<InetAddr> first;
  std::vector<InetAddr> second;
  for (const auto& address : addresses) {
    auto& family = address.version() == addresses.front().version() ? first : second;
    if (std::ranges::find(family, address) == family.end()) family.push_back(address);
  }
  std::vector<InetAddr> order;
  for (std::size_t index = 0; index < std::max(first.size(), second.size()); ++index) {
    if (index < first.size()) order.push_back(first[index]);
    if (index < second.size()) order.push_back(second[index]);
  }
  return order;
}

namespace io {

std::expected<Handle, ConnectFailure> connect_any(std::span<const InetAddr> addresses,
                                                  TimeLimit limit, const RaceOptions& race,
                                                  std::span<const OptionValue> options) {
  if (addresses.empty()) {
    return std::unexpected(ConnectFailure{std::make_error_code(std::errc::invalid_argument), {}});
  }
  const Deadline deadline(limit.is_no_wait() ? TimeLimit(std::chrono::nanoseconds::zero()) : limit);
  ConnectRace::Race running(interleaved(addresses), race, options);
  return running.run(deadline);
}

ConnectRace::ConnectRace(std::span<const InetAddr> addresses, const RaceOptions& race,
                         std::span<const OptionValue> options)
    : race_(std::make_unique<Race>(interleaved(addresses), race, options)) {}

ConnectRace::ConnectRace(ConnectRace&& other) noexcept = default;
ConnectRace& ConnectRace::operator=(ConnectRace&& other) noexcept = default;
ConnectRace::~ConnectRace() = default;

ConnectRace::State ConnectRace::advance() { return race_->advance(); }
int ConnectRace::handle() const noexcept { return race_->handle(); }
Handle ConnectRace::take_winner() noexcept { return race_->take_winner(); }
ConnectFailure ConnectRace::failure() const { return race_->failure(); }

}  // namespace io

}  // namespace perigee::ipc
