// RouDi, the daemon of iceoryx, which owns the shared memory of all iceoryx programs.
#pragma once

#include "process.h"
#include "temporary_folder.h"

#include <cstddef>
#include <string>
#include <vector>

namespace perigee::bench {

/// RouDi runs from the constructor to the destructor. A host can have only one.
class Roudi {
 public:
  /// `message_sizes`: the octets of the largest messages that programs will send; smaller messages
  /// need no entry. Throws std::runtime_error with the reason if RouDi does not start.
  explicit Roudi(const std::vector<std::size_t>& message_sizes);
  /// Ends RouDi, and removes its shared memory. If programs were killed shortly before, RouDi
  /// aborts and does not remove the memory itself.
  ~Roudi();
  Roudi(const Roudi&) = delete;
  Roudi& operator=(const Roudi&) = delete;

 private:
  TemporaryFolder folder_;
  Process process_;
  std::vector<std::string> memories_;  ///< the names of its shared memory
};

/// The configuration as TOML: pools of chunks for the messages.
std::string roudi_configuration(const std::vector<std::size_t>& message_sizes);
/// A line of RouDi's output without colours, time and level.
std::string plain_roudi_line(const std::string& line);

}  // namespace perigee::bench
