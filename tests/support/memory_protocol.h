// A protocol whose connections are memory: listeners by name, a profile tag and codec of its own.
// Registered as any plug-in would be; nothing of the ORB knows of it.
#pragma once

#include <perigee/transport/transport.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace perigee::test {

class MemoryAcceptor;

/// Where the listeners of one process are found by name. Any thread. Shared by the protocols that
/// shall meet there.
class MemoryHub {
 public:
  /// False if the name is taken.
  [[nodiscard]] bool add(const std::string& name, MemoryAcceptor& acceptor);
  void remove(const MemoryAcceptor& acceptor);
  /// nullptr if no listener is there (any more). Waits while connects to the name are held.
  [[nodiscard]] std::unique_ptr<transport::Transport> connect(const std::string& name);
  /// Connects to the name wait from now on, until `release`.
  void hold(const std::string& name);
  void release();

 private:
  std::mutex mutex_;  // guards what follows, and that acceptors live while they are given something
  std::condition_variable released_;
  std::string held_;
  std::map<std::string, MemoryAcceptor*> acceptors_;
};

inline constexpr std::uint32_t memory_profile_tag = 0x50470f01;

/// The factory of scheme "memory". Addresses: any text but an empty one.
[[nodiscard]] std::unique_ptr<transport::ProtocolFactory> make_memory_protocol(
    std::shared_ptr<MemoryHub> hub);

}  // namespace perigee::test
