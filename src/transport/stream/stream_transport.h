// A connected stream socket as a transport, of whatever domain. Private to the transports that are
// made of such sockets.
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

/// One system call a transfer where nothing has to be repeated. One sender and one receiver may
/// work at the same time: each touches only its own time-out.
template <typename Stream>
class StreamTransport final : public Transport {
 public:
  StreamTransport(Stream stream, std::string peer) noexcept
      : stream_(std::move(stream)), peer_(std::move(peer)) {}

  IoResult send(std::span<const OctetSpan> segments, Wait wait) override {
    const auto limit = wait == Wait::yes ? ipc::forever : ipc::no_wait;
    const bool limited = wait == Wait::yes && send_timeout_.count() != 0;
    probe::stamp(probe::Point::send_begins);
    const auto sent = limited ? send_limited(segments) : send_all(segments, limit);
    probe::stamp(probe::Point::sent);
    if (sent.error == 0) return {sent.count, IoStatus::ok, 0};
    // Some octets went and the queue is full: a short send, which the next one finds out about.
    if (wait == Wait::no && sent.error == EAGAIN && sent.count != 0) {
      return {sent.count, IoStatus::ok, 0};
    }
    return stopped(sent.count, sent.error, wait);
  }
  IoResult receive(MutableOctetSpan space, Wait wait) override {
    const auto limit = wait == Wait::yes ? ipc::forever : ipc::no_wait;
    probe::stamp(probe::Point::receive_begins);
    const auto received = receive_bare(stream_.handle(), space, limit);
    probe::stamp(probe::Point::received);
    if (received.error != 0) return stopped(0, received.error, wait);
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

  /// A call that gathers costs the system far more than one that does not.
  [[nodiscard]] ipc::io::Transfer send_once(std::span<const OctetSpan> segments,
                                            ipc::TimeLimit limit) const noexcept {
    if (segments.size() == 1) [[likely]]
      return send_bare(stream_.handle(), segments.front(), limit);
    return ipc::io::send(stream_.handle(), segments, limit);
  }
  [[nodiscard]] ipc::io::Transfer send_all(std::span<const OctetSpan> segments,
                                           ipc::TimeLimit limit) const noexcept {
    if (segments.size() != 1) return ipc::io::send_n(stream_.handle(), segments, limit);
    const auto first = send_bare(stream_.handle(), segments.front(), limit);
    if (first.count == segments.front().size()) [[likely]]
      return first;
    return ipc::io::send_rest(stream_.handle(), segments.front(), first, limit);
  }

  /// Comes back after the time-out, though perhaps with a part only. The system obeys it for each
  /// piece of a local send anew, so that who reads a little now and then could make a large one
  /// last: such a send waits for one piece.
  ipc::io::Transfer send_limited(std::span<const OctetSpan> segments) noexcept {
    constexpr std::size_t piece_size = 16 * 1024;
    if constexpr (!is_local) return send_once(segments, ipc::forever);
    const auto sent = send_once(segments, ipc::no_wait);
    if (sent.error != EAGAIN || sent.count != 0) return sent;
    const auto rest = std::ranges::find_if_not(segments, &OctetSpan::empty);
    if (rest == segments.end()) return {};
    const OctetSpan piece = rest->first(std::min(rest->size(), piece_size));
    return ipc::io::send(stream_.handle(), piece, ipc::forever);
  }
  /// EAGAIN from a call that may wait: the socket's own time-out has passed.
  static IoResult stopped(std::size_t count, int error, Wait wait) noexcept {
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
