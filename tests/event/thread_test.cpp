// Threads of the ORB block the application's signals, and the ORB reports SIGTERM and SIGINT as an
// event.
#include "event/thread.h"

#include "event/ending_signals.h"

#include <doctest/doctest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <thread>

namespace perigee::event {
namespace {

sigset_t current_mask() {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return mask;
}

bool same(const sigset_t& one, const sigset_t& other) {
  for (int signal = 1; signal <= SIGRTMAX; ++signal)
    if (sigismember(&one, signal) != sigismember(&other, signal)) return false;
  return true;
}

bool has_default_action(int signal) {
  struct sigaction action{};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_DFL;
}

TEST_CASE("a thread of the ORB blocks all signals but those of faults, SIGABRT and SIGPROF") {
  const sigset_t before = current_mask();
  sigset_t mask;
  Thread thread([&mask] { mask = current_mask(); });
  thread.join();
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGALRM, SIGPIPE, SIGUSR1, SIGRTMIN})
    CHECK(sigismember(&mask, signal) == 1);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF})
    CHECK(sigismember(&mask, signal) == 0);
  CHECK(same(current_mask(), before));
}

TEST_CASE("a thread accepts move-only functions, and can be moved") {
  auto value = std::make_unique<std::atomic<int>>(1);
  std::atomic<int>& seen = *value;
  Thread other;
  CHECK_FALSE(other.joinable());
  Thread thread([&seen, taken = std::make_unique<int>(2)] { seen = *taken; });
  other = std::move(thread);
  REQUIRE(other.joinable());
  other.join();
  CHECK(seen == 2);
}

TEST_CASE("a signal ends all waits; signal masks and handlers are restored") {
  for (const int signal : {SIGTERM, SIGINT}) {
    const sigset_t mask = current_mask();
    const Signal over = Signal::make();
    {
      const EndingSignals first;
      const EndingSignals second;
      REQUIRE(first);
      REQUIRE(second);
      {
        const EndingSignalsBlocked blocked;
        const sigset_t now = current_mask();
        CHECK(sigismember(&now, SIGTERM) == 1);
        CHECK(sigismember(&now, SIGINT) == 1);
        std::atomic<int> woken{0};
        const auto wait = [&](const EndingSignals& signals) {
          woken += signals.wait(over) == EndingSignals::Event::ending ? 1 : 0;
        };
        Thread one([&] { wait(first); });
        Thread two([&] { wait(second); });
        ::kill(::getpid(), signal);
        one.join();
        two.join();
        CHECK(woken == 2);
      }
      CHECK(same(current_mask(), mask));
      CHECK(has_default_action(SIGTERM));  // a second signal ends the process
      CHECK(has_default_action(SIGINT));
    }
  }
}

std::atomic<int> handled{0};
extern "C" void count_signal(int /*number*/) { ++handled; }

TEST_CASE("a wait without a signal ends at its time-out and restores the application's handler") {
  struct sigaction own{};
  own.sa_handler = &count_signal;
  struct sigaction before{};
  ::sigaction(SIGTERM, &own, &before);
  {
    const EndingSignals signals;
    const Signal over = Signal::make();
    Thread waiting([&] { CHECK(signals.wait(over) == EndingSignals::Event::over); });
    over.raise();
    waiting.join();
  }
  ::raise(SIGTERM);
  CHECK(handled == 1);
  ::sigaction(SIGTERM, &before, nullptr);
}

TEST_CASE("a signal before a wait does not end that wait") {
  {
    const EndingSignals signals;
    ::raise(SIGTERM);
  }
  const EndingSignals signals;
  const Signal over = Signal::make();
  over.raise();
  CHECK(signals.wait(over) == EndingSignals::Event::over);
}

TEST_CASE("SIGHUP is an event while EndingSignals asks for it, and then has its default action") {
  REQUIRE(has_default_action(SIGHUP));
  {
    const EndingSignals others;
    CHECK(has_default_action(SIGHUP));
    const EndingSignals signals(HangUp::is_event);
    const Signal over = Signal::make();
    for (int round = 0; round < 2; ++round) {
      ::raise(SIGHUP);
      CHECK(signals.wait(over) == EndingSignals::Event::hang_up);
    }
    over.raise();
    CHECK(signals.wait(over) == EndingSignals::Event::over);
  }
  CHECK(has_default_action(SIGHUP));
}

TEST_CASE("SIGHUP stays with an application that handles it") {
  struct sigaction own{};
  own.sa_handler = &count_signal;
  struct sigaction before{};
  ::sigaction(SIGHUP, &own, &before);
  const int handled_before = handled;
  {
    const EndingSignals signals(HangUp::is_event);
    ::raise(SIGHUP);
  }
  CHECK(handled == handled_before + 1);
  ::sigaction(SIGHUP, &before, nullptr);
}

}  // namespace
}  // namespace perigee::event
