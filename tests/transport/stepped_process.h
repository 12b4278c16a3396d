// Runs a child process step by step, and kills it at a chosen step.
#pragma once

#include <doctest/doctest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>

namespace perigee::test {

/// A child process that runs only in steps: it begins stopped, and the parent traces it. Only the
/// thread that made it may call the other functions. The kernel stops the child at each system
/// call, or after each instruction, so the code under test needs no hooks.
class SteppedProcess {
 public:
  /// Forks. `body` must not throw. Its threads are not traced, but they die with the child.
  explicit SteppedProcess(const std::function<void()>& body) : id_(::fork()) {
    REQUIRE(id_ != -1);
    if (id_ == 0) run_and_exit(body);
    await_start();
  }
  ~SteppedProcess() { kill(); }
  SteppedProcess(const SteppedProcess&) = delete;
  SteppedProcess& operator=(const SteppedProcess&) = delete;

  /// Runs until system calls have begun or ended `count` times. False: the child has ended before.
  bool run_system_calls(int count) { return run(PTRACE_SYSCALL, count); }
  /// Runs `count` instructions. False: the child has ended before.
  bool run_instructions(int count) { return run(PTRACE_SINGLESTEP, count); }
  /// SIGKILL. Returns after the process has gone.
  void kill() noexcept {
    if (id_ == -1) return;
    (void)::kill(id_, SIGKILL);
    while (::waitpid(id_, nullptr, 0) == -1 && errno == EINTR) continue;
    id_ = -1;
  }

 private:
  using Request = decltype(PTRACE_SYSCALL);

  [[noreturn]] static void run_and_exit(const std::function<void()>& body) {
    (void)::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    (void)::raise(SIGSTOP);
    body();
    ::_exit(0);
  }
  void await_start() {
    REQUIRE(await_stop());
    REQUIRE(::ptrace(PTRACE_SETOPTIONS, id_, nullptr, PTRACE_O_EXITKILL) == 0);
  }
  bool await_stop() noexcept {
    int status = 0;
    while (::waitpid(id_, &status, 0) == -1)
      if (errno != EINTR) return false;
    if (WIFSTOPPED(status)) return true;
    id_ = -1;
    return false;
  }
  bool run(Request request, int count) {
    for (int step = 0; step < count; ++step)
      if (id_ == -1 || ::ptrace(request, id_, nullptr, nullptr) == -1 || !await_stop())
        return false;
    return true;
  }

  pid_t id_;
};

}  // namespace perigee::test
