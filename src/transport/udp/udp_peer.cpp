// The queue of one peer.
#include "transport/udp/udp_peer.h"

#include "transport/inet/listen_address.h"
#include "transport/udp/udp_carrier.h"

#include <algorithm>
#include <utility>

namespace perigee::transport {

UdpPeer::UdpPeer(std::shared_ptr<UdpPeerOwner> socket, const ipc::InetAddr& address,
                 event::Signal signal)
    : Transport(Features{.is_virtual = true}),
      socket_(std::move(socket)),
      address_(address),
      peer_(peer_text(diop_scheme, address)),
      signal_(std::move(signal)) {
  socket_->count_transport();
}

// A datagram that is larger than the space is lost, as on a socket.
IoResult UdpPeer::receive(MutableOctetSpan space, Wait wait) {
  for (;;) {
    Octets datagram;
    {
      const std::lock_guard lock(mutex_);
      if (queue_.empty()) {
        if (ended_) return {0, IoStatus::end_of_stream, 0};
        return {0, wait == Wait::yes ? IoStatus::timed_out : IoStatus::would_block, 0};
      }
      datagram = std::move(queue_.front());
      queue_.pop_front();
      queued_ -= datagram.size() + datagram_overhead;
    }
    if (datagram.size() > space.size()) continue;
    std::ranges::copy(datagram, space.begin());
    return {datagram.size(), IoStatus::ok, 0};
  }
}

bool UdpPeer::put(OctetSpan datagram) {
  Octets copy(datagram.begin(), datagram.end());
  const std::lock_guard lock(mutex_);
  const std::size_t cost = copy.size() + datagram_overhead;
  const bool was_empty = queue_.empty();
  if (ended_ || (!was_empty && queued_ + cost > queue_size_max)) return false;
  queue_.push_back(std::move(copy));
  queued_ += cost;
  if (was_empty) signal_.raise();
  return true;
}

void UdpPeer::end() noexcept {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(ended_, true)) signal_.raise();
}

}  // namespace perigee::transport
