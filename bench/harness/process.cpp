// Child processes that a benchmark controls by lines of text.
#include "process.h"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace perigee::bench {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

// Runs between fork and exec, so it makes only async-signal-safe calls.
[[noreturn]] void become_child(char* const* arguments, int cpu, int input, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  if (cpu >= 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(cpu), &set);
    sched_setaffinity(0, sizeof set, &set);
  }
  execv(arguments[0], arguments);
  _exit(127);
}

}  // namespace

Process::Process(const ProcessOptions& options) : name_(options.arguments.at(0)) {
  int to_child[2];
  int from_child[2];
  if (pipe2(to_child, O_CLOEXEC) != 0 || pipe2(from_child, O_CLOEXEC) != 0) fail("pipe");
  std::vector<char*> arguments;
  for (const std::string& argument : options.arguments)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) fail("fork");
  if (pid_ == 0) become_child(arguments.data(), options.cpu, to_child[0], from_child[1]);
  close(to_child[0]);
  close(from_child[1]);
  input_ = to_child[1];
  output_ = from_child[0];
}

Process::Process(Process&& other) noexcept
    : name_(std::move(other.name_)),
      pid_(std::exchange(other.pid_, -1)),
      input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      pending_(std::move(other.pending_)) {}

Process::~Process() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    wait();
  }
  if (input_ >= 0) close(input_);
  if (output_ >= 0) close(output_);
}

void Process::write_line(const std::string& line) {
  const std::string text = line + "\n";
  if (write(input_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    fail("write to " + name_);
}

std::string Process::read_line() {
  std::size_t searched = 0;
  while (true) {
    if (const auto end = pending_.find('\n', searched); end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    searched = pending_.size();
    if (!read_more()) throw std::runtime_error(name_ + " ended without an answer");
  }
}

std::string Process::read_rest() {
  while (read_more()) {
  }
  return std::exchange(pending_, {});
}

bool Process::read_more() {
  char chunk[4096];
  ssize_t count = -1;
  do count = read(output_, chunk, sizeof chunk);
  while (count < 0 && errno == EINTR);
  if (count < 0) fail("read from " + name_);
  pending_.append(chunk, static_cast<std::size_t>(count));
  return count > 0;
}

std::chrono::nanoseconds Process::cpu_time() const {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &time) != 0)
    fail("CPU clock of " + name_);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// proc(5): the 10th and the 12th field, counted with the name in parentheses.
std::uint64_t Process::page_faults() const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string word;
  for (int field = 3; field < 10; ++field) fields >> word;
  std::uint64_t minor = 0;
  std::uint64_t major = 0;
  if (!(fields >> minor >> word >> major)) fail("page faults of " + name_);
  return minor + major;
}

void Process::close_input() {
  if (input_ >= 0) close(std::exchange(input_, -1));
}

void Process::terminate() {
  if (pid_ > 0) kill(pid_, SIGTERM);
}

int Process::wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

CommandResult run_command(const std::vector<std::string>& arguments) {
  std::vector<char*> words;
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  pid_t pid = -1;
  if (const int error = posix_spawnp(&pid, words[0], nullptr, nullptr, words.data(), environ)) {
    errno = error;
    fail(arguments[0]);
  }
  CommandResult result;
  rusage usage{};
  while (wait4(pid, &result.status, 0, &usage) < 0 && errno == EINTR) {
  }
  for (const timeval& time : {usage.ru_utime, usage.ru_stime})
    result.cpu_time += std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  return result;
}

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + '/' + name).c_str(), X_OK) == 0) return folder + '/' + name;
  throw std::runtime_error("no program " + name + " is installed");
}

std::string own_executable() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  if (size < 0) fail("/proc/self/exe");
  return {path, static_cast<std::size_t>(size)};
}

std::vector<int> usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) fail("sched_getaffinity");
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  return cpus;
}

}  // namespace perigee::bench
