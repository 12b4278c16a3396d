// The race of RFC 8305: one attempt after the other, each with a head start before the next.
#include "ipc/deadline.h"
#include <perigee/ipc/connect_any.h>

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <optional>
#include <utility>

namespace perigee::ipc {
namespace {

using Clock = std::chrono::steady_clock;

std::error_code system_error(int code) noexcept { return {code, std::system_category()}; }

timespec to_timespec(std::chrono::nanoseconds time) noexcept {
  return {time.count() / 1'000'000'000, time.count() % 1'000'000'000};
}

/// Nobody listens at a free port of this host that the system happens to choose as ours.
bool is_connected_to_itself(int fd) noexcept {
  InetAddr local;
  InetAddr peer;
  return io::name_of(fd, io::Side::local, local) && io::name_of(fd, io::Side::peer, peer) &&
         local == peer;
}

class Race {
 public:
  Race(std::vector<InetAddr> addresses, const Deadline& deadline, const RaceOptions& race,
       std::span<const io::OptionValue> options)
      : addresses_(std::move(addresses)),
        deadline_(deadline),
        attempt_delay_(std::max(race.attempt_delay, std::chrono::milliseconds::zero())),
        options_(options) {}

  std::expected<Handle, ConnectFailure> run() {
    while (is_one_left() || !running_.empty()) {
      if (is_one_left() && (running_.empty() || Clock::now() >= next_start_)) {
        start(addresses_[next_++]);
      } else if (const int error = wait(); error != 0) {
        return std::unexpected(ended_by(system_error(error)));
      }
      if (winner_) return std::move(winner_);
    }
    return std::unexpected(ConnectFailure{failed_.back().error, std::move(failed_)});
  }

 private:
  struct Attempt {
    InetAddr address;
    Handle handle;
  };

  [[nodiscard]] bool is_one_left() const noexcept { return next_ < addresses_.size(); }

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

  /// Waits until an attempt is settled or the next one is due. An errno if the race is over.
  int wait() {
    std::vector<pollfd> entries;
    for (const auto& attempt : running_) entries.push_back({attempt.handle.get(), POLLOUT, 0});
    const auto time = time_to_wait();
    const timespec left = to_timespec(time.value_or(std::chrono::nanoseconds::zero()));
    const int ready = ::ppoll(entries.data(), entries.size(), time ? &left : nullptr, nullptr);
    if (ready == -1) return errno == EINTR ? 0 : errno;
    if (ready > 0) {
      settle(entries);
    } else if (!deadline_.is_forever() && deadline_.left().count() == 0) {
      return ETIMEDOUT;
    }
    return 0;
  }

  [[nodiscard]] std::optional<std::chrono::nanoseconds> time_to_wait() const {
    std::optional<std::chrono::nanoseconds> time;
    if (!deadline_.is_forever()) time = deadline_.left();
    if (!is_one_left()) return time;
    const auto head_start =
        std::max<std::chrono::nanoseconds>(next_start_ - Clock::now(), std::chrono::nanoseconds(0));
    return time ? std::min(*time, head_start) : head_start;
  }

  /// `entries` are those of running_. Of several that are connected, the earliest wins.
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

  ConnectFailure ended_by(std::error_code error) {
    for (const auto& attempt : running_) failed_.push_back({attempt.address, error});
    return {error, std::move(failed_)};
  }

  std::vector<InetAddr> addresses_;
  std::size_t next_ = 0;  ///< into addresses_
  Deadline deadline_;
  std::chrono::milliseconds attempt_delay_;
  std::span<const io::OptionValue> options_;
  Clock::time_point next_start_{};
  std::vector<Attempt> running_;
  std::vector<FailedAttempt> failed_;
  Handle winner_;
};

}  // namespace

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
  return Race(interleaved(addresses), deadline, race, options).run();
}

}  // namespace io

}  // namespace perigee::ipc
