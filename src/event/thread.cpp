// A new thread inherits the signal mask of its creator. The creator therefore blocks the signals
// around the creation: a mask that the new thread sets itself would come too late for a signal that
// arrives before its first instruction.
#include "event/thread.h"

#include <csignal>
#include <utility>

namespace perigee::event {

namespace {

// The signals of faults concern the thread that causes them, and debuggers and sanitizers need
// them. SIGABRT ends the process in any case. SIGPROF samples the thread that uses the CPU.
constexpr int signals_left[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF};

class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int signal : signals_left) sigdelset(&blocked, signal);
    pthread_sigmask(SIG_SETMASK, &blocked, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

std::thread start(std::move_only_function<void()> body) {
  const SignalsBlocked blocked;
  return std::thread(std::move(body));
}

}  // namespace

Thread::Thread(std::move_only_function<void()> body) : thread_(start(std::move(body))) {}

}  // namespace perigee::event
