// The two ends of a channel: a parent that sends for some time, and a child that receives and
// checks.
#pragma once

#include "blocks.h"
#include "channel.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace perigee::bench {

/// One timed test.
struct Run {
  std::size_t size = 0;  ///< octets of a block: a multiple of 8, 16 or more
  Memory memory = Memory::touched;
  std::chrono::nanoseconds time{0};  ///< the parent sends for this time
  /// The time of the parent ends when the child has received the last block, not when the system
  /// has stored it. The experiment does not need this: it takes the end from the child.
  bool until_received = false;
};

struct Outcome {
  std::uint64_t transfers = 0;
  std::chrono::nanoseconds begin{0};  ///< this machine's steady clock
  std::chrono::nanoseconds end{0};
  std::chrono::nanoseconds cpu{0};  ///< user and system time of this process
};

/// Errors are thrown as std::runtime_error.
class Parent {
 public:
  virtual ~Parent() = default;
  virtual Outcome send(const Run& run) = 0;
};

class Child {
 public:
  virtual ~Child() = default;
  struct Received {
    Run run;  ///< from the parent; without the time
    Outcome outcome;
  };
  /// All blocks of the next run; nothing if the parent has ended.
  virtual std::optional<Received> receive() = 0;
};

/// The place where a parent waits for its child.
class Rendezvous {
 public:
  virtual ~Rendezvous() = default;
  /// The address for the child.
  [[nodiscard]] virtual std::string address() const = 0;
  /// Waits for the child, except with a pipe: then the caller must first make sure that the child
  /// has opened the pipe.
  virtual std::unique_ptr<Parent> accept() = 0;
};

/// `at`: a place in the form of the medium (host:port, a path or @name; for shared memory, /name of
/// the C program's ring, or @name of the transport).
/// Empty: a free place on this machine.
std::unique_ptr<Rendezvous> open_rendezvous(const Channel& channel, Version version,
                                            const std::string& at);
/// Connects to a parent.
std::unique_ptr<Child> join(const Channel& channel, Version version, const std::string& address);

}  // namespace perigee::bench
