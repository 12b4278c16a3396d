// Starts child processes with fork and exec. Uses nothing of the ORB.
#include "faults/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>

namespace perigee::test {

// Between fork and exec of a program with threads only system calls are allowed.
ChildProcess::ChildProcess(const std::vector<std::string>& arguments) {
  std::vector<char*> words = {const_cast<char*>("/proc/self/exe")};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  id_ = ::fork();
  if (id_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(pipe[1], STDOUT_FILENO);
    ::execv(words.front(), words.data());
    ::_exit(127);
  }
  ::close(pipe[1]);
  output_ = pipe[0];
  if (id_ < 0) throw std::runtime_error("no process");
}

std::string ChildProcess::read_line() const {
  std::string line;
  for (char c = 0; ::read(output_, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

void ChildProcess::kill() noexcept {
  if (id_ < 0) return;
  ::kill(id_, SIGKILL);
  ::waitpid(id_, nullptr, 0);
  ::close(output_);
  id_ = -1;
}

}  // namespace perigee::test
