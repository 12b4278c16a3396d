// The common part of the programs of this folder: errors that say what failed, and an orderly
// shutdown.
#pragma once

#include <perigee/ipc/result.h>

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

/// The value of a result; throws "<what>: <the system's words>" for an error.
template <typename T>
T value_of(perigee::ipc::Result<T> result, const std::string& what) {
  if (!result) throw std::runtime_error(what + ": " + result.error().message());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// Calls `end` when SIGINT or SIGTERM comes. A thread of this object runs `end`, so `end` may call
/// any function. Make the object before other threads start, so that they inherit the blocked
/// signals.
class OnEndingSignal {
 public:
  explicit OnEndingSignal(std::function<void()> end) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    thread_ = std::jthread([this, signals, end = std::move(end)] {
      int signal = 0;
      sigwait(&signals, &signal);
      if (!is_over_) end();
    });
  }
  ~OnEndingSignal() {
    is_over_ = true;
    pthread_kill(thread_.native_handle(), SIGTERM);
  }
  OnEndingSignal(const OnEndingSignal&) = delete;
  OnEndingSignal& operator=(const OnEndingSignal&) = delete;

 private:
  std::atomic<bool> is_over_ = false;
  std::jthread thread_;
};
