// Child processes that a benchmark controls by lines of text: spawned, pinned, measured, ended.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace perigee::bench {

struct ProcessOptions {
  std::vector<std::string> arguments;  ///< arguments[0] is the program
  int cpu = -1;                        ///< the CPU to pin to; -1: not pinned
};

/// A child process with pipes on its standard input and output. The destructor kills it.
/// Errors are thrown as std::runtime_error: a benchmark whose peer fails has no result.
class Process {
 public:
  explicit Process(const ProcessOptions& options);
  ~Process();
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;

  void write_line(const std::string& line);
  /// The next line of its output without the newline. Throws at end of output.
  std::string read_line();
  /// The rest of its output, until it closes its output.
  std::string read_rest();
  /// CPU time used so far, user and system, of all its threads.
  [[nodiscard]] std::chrono::nanoseconds cpu_time() const;
  /// Page faults so far, of all its threads.
  [[nodiscard]] std::uint64_t page_faults() const;
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// Closes its input: this ends a client.
  void close_input();
  /// Sends SIGTERM: this ends a server.
  void terminate();
  /// Waits for its end. Returns the status as waitpid does.
  int wait();

 private:
  /// False at the end of its output.
  bool read_more();

  std::string name_;
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  std::string pending_;
};

struct CommandResult {
  int status = 0;                        ///< as waitpid returns it
  std::chrono::nanoseconds cpu_time{0};  ///< user and system, including its child processes
};
/// Runs a program to its end, with the input and outputs of this program. `arguments[0]` is looked
/// up in PATH.
CommandResult run_command(const std::vector<std::string>& arguments);

/// The path of a program that is looked up in PATH. Throws if there is none.
std::string find_program(const std::string& name);
/// The path of the running program.
std::string own_executable();
/// The CPUs that this process may use.
std::vector<int> usable_cpus();

}  // namespace perigee::bench
