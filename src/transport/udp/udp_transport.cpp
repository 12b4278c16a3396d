// Datagrams to and from one server.
#include "transport/udp/udp_transport.h"

#include "transport/inet/listen_address.h"
#include "transport/udp/udp_carrier.h"

#include <cerrno>
#include <utility>

namespace perigee::transport {
namespace {

ipc::TimeLimit limit_of(Wait wait) noexcept {
  return wait == Wait::yes ? ipc::forever : ipc::no_wait;
}

// Errors that mean "this datagram is lost", as a network loses datagrams.
bool is_loss(int code) noexcept { return code == ECONNREFUSED || code == ENOBUFS; }

IoResult stopped(int code, Wait wait) noexcept {
  if (code != EAGAIN) return {0, IoStatus::failed, code};
  return {0, wait == Wait::yes ? IoStatus::timed_out : IoStatus::would_block, 0};
}

ipc::Status send_joined(ipc::sock::CoDgram& socket, std::span<const OctetSpan> segments,
                        ipc::TimeLimit limit) {
  Octets joined;
  for (const OctetSpan segment : segments)
    joined.insert(joined.end(), segment.begin(), segment.end());
  return socket.send(joined, limit);
}

}  // namespace

UdpTransport::UdpTransport(ipc::sock::CoDgram socket, const ipc::InetAddr& peer)
    : socket_(std::move(socket)),
      carrier_(udp_carrier(peer.version())),
      peer_(peer_text(diop_scheme, peer)) {}

// Instead of sending this datagram, the system may report the error of an earlier datagram. A
// second try then sends this datagram.
IoResult UdpTransport::send(std::span<const OctetSpan> segments, Wait wait) {
  std::size_t size = 0;
  for (const OctetSpan segment : segments) size += segment.size();
  for (int tries_left = 2;;) {
    const auto sent = segments.size() <= ipc::io::segments_max
                          ? socket_.send(segments, limit_of(wait))
                          : send_joined(socket_, segments, limit_of(wait));
    if (sent) return {size, IoStatus::ok, 0};
    const int code = sent.error().value();
    if (!is_loss(code)) return stopped(code, wait);
    if (--tries_left == 0) return {size, IoStatus::ok, 0};
  }
}

IoResult UdpTransport::receive(MutableOctetSpan space, Wait wait) {
  for (;;) {
    const auto got = socket_.recv(space, limit_of(wait));
    if (interrupted_.load(std::memory_order_relaxed)) return {0, IoStatus::end_of_stream, 0};
    if (got && got->size != 0 && !got->truncated()) return {got->count, IoStatus::ok, 0};
    if (got || is_loss(got.error().value())) continue;
    return stopped(got.error().value(), wait);
  }
}

IoResult UdpTransport::set_receive_timeout(std::chrono::microseconds timeout) {
  if (receive_timeout_ == timeout) return {};
  const auto status = socket_.set(ipc::ReceiveTimeout{timeout});
  if (!status) return {0, IoStatus::failed, status.error().value()};
  receive_timeout_ = timeout;
  return {};
}

IoResult UdpTransport::set_send_timeout(std::chrono::microseconds timeout) {
  if (send_timeout_ == timeout) return {};
  const auto status = socket_.set(ipc::SendTimeout{timeout});
  if (!status) return {0, IoStatus::failed, status.error().value()};
  send_timeout_ = timeout;
  return {};
}

void UdpTransport::interrupt() noexcept {
  interrupted_.store(true, std::memory_order_relaxed);
  ipc::io::shutdown(socket_.handle(), ipc::io::Direction::both);
}

}  // namespace perigee::transport
