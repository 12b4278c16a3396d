// Runs a program to its end, with a time limit, and keeps what it writes to standard error.
#include "captured_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

namespace perigee::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Runs between fork and exec, so it makes only async-signal-safe calls.
[[noreturn]] void become_captured_child(char* const* arguments, int null, int errors) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  execv(arguments[0], arguments);
  _exit(127);
}

[[noreturn]] void fail_to_capture(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

/// A descriptor that is closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return value_; }
  void reset() {
    close(value_);
    value_ = -1;
  }

 private:
  int value_;
};

pid_t start_captured(const std::vector<std::string>& arguments, int null, int errors) {
  std::vector<char*> words;
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const pid_t pid = fork();
  if (pid < 0) fail_to_capture("fork");
  if (pid == 0) become_captured_child(words.data(), null, errors);
  return pid;
}

// Returns false when the program has closed its standard error.
bool read_errors(int descriptor, std::string& errors) {
  char chunk[4096];
  const ssize_t count = read(descriptor, chunk, sizeof chunk);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  errors.append(chunk, static_cast<std::size_t>(count));
  if (errors.size() > errors_size_max) errors.erase(0, errors.size() - errors_size_max);
  return count > 0;
}

// The milliseconds until the deadline, at most a second.
int poll_milliseconds(Clock::time_point deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1000));
}

}  // namespace

CapturedRun run_captured(const std::vector<std::string>& arguments, std::chrono::seconds time_limit,
                         const std::function<void()>& each_second) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail_to_capture("pipe");
  const Descriptor errors(ends[0]);
  Descriptor other(ends[1]);
  const Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (null.get() < 0) fail_to_capture("/dev/null");
  const pid_t pid = start_captured(arguments, null.get(), other.get());
  other.reset();
  CapturedRun run;
  const Clock::time_point deadline = Clock::now() + time_limit;
  for (bool is_open = true; is_open;) {
    pollfd event{errors.get(), POLLIN, 0};
    if (poll(&event, 1, poll_milliseconds(deadline)) > 0)
      is_open = read_errors(errors.get(), run.errors);
    else
      each_second();
    if (Clock::now() >= deadline) {
      run.timed_out = true;
      kill(pid, SIGKILL);
      break;
    }
  }
  while (waitpid(pid, &run.status, 0) < 0 && errno == EINTR) {
  }
  return run;
}

std::string failure_of(const CapturedRun& run, std::chrono::seconds time_limit) {
  if (run.timed_out)
    return "it did not end within " + std::to_string(time_limit.count()) + " seconds";
  if (run.status == 0) return {};
  std::string text = run.errors;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (const std::size_t line = text.rfind('\n'); line != std::string::npos) text.erase(0, line + 1);
  if (!text.empty()) return text;
  if (WIFSIGNALED(run.status)) return "it ended by signal " + std::to_string(WTERMSIG(run.status));
  return "it ended with status " + std::to_string(WEXITSTATUS(run.status));
}

}  // namespace perigee::bench
