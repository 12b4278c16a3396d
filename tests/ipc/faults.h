// Faults that tests cause: signals at a high rate, no handles left, and octet channels with queues
// as short as the system allows.
#pragma once

#include "ipc/every_family.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <filesystem>
#include <iterator>

namespace perigee::ipc::test {

/// How many handles this process has open.
inline std::ptrdiff_t open_handles() {
  const std::filesystem::directory_iterator handles("/proc/self/fd");
  return std::distance(begin(handles), end(handles));
}

/// During its life, its thread gets a signal every 50 µs. The handler makes system calls fail with
/// EINTR.
class Storm {
 public:
  Storm() {
    struct sigaction action{};
    action.sa_handler = [](int) { ++count_; };  // sa_flags: no SA_RESTART
    REQUIRE(sigaction(SIGUSR2, &action, nullptr) == 0);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGUSR2;
    event._sigev_un._tid = gettid();
    REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0);
    constexpr timespec interval{0, 50'000};
    constexpr itimerspec times{interval, interval};
    REQUIRE(timer_settime(timer_, 0, &times, nullptr) == 0);
  }
  ~Storm() { timer_delete(timer_); }
  Storm(const Storm&) = delete;
  Storm& operator=(const Storm&) = delete;

  /// Signals caught so far, in all threads.
  static int count() { return count_; }

 private:
  static inline std::atomic<int> count_ = 0;
  timer_t timer_{};
};

/// During its life, this process cannot open a handle.
class NoHandlesLeft {
 public:
  NoHandlesLeft() {
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before_) == 0);
    const int lowest_free = dup(0);
    REQUIRE(lowest_free != -1);
    close_handle(lowest_free);
    rlimit none = before_;
    none.rlim_cur = static_cast<rlim_t>(lowest_free);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
  }
  ~NoHandlesLeft() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoHandlesLeft(const NoHandlesLeft&) = delete;
  NoHandlesLeft& operator=(const NoHandlesLeft&) = delete;

 private:
  rlimit before_{};
};

/// During its life, a broken pipe is an error and no signal.
class SigpipeIgnored {
 public:
  SigpipeIgnored() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~SigpipeIgnored() { std::signal(SIGPIPE, before_); }
  SigpipeIgnored(const SigpipeIgnored&) = delete;
  SigpipeIgnored& operator=(const SigpipeIgnored&) = delete;

 private:
  void (*before_)(int);
};

/// An anonymous pipe, where only octets in one direction matter.
struct OverPipe {};

template <typename Sender, typename Receiver>
struct Channel {
  Sender sender;
  Receiver receiver;
};

/// A channel of octets with short queues. Call `is_here<Over>()` first.
template <typename Over>
auto channel_over() {
  if constexpr (std::is_same_v<Over, OverPipe>) {
    auto pipe = ipc::pipe().value();
    REQUIRE(pipe.sender.set(PipeCapacity{4096}).has_value());
    return Channel{std::move(pipe.sender), std::move(pipe.receiver)};
  } else {
    auto connection = connection_over<Over>(SendBuffer{1});
    return Channel{std::move(connection.client), std::move(connection.server)};
  }
}
template <>
inline bool is_here<OverPipe>() {
  return true;
}

}  // namespace perigee::ipc::test
