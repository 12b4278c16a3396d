// A protocol for tests: transports that exist in memory only, and whose peer is a script. Nothing
// waits for a clock: a receive with a time-out set "times out" at once when nothing has arrived.
#pragma once

#include "support/reader.h"
#include <perigee/ipc/lsock.h>
#include <perigee/messaging/protocol.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace perigee::test {

class ScriptedTransport;

/// How the peer of one connection behaves.
struct Script {
  bool refuse = false;               ///< the connect fails
  bool times_out = false;            ///< the connect fails with a time-out
  std::function<void()> on_connect;  ///< before the connect succeeds or fails
  /// Octets that the transport takes in all. The send beyond them takes the rest and fails: EPIPE.
  std::size_t accepts_max = std::numeric_limits<std::size_t>::max();
  /// Called in the sender's thread for each whole message; may answer through the transport.
  std::function<void(ScriptedTransport& transport, const messaging::IncomingMessage& message)>
      on_message;
};

/// Counts what the ORB asks of a transport.
struct TransportCounts {
  std::atomic<std::size_t> connects{0};
  std::atomic<std::int64_t> connect_timeout_ms{-1};  ///< of the last connect
  std::atomic<std::size_t> sends{0};
  std::atomic<std::size_t> receives{0};
  std::atomic<std::size_t> timeouts_set{0};  ///< changes of the send or the receive time-out
};

class ScriptedTransport final : public transport::Transport {
 public:
  ScriptedTransport(Script script, const messaging::MessagingProtocol& protocol,
                    TransportCounts& counts);

  // The actions of the script's peer.
  void deliver(OctetSpan octets);
  void deliver(const cdr::Buffer& message);
  void await_read();     ///< blocks until all that was delivered has been received
  void await_receive();  ///< blocks until a receive waits for octets not delivered yet
  void end_of_stream();
  void reset();                          ///< ECONNRESET, after the octets delivered before
  void block_after(std::size_t octets);  ///< takes this many more octets, then blocks
  void unblock();

  IoResult send(std::span<const OctetSpan> segments, transport::Wait wait) override;
  IoResult receive(MutableOctetSpan space, transport::Wait wait) override;
  IoResult set_receive_timeout(std::chrono::microseconds timeout) override;
  IoResult set_send_timeout(std::chrono::microseconds timeout) override;
  void shutdown_send() noexcept override {}
  void interrupt() noexcept override { end_of_stream(); }
  /// The handle becomes readable whenever something has happened. The first call makes it.
  [[nodiscard]] int readiness_fd() const noexcept override;
  [[nodiscard]] bool buffered() const noexcept override;
  [[nodiscard]] const std::string& peer() const noexcept override { return peer_; }

 private:
  enum class End : std::uint8_t { open, closed, reset };

  void take_messages();
  [[nodiscard]] std::size_t take_of_window(std::size_t wanted);
  void changed() noexcept;  // expects mutex_ to be held

  Script script_;
  TransportCounts& counts_;
  std::string peer_ = "test://peer";
  MessageReader reader_;  // parses what the ORB sends
  Octets scratch_ = Octets(64 * 1024);
  std::size_t accepted_ = 0;

  mutable std::mutex mutex_;  // guards the members below
  /// A connection that makes its far end readable. Never drained: readiness is edge-triggered.
  struct ReadinessSignal {
    ipc::lsock::Stream near;
    ipc::lsock::Stream far;
  };
  mutable std::optional<ReadinessSignal> signal_;
  std::condition_variable arrived_;
  bool receive_waits_ = false;
  std::optional<std::size_t> window_;  // octets that are taken before sends would block
  Octets inbound_;
  std::size_t inbound_taken_ = 0;
  End end_ = End::open;
  std::chrono::microseconds receive_timeout_{0};
  std::chrono::microseconds send_timeout_{0};
};

/// Scheme "test". Addresses are any text. Each connect to an address takes its next script, or its
/// last script again. A connect to an address without a script is refused.
class ScriptedProtocol final : public transport::ProtocolFactory {
 public:
  static constexpr std::uint32_t profile_tag = 0x50470f00;

  explicit ScriptedProtocol(const messaging::MessagingProtocol& messaging)
      : messaging_(messaging) {}

  void add(const std::string& address, Script script) {
    const std::lock_guard lock(mutex_);
    scripts_[address].push_back(std::move(script));
  }
  [[nodiscard]] TransportCounts& counts(const std::string& address) { return counts_[address]; }
  /// How often `claim` was called.
  [[nodiscard]] std::size_t claims() const noexcept { return claims_; }

  [[nodiscard]] std::string_view name() const noexcept override { return "scripted"; }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override;
  [[nodiscard]] std::uint32_t protocol_tag() const noexcept override { return profile_tag; }
  [[nodiscard]] std::unique_ptr<transport::Connector> make_connector() override;
  std::expected<std::unique_ptr<transport::Acceptor>, IoError> listen(
      const transport::Endpoint& endpoint) override;
  [[nodiscard]] std::vector<std::unique_ptr<iop::ProfileCodec>> make_profile_codecs() override;
  [[nodiscard]] std::vector<transport::ProfileEndpoint> claim(
      std::uint32_t tag, const iop::ProfileBody& body) const override;
  [[nodiscard]] iop::TaggedProfile make_profile(
      const transport::Endpoint& endpoint, const transport::ProfileSource& source) const override;

  std::expected<std::unique_ptr<transport::Transport>, IoError> connect(
      const transport::Endpoint& endpoint, std::chrono::milliseconds timeout);

 private:
  const messaging::MessagingProtocol& messaging_;
  mutable std::atomic<std::size_t> claims_{0};
  std::mutex mutex_;  // guards the members below
  std::map<std::string, std::deque<Script>> scripts_;
  std::map<std::string, TransportCounts> counts_;
};

}  // namespace perigee::test
