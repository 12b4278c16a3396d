// A protocol whose connections are in memory, with named listeners, and its own profile tag and
// codec. Tests register it like a plug-in. The ORB has no code for it.
#pragma once

#include <perigee/messaging/carrier.h>
#include <perigee/transport/transport.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace perigee::test {

class MemoryAcceptor;

/// The client's end and the server's end of a new connection.
using TransportEnds =
    std::pair<std::unique_ptr<transport::Transport>, std::unique_ptr<transport::Transport>>;

/// Finds the listeners of one process by name. Any thread. Protocols share a hub to connect to each
/// other.
class MemoryHub {
 public:
  /// Connections are streams in memory.
  MemoryHub();
  explicit MemoryHub(std::function<TransportEnds()> make_ends) : make_ends_(std::move(make_ends)) {}

  /// False if the name is taken.
  [[nodiscard]] bool add(const std::string& name, MemoryAcceptor& acceptor);
  void remove(const MemoryAcceptor& acceptor);
  /// nullptr if no listener has the name. Waits while connects to the name are held.
  [[nodiscard]] std::unique_ptr<transport::Transport> connect(const std::string& name);
  /// Connects to the name wait from now on, until `release`.
  void hold(const std::string& name);
  void release();

 private:
  std::mutex mutex_;  // guards the members below; keeps acceptors alive while they get a connection
  std::condition_variable released_;
  std::string held_;
  std::map<std::string, MemoryAcceptor*> acceptors_;
  const std::function<TransportEnds()> make_ends_;
};

inline constexpr std::uint32_t memory_profile_tag = 0x50470f01;

/// The properties that distinguish the protocols of several hubs.
struct MemoryScheme {
  std::string_view name = "memory";  // refers to a literal
  std::uint32_t tag = memory_profile_tag;
  messaging::Carrier carrier;
};

/// The factory of one scheme. Addresses: any text but an empty one.
[[nodiscard]] std::unique_ptr<transport::ProtocolFactory> make_memory_protocol(
    std::shared_ptr<MemoryHub> hub, const MemoryScheme& scheme = {});

}  // namespace perigee::test
