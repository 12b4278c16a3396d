// Runs this program as a child process, which prints one line and is killed.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace perigee::test {

/// A child process. The destructor kills it with SIGKILL, and waits for its end. The child also
/// dies with its parent.
class ChildProcess {
 public:
  /// Runs this program with other arguments.
  explicit ChildProcess(const std::vector<std::string>& arguments);
  ~ChildProcess() { kill(); }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// The first line of the child's standard output; empty if the child ended without a line.
  [[nodiscard]] std::string read_line() const;
  void kill() noexcept;

 private:
  pid_t id_ = -1;
  int output_ = -1;
};

}  // namespace perigee::test
