// The socket of a UDP endpoint of a server, the thread that receives from it, and the peers that
// have sent to it. Private to transport/udp.
#pragma once

#include "event/thread.h"
#include "transport/udp/udp_peer.h"
#include <perigee/base/io_error.h>
#include <perigee/base/octets.h>
#include <perigee/event/signal.h>
#include <perigee/ipc/inet_addr.h>
#include <perigee/ipc/sock.h>
#include <perigee/messaging/carrier.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>

namespace perigee::transport {

/// Whether a server sends replies to peers whose addresses may be forged.
enum class Replies : std::uint8_t { no, yes };

struct UdpSocketOptions {
  std::uint32_t peers_max = 1;
  Replies replies = Replies::no;
};

/// Any thread. Owned by the acceptor and by each peer: a reply may leave after the acceptor was
/// destroyed.
///
/// One thread receives. It puts each datagram into the queue of its peer. The first datagram of an
/// address makes a new peer, which waits in `new_peers_` until it is accepted.
///
/// Sender addresses can be forged, so the number of peers is limited. A new peer beyond `peers_max`
/// takes the place of the peer that has been silent for the longest time. The transport of that
/// peer ends; replies to its requests still leave. While 2 * `peers_max` transports exist,
/// datagrams of new peers are dropped.
///
/// Invariant: peers_ and by_silence_ have the same peers; transports_ counts these, and the peers
/// that have lost their places and still exist.
class UdpSocket final : public UdpPeerOwner, public std::enable_shared_from_this<UdpSocket> {
 public:
  UdpSocket(ipc::sock::Dgram socket, ipc::InetAddr::Version version, event::Signal signal,
            const UdpSocketOptions& options) noexcept;
  ~UdpSocket();
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;

  /// @name For the acceptor
  /// @{
  /// Starts the receiving thread. Throws std::system_error if the system has no thread left.
  void start();
  /// The next new peer; null: there is none. Wait::yes: waits for one, until `stop`.
  [[nodiscard]] std::unique_ptr<Transport> take_new(Wait wait);
  /// Receives nothing more. All transports end when their queues are empty.
  void stop() noexcept;
  [[nodiscard]] bool stopped() const noexcept;
  /// Waits for the receiving thread, and drops the peers that were never accepted.
  void join() noexcept;
  /// Datagrams that were dropped for lack of room.
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_.load(); }
  /// Becomes readable when there is a new peer.
  [[nodiscard]] int readiness_fd() const noexcept { return signal_.handle(); }
  /// @}

  /// @name For peers
  /// @{
  [[nodiscard]] messaging::Carrier carrier() const noexcept override;
  void count_transport() noexcept override { transports_.fetch_add(1); }
  IoResult send_to(std::span<const OctetSpan> segments, const ipc::InetAddr& address) override;
  void forget(UdpPeer& peer) noexcept override;
  /// @}

 private:
  using Peers = std::map<ipc::InetAddr, UdpPeer*>;
  using NewPeers = std::list<std::unique_ptr<UdpPeer>>;

  void receive_all() noexcept;
  void deliver(const ipc::InetAddr& sender, OctetSpan datagram);
  [[nodiscard]] bool deliver_to_known(const ipc::InetAddr& sender, OctetSpan datagram);
  void deliver_to_new(const ipc::InetAddr& sender, OctetSpan datagram);
  void put(UdpPeer& peer, OctetSpan datagram);
  void evict_most_silent() noexcept;
  void count_dropped() noexcept;

  ipc::sock::Dgram socket_;
  const ipc::InetAddr::Version version_;
  const event::Signal signal_;
  const UdpSocketOptions options_;
  event::Thread thread_;
  std::atomic<std::uint32_t> transports_{0};
  std::atomic<std::uint64_t> dropped_{0};

  // Guards the members below. No transport is destroyed while the mutex is held.
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  Peers peers_;
  std::list<UdpPeer*> by_silence_;  // the peer that has been silent for the longest time first
  NewPeers new_peers_;
};

}  // namespace perigee::transport
