// A signal handler that raises an eventfd. Handlers are used instead of a signalfd because the
// application may have threads that do not block the signals, and because several threads may wait.
#include "event/ending_signals.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>

namespace perigee::event {

namespace {

// The eventfds are never closed: a signal handler may still run after the destructor of the last
// EndingSignals.
std::atomic<int> came{-1};
std::atomic<int> hung_up{-1};
std::atomic<pid_t> process{0};

extern "C" void perigee_note_ending_signal(int number) {
  const int before = errno;
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGINT, SIG_DFL);
  if (::getpid() == process.load(std::memory_order_relaxed)) {
    const std::uint64_t one = 1;
    static_cast<void>(!::write(came.load(std::memory_order_relaxed), &one, sizeof(one)));
  } else {  // a child process that has not called exec: the signal must end the child only
    static_cast<void>(::raise(number));
  }
  errno = before;
}

extern "C" void perigee_note_hang_up(int number) {
  const int before = errno;
  if (::getpid() == process.load(std::memory_order_relaxed)) {
    const std::uint64_t one = 1;
    static_cast<void>(!::write(hung_up.load(std::memory_order_relaxed), &one, sizeof(one)));
  } else {  // a child process that has not called exec
    ::signal(SIGHUP, SIG_DFL);
    static_cast<void>(::raise(number));
  }
  errno = before;
}

sigset_t both_signals() noexcept {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

/// The handlers of the process, shared by all objects.
class Handlers {
 public:
  bool add_user(HangUp hang_up) noexcept {
    const std::lock_guard lock(mutex_);
    process = ::getpid();
    if (came < 0) came = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (came < 0) return false;
    if (hang_up == HangUp::is_event) handle_hang_up();
    if (users_++ != 0) return true;
    std::uint64_t count = 0;
    static_cast<void>(!::read(came, &count, sizeof(count)));
    process = ::getpid();
    struct sigaction action{};
    action.sa_handler = &perigee_note_ending_signal;
    action.sa_flags = SA_RESTART;
    action.sa_mask = both_signals();
    ::sigaction(SIGTERM, &action, &sigterm_before_);
    ::sigaction(SIGINT, &action, &sigint_before_);
    return true;
  }
  void remove_user() noexcept {
    const std::lock_guard lock(mutex_);
    if (--users_ != 0) return;
    ::sigaction(SIGTERM, &sigterm_before_, nullptr);
    ::sigaction(SIGINT, &sigint_before_, nullptr);
    struct sigaction present{};
    const bool is_ours =
        ::sigaction(SIGHUP, nullptr, &present) == 0 && present.sa_handler == &perigee_note_hang_up;
    if (is_ours) ::signal(SIGHUP, SIG_DFL);
  }

 private:
  // Installs the handler only if SIGHUP has its default action, which ends the process.
  void handle_hang_up() noexcept {
    struct sigaction present{};
    if (::sigaction(SIGHUP, nullptr, &present) != 0 || present.sa_handler != SIG_DFL) return;
    if (hung_up < 0) hung_up = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (hung_up < 0) return;
    std::uint64_t count = 0;  // of signals that came before the present users
    static_cast<void>(!::read(hung_up, &count, sizeof(count)));
    struct sigaction action{};
    action.sa_handler = &perigee_note_hang_up;
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGHUP, &action, nullptr);
  }

  std::mutex mutex_;  // guards the members below
  int users_ = 0;
  struct sigaction sigterm_before_{};
  struct sigaction sigint_before_{};
};

Handlers& handlers() noexcept {
  static Handlers handlers;
  return handlers;
}

}  // namespace

EndingSignals::EndingSignals(HangUp hang_up) noexcept : caught_(handlers().add_user(hang_up)) {}

EndingSignals::~EndingSignals() {
  if (caught_) handlers().remove_user();
}

EndingSignals::Event EndingSignals::wait(const Signal& over) const noexcept {
  sigset_t signals = both_signals();
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  for (;;) {
    // A negative handle is ignored.
    std::array<pollfd, 3> handles{{{.fd = came, .events = POLLIN, .revents = 0},
                                   {.fd = over.handle(), .events = POLLIN, .revents = 0},
                                   {.fd = hung_up, .events = POLLIN, .revents = 0}}};
    while (::poll(handles.data(), handles.size(), -1) < 0 && errno == EINTR) continue;
    if (handles[0].revents != 0) return Event::ending;
    if (handles[1].revents != 0) return Event::over;
    std::uint64_t count = 0;  // the first thread that reads it gets the event
    if (::read(hung_up, &count, sizeof(count)) == sizeof(count)) return Event::hang_up;
  }
}

EndingSignalsBlocked::EndingSignalsBlocked() noexcept {
  const sigset_t signals = both_signals();
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
}

EndingSignalsBlocked::~EndingSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace perigee::event
