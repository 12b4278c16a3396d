// The server's end of a connection over UDP: one of the peers that share a socket. Private to
// transport/udp.
#pragma once

#include <perigee/base/octets.h>
#include <perigee/event/signal.h>
#include <perigee/ipc/inet_addr.h>
#include <perigee/messaging/carrier.h>
#include <perigee/transport/transport.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>

namespace perigee::transport {

class UdpPeer;

/// The functions of the shared socket that a peer uses. Any thread.
class UdpPeerOwner {
 public:
  [[nodiscard]] virtual messaging::Carrier carrier() const noexcept = 0;
  /// Sends one datagram. A datagram that the system does not take now is lost.
  virtual IoResult send_to(std::span<const OctetSpan> segments, const ipc::InetAddr& address) = 0;
  /// Called when a transport was made.
  virtual void count_transport() noexcept = 0;
  /// Called when the transport of this peer is being destroyed.
  virtual void forget(UdpPeer& peer) noexcept = 0;

 protected:
  ~UdpPeerOwner() = default;
};

/// A virtual transport: its datagrams are received by the thread of the socket. `receive` never
/// waits, even with Wait::yes.
///
/// The handle is an event of its own, which is raised when a datagram comes into the empty queue.
/// So a reader that receives until the queue is empty misses nothing.
class UdpPeer final : public Transport {
 public:
  /// The limit of octets that wait for the reader; further datagrams are dropped. An empty queue
  /// takes any datagram.
  static constexpr std::size_t queue_size_max = std::size_t{64} * 1024;
  /// Each datagram counts as this many octets more, because its place in the queue needs memory.
  static constexpr std::size_t datagram_overhead = 64;

  UdpPeer(std::shared_ptr<UdpPeerOwner> socket, const ipc::InetAddr& address, event::Signal signal);
  ~UdpPeer() override { socket_->forget(*this); }
  UdpPeer(const UdpPeer&) = delete;
  UdpPeer& operator=(const UdpPeer&) = delete;

  [[nodiscard]] messaging::Carrier carrier() const noexcept override { return socket_->carrier(); }
  IoResult send(std::span<const OctetSpan> segments, Wait /*wait*/) override {
    return socket_->send_to(segments, address_);
  }
  IoResult receive(MutableOctetSpan space, Wait wait) override;
  IoResult set_receive_timeout(std::chrono::microseconds /*timeout*/) override { return {}; }
  IoResult set_send_timeout(std::chrono::microseconds /*timeout*/) override { return {}; }
  void shutdown_send() noexcept override {}
  void interrupt() noexcept override { end(); }
  [[nodiscard]] int readiness_fd() const noexcept override { return signal_.handle(); }
  [[nodiscard]] const std::string& peer() const noexcept override { return peer_; }

  /// @name For the socket
  /// @{
  /// Adds a datagram to the queue. False: the queue is full, and the datagram is lost. Throws
  /// bad_alloc.
  [[nodiscard]] bool put(OctetSpan datagram);
  /// The transport reports the end of the stream when its queue is empty.
  void end() noexcept;
  [[nodiscard]] const ipc::InetAddr& address() const noexcept { return address_; }
  /// Guarded by the mutex of the socket: the place among the peers, if it has one.
  std::list<UdpPeer*>::iterator place;
  bool has_place = false;
  /// @}

 private:
  const std::shared_ptr<UdpPeerOwner> socket_;  // shared by the acceptor and all peers
  const ipc::InetAddr address_;
  const std::string peer_;
  const event::Signal signal_;

  std::mutex mutex_;  // guards the members below
  std::deque<Octets> queue_;
  std::size_t queued_ = 0;  // octets, with the overhead of each datagram
  bool ended_ = false;
};

}  // namespace perigee::transport
