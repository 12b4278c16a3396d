// A connected stream socket of any domain as a transport. Private to the transports that use such
// sockets.
#pragma once

#include "transport/stream/bare_transfer.h"
#include <perigee/base/probe.h>
#include <perigee/ipc/io.h>
#include <perigee/ipc/options.h>
#include <perigee/ipc/stream_socket.h>
#include <perigee/transport/transport.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace perigee::transport {

/// Most transfers take one system call. A transfer takes more if a signal interrupts it, or if it
/// sends only a part. One sender and one receiver may work at the same time: each changes only its
/// own time-out.
template <typename Stream>
class StreamTransport final : public Transport {
 public:
  StreamTransport(Stream stream, std::string peer) noexcept
      : stream_(std::move(stream)), peer_(std::move(peer)) {}

  IoResult send(std::span<const OctetSpan> segments, Wait wait) override {
    if (segments.size() != 1) [[unlikely]]
      return send_several(segments, wait);
    const OctetSpan octets = segments.front();
    probe::stamp(probe::Point::send_begins);
    const auto sent = send_bare(stream_.handle(), octets, limit_of_first(wait));
    probe::stamp(probe::Point::sent);
    if (sent.count != octets.size()) [[unlikely]]
      return after_part(octets, sent, wait);
    return {sent.count, IoStatus::ok, 0};
  }
  IoResult receive(MutableOctetSpan space, Wait wait) override {
    probe::stamp(probe::Point::receive_begins);
    const auto received = receive_bare(stream_.handle(), space, limit_of(wait));
    probe::stamp(probe::Point::received);
    if (received.error != 0) [[unlikely]]
      return stopped(0, received.error, wait);
    return {received.count, received.count != 0 ? IoStatus::ok : IoStatus::end_of_stream, 0};
  }
  IoResult set_receive_timeout(std::chrono::microseconds timeout) override {
    return set_timeout<ipc::ReceiveTimeout>(receive_timeout_, timeout);
  }
  IoResult set_send_timeout(std::chrono::microseconds timeout) override {
    return set_timeout<ipc::SendTimeout>(send_timeout_, timeout);
  }
  void shutdown_send() noexcept override { stream_.close_sender(); }
  void interrupt() noexcept override { stream_.interrupt(); }
  [[nodiscard]] int readiness_fd() const noexcept override { return stream_.handle(); }
  [[nodiscard]] const std::string& peer() const noexcept override { return peer_; }
  [[nodiscard]] std::optional<PeerIdentity> peer_identity() const noexcept override {
    if constexpr (is_local) {
      const auto peer = stream_.peer_credentials();
      if (peer) return PeerIdentity{peer->process, peer->user, peer->group};
    }
    return std::nullopt;
  }

 private:
  static constexpr bool is_local = requires(const Stream stream) { stream.peer_credentials(); };

  [[nodiscard]] static constexpr ipc::TimeLimit limit_of(Wait wait) noexcept {
    return wait == Wait::yes ? ipc::forever : ipc::no_wait;
  }
  [[nodiscard]] bool is_limited(Wait wait) const noexcept {
    return wait == Wait::yes && send_timeout_.count() != 0;
  }
  /// The limit of the first system call of a send: see `after_first`.
  [[nodiscard]] ipc::TimeLimit limit_of_first(Wait wait) const noexcept {
    return is_local && is_limited(wait) ? ipc::no_wait : limit_of(wait);
  }

  /// Sends several segments. A gather-write costs the system far more than a write of one segment.
  [[gnu::noinline]] IoResult send_several(std::span<const OctetSpan> segments, Wait wait) noexcept {
    probe::stamp(probe::Point::send_begins);
    const auto sent =
        is_limited(wait)
            ? after_first(segments, ipc::io::send(stream_.handle(), segments, limit_of_first(wait)))
            : ipc::io::send_n(stream_.handle(), segments, limit_of(wait));
    probe::stamp(probe::Point::sent);
    return result_of(sent, wait);
  }
  [[gnu::noinline]] IoResult after_part(OctetSpan octets, ipc::io::Transfer first,
                                        Wait wait) noexcept {
    const auto sent = is_limited(wait)
                          ? after_first({&octets, 1}, first)
                          : ipc::io::send_rest(stream_.handle(), octets, first, limit_of(wait));
    return result_of(sent, wait);
  }
  /// Goes on after `first`, the first system call of a send with a time-out. The send may end with
  /// only a part sent. On a UNIX-domain socket, the system begins the time-out anew for each piece
  /// of the octets, so a peer that reads slowly could prolong a large send. Therefore the first
  /// call on such a socket does not wait. If the first call has sent nothing, a second call sends
  /// only one piece, and waits at most for the time-out.
  ipc::io::Transfer after_first(std::span<const OctetSpan> segments,
                                ipc::io::Transfer first) const noexcept {
    constexpr std::size_t piece_size = 16 * 1024;
    if (!is_local || first.error != EAGAIN || first.count != 0) return first;
    const auto rest = std::ranges::find_if_not(segments, &OctetSpan::empty);
    if (rest == segments.end()) return {};
    const OctetSpan piece = rest->first(std::min(rest->size(), piece_size));
    return ipc::io::send(stream_.handle(), piece, ipc::forever);
  }
  /// A send without waiting that has sent some octets succeeds, also if the queue is full now. The
  /// next send reports that the queue is full.
  static IoResult result_of(ipc::io::Transfer sent, Wait wait) noexcept {
    const bool is_short = wait == Wait::no && sent.error == EAGAIN && sent.count != 0;
    if (sent.error == 0 || is_short) return {sent.count, IoStatus::ok, 0};
    return stopped(sent.count, sent.error, wait);
  }
  /// EAGAIN from a call that may wait: the socket's own time-out has passed.
  [[gnu::noinline]] static IoResult stopped(std::size_t count, int error, Wait wait) noexcept {
    if (error != EAGAIN) return {count, IoStatus::failed, error};
    return {count, wait == Wait::yes ? IoStatus::timed_out : IoStatus::would_block, 0};
  }
  template <typename Option>
  IoResult set_timeout(std::chrono::microseconds& current, std::chrono::microseconds timeout) {
    if (timeout == current) return {};
    if (const auto status = stream_.set(Option{timeout}); !status) {
      return {0, IoStatus::failed, status.error().value()};
    }
    current = timeout;
    return {};
  }

  Stream stream_;
  std::string peer_;
  std::chrono::microseconds receive_timeout_{0};
  std::chrono::microseconds send_timeout_{0};
};

}  // namespace perigee::transport
