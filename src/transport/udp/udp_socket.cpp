// Receives the datagrams of all peers, and adds and removes peers.
#include "transport/udp/udp_socket.h"

#include "transport/udp/udp_carrier.h"
#include "transport/udp/udp_peer.h"
#include <perigee/base/log.h>

#include <bit>
#include <cerrno>
#include <chrono>
#include <exception>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace perigee::transport {
namespace {

constexpr std::size_t space_size = std::size_t{64} * 1024;
// The pause after an error of the socket itself, so that the receiving thread does not spin.
constexpr std::chrono::milliseconds pause_after_error{10};

}  // namespace

UdpSocket::UdpSocket(ipc::sock::Dgram socket, ipc::InetAddr::Version version, event::Signal signal,
                     const UdpSocketOptions& options) noexcept
    : socket_(std::move(socket)),
      version_(version),
      signal_(std::move(signal)),
      options_(options) {}

UdpSocket::~UdpSocket() = default;

void UdpSocket::start() {
  thread_ = event::Thread([this] { receive_all(); });
}

std::unique_ptr<Transport> UdpSocket::take_new(Wait wait) {
  std::unique_lock lock(mutex_);
  if (wait == Wait::yes) changed_.wait(lock, [this] { return stopped_ || !new_peers_.empty(); });
  if (new_peers_.empty()) return nullptr;
  std::unique_ptr<Transport> taken = std::move(new_peers_.front());
  new_peers_.pop_front();
  return taken;
}

// A shutdown of an unconnected socket reports an error, but it wakes the receiving thread all the
// same.
void UdpSocket::stop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(stopped_, true)) return;
    for (UdpPeer* const peer : by_silence_) peer->end();
    changed_.notify_all();
  }
  ipc::io::shutdown(socket_.handle(), ipc::io::Direction::receive);
  signal_.raise();
}

bool UdpSocket::stopped() const noexcept {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

void UdpSocket::join() noexcept {
  if (thread_.joinable()) thread_.join();
  NewPeers dropped;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  dropped.swap(new_peers_);
}

messaging::Carrier UdpSocket::carrier() const noexcept {
  messaging::Carrier carrier = udp_carrier(version_);
  if (options_.replies == Replies::no) carrier.flow = messaging::Flow::receive_only;
  return carrier;
}

// Errors concern only this datagram or its peer: a peer cannot end the socket.
IoResult UdpSocket::send_to(std::span<const OctetSpan> segments, const ipc::InetAddr& address) {
  std::size_t size = 0;
  for (const OctetSpan segment : segments) size += segment.size();
  if (size > udp_carrier(version_).datagram_max) return {0, IoStatus::failed, EMSGSIZE};
  if (segments.size() <= ipc::io::segments_max) {
    (void)socket_.send_to(segments, address, ipc::no_wait);
  } else {
    Octets joined;
    joined.reserve(size);
    for (const OctetSpan segment : segments)
      joined.insert(joined.end(), segment.begin(), segment.end());
    (void)socket_.send_to(joined, address, ipc::no_wait);
  }
  return {size, IoStatus::ok, 0};
}

void UdpSocket::receive_all() noexcept {
  std::unique_ptr<std::byte[]> memory;
  while (!stopped()) {
    try {
      if (!memory) memory = std::make_unique_for_overwrite<std::byte[]>(space_size);
      const MutableOctetSpan space(memory.get(), space_size);
      const auto got = socket_.recv_from(space);
      if (got && got->size != 0 && !got->truncated())
        deliver(got->sender, OctetSpan(space).first(got->count));
      if (got) continue;
    } catch (const std::exception& exception) {  // no memory: the datagram is lost
      log::write(log::Level::warning, "udp", exception.what());
    }
    std::this_thread::sleep_for(pause_after_error);
  }
}

void UdpSocket::deliver(const ipc::InetAddr& sender, OctetSpan datagram) {
  if (!deliver_to_known(sender, datagram)) deliver_to_new(sender, datagram);
}

bool UdpSocket::deliver_to_known(const ipc::InetAddr& sender, OctetSpan datagram) {
  const std::lock_guard lock(mutex_);
  const auto found = peers_.find(sender);
  if (found == peers_.end()) return false;
  put(*found->second, datagram);
  return true;
}

// Expects mutex_ to be held.
void UdpSocket::put(UdpPeer& peer, OctetSpan datagram) {
  if (!peer.put(datagram)) return count_dropped();
  by_silence_.splice(by_silence_.end(), by_silence_, peer.place);
}

// Memory is allocated before the lock is taken. Only this thread adds peers.
void UdpSocket::deliver_to_new(const ipc::InetAddr& sender, OctetSpan datagram) {
  const bool has_room = transports_.load() < 2 * options_.peers_max;
  event::Signal signal = has_room ? event::Signal::make() : event::Signal();
  if (!signal) return count_dropped();
  NewPeers made;
  made.push_back(std::make_unique<UdpPeer>(shared_from_this(), sender, std::move(signal)));
  UdpPeer* const peer = made.front().get();
  std::list<UdpPeer*> place{peer};
  Peers entry{{sender, peer}};
  const std::lock_guard lock(mutex_);
  if (stopped_) return count_dropped();
  if (peers_.size() >= options_.peers_max) evict_most_silent();
  peers_.merge(entry);
  by_silence_.splice(by_silence_.end(), place);
  peer->place = std::prev(by_silence_.end());
  peer->has_place = true;
  new_peers_.splice(new_peers_.end(), made);
  signal_.raise();  // also if there is no memory for the datagram: the peer is known from now on
  changed_.notify_one();
  put(*peer, datagram);
}

// Expects mutex_ to be held.
void UdpSocket::evict_most_silent() noexcept {
  UdpPeer* const peer = by_silence_.front();
  by_silence_.pop_front();
  peers_.erase(peer->address());
  peer->has_place = false;
  peer->end();
}

void UdpSocket::forget(UdpPeer& peer) noexcept {
  const std::lock_guard lock(mutex_);
  transports_.fetch_sub(1);
  if (!peer.has_place) return;
  by_silence_.erase(peer.place);
  peers_.erase(peer.address());
}

// Logs at each power of two.
void UdpSocket::count_dropped() noexcept try {
  const std::uint64_t count = dropped_.fetch_add(1) + 1;
  if (!std::has_single_bit(count)) return;
  log::write(log::Level::info, "udp",
             std::to_string(count) + " datagrams dropped: too many peers or full queues");
} catch (const std::exception& exception) {  // no memory for the line
  log::write(log::Level::info, "udp", exception.what());
}

}  // namespace perigee::transport
