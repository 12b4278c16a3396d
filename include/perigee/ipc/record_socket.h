// A connected stream of records: a record that is sent in one piece is received in one piece.
// spipe.h names the concrete types. All functions are inline, none is virtual.
#pragma once

#include <perigee/ipc/io_local.h>
#include <perigee/ipc/stream_socket.h>

#include <cstddef>
#include <span>
#include <utility>

namespace perigee::ipc {

/// One sender and one receiver may work at the same time.
template <typename Domain>
class RecordSocket : public ConnectedSocket<RecordSocket<Domain>, typename Domain::Address> {
 public:
  static constexpr SocketKinds kind = Domain::stream_kind;

  /// The new object is not open.
  RecordSocket() noexcept = default;

  /// Sends one record, whole or not at all; it may be empty. Never raises SIGPIPE.
  /// Errors: `message_size` if it is larger than the send buffer.
  [[nodiscard]] Status send(OctetSpan record, TimeLimit limit = forever) noexcept {
    return detail::done(io::send(this->handle(), record, limit));
  }
  /// One record of all segments, at most `io::segments_max` (else `message_size`).
  [[nodiscard]] Status send(std::span<const OctetSpan> segments,
                            TimeLimit limit = forever) noexcept {
    return detail::done(io::send_record(this->handle(), segments, limit));
  }
  /// Receives one record, or returns the end of the stream. `Received::octets(0)` is an empty
  /// record. A record that does not fit is lost (`message_size`); no part of it is received.
  [[nodiscard]] Result<Received> recv(MutableOctetSpan space, TimeLimit limit = forever) noexcept {
    return detail::received_message(io::recv_record(this->handle(), space, limit));
  }
  /// One record into several spaces, in order.
  [[nodiscard]] Result<Received> recv(std::span<const MutableOctetSpan> spaces,
                                      TimeLimit limit = forever) noexcept {
    return detail::received_message(io::recv_record(this->handle(), spaces, limit));
  }

  /// Sends a record with open handles, at most `io::handles_max`, which stay open here.
  [[nodiscard, gnu::always_inline]] Status send_handles(OctetSpan record,
                                                        std::span<const int> handles,
                                                        TimeLimit limit = forever) noexcept {
    return detail::done(io::send_handles(this->handle(), record, handles, limit));
  }
  /// Receives a record with its handles, close-on-exec, into the first elements of `handles`.
  /// Errors: `message_size` (more octets or handles than fit) and `too_many_files_open`: the
  /// record is lost, and its handles are closed.
  [[nodiscard, gnu::always_inline]] Result<ReceivedHandles> recv_handles(
      MutableOctetSpan space, std::span<Handle> handles, TimeLimit limit = forever) noexcept {
    return detail::received_handles(io::recv_record_handles(this->handle(), space, handles, limit));
  }
  [[nodiscard]] Result<PeerCredentials> peer_credentials() const {
    return io::peer_credentials(this->handle());
  }

 private:
  friend struct detail::Opened;
  template <typename>
  friend class StreamAcceptor;
  template <typename>
  friend class StreamConnector;
  template <typename>
  friend class PendingStream;

  explicit RecordSocket(Handle handle) noexcept
      : RecordSocket::ConnectedSocket(std::move(handle)) {}
};

}  // namespace perigee::ipc
