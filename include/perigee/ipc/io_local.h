// The system calls that only UNIX-domain sockets have: for handles and credentials, for records,
// and pairs. A transfer that succeeds at once is inline; the rest is in src/ipc. Use the wrappers.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/ipc/control_data.h>
#include <perigee/ipc/handle.h>
#include <perigee/ipc/io.h>
#include <perigee/ipc/result.h>
#include <perigee/ipc/spipe_addr.h>
#include <perigee/ipc/system_calls.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>
#include <utility>

namespace perigee::ipc {

/// The process that made the other end of a local connection, as it was at that time. The operating
/// system reports it.
struct PeerCredentials {
  std::int32_t process = 0;
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  friend constexpr bool operator==(const PeerCredentials&, const PeerCredentials&) = default;
};

/// The result of a receive of octets with handles.
struct ReceivedHandles {
  Received octets;
  std::size_t handle_count = 0;  ///< in the first elements of the caller's space
};

namespace io {

/// The largest number of handles in one message.
inline constexpr std::size_t handles_max = system_calls::handles_max;

/// A transfer that also says whether there was a message: octets of a stream, or a record.
struct MessageTransfer {
  std::size_t count = 0;
  std::size_t handle_count = 0;
  int error = 0;
  bool is_end = false;  ///< the peer has closed its side; there was no message
};

/// @name The parts of the inline functions below that are in src/ipc. They continue after a call
/// that has just failed, and close the handles of a message if not all could be taken. See io.h.
/// @{
PERIGEE_API Transfer send_message_again(int fd, const system_calls::Message& message,
                                        TimeLimit limit) noexcept;
PERIGEE_API Transfer recv_message_again(int fd, system_calls::Message& message,
                                        TimeLimit limit) noexcept;
/// Closes all `arrived` handles that came with a message; the first ones are in `handles`. Returns
/// the errno to report.
PERIGEE_API int refuse_handles(const system_calls::Message& message, std::span<Handle> handles,
                               std::size_t arrived) noexcept;
/// @}

/// Sends or receives one message. Sets only the flags that every transfer sets.
[[gnu::always_inline]] inline Transfer send_message(int fd, const system_calls::Message& message,
                                                    TimeLimit limit) noexcept {
  const auto count = system_calls::perigee_system_sendmsg(
      fd, &message, system_calls::no_signal | flags_within(limit));
  if (count >= 0) [[likely]]
    return {static_cast<std::size_t>(count), 0};
  return send_message_again(fd, message, limit);
}
[[gnu::always_inline]] inline Transfer recv_message(int fd, system_calls::Message& message,
                                                    TimeLimit limit) noexcept {
  const auto count = system_calls::perigee_system_recvmsg(
      fd, &message, system_calls::close_on_exec | flags_within(limit));
  if (count >= 0) [[likely]]
    return {static_cast<std::size_t>(count), 0};
  return recv_message_again(fd, message, limit);
}

/// @name Octets with handles, to and from the name in `message`, if it has one.
/// @{
[[gnu::always_inline]] inline Transfer send_with_handles(int fd, OctetSpan octets,
                                                         std::span<const int> handles,
                                                         system_calls::Message& message,
                                                         TimeLimit limit) noexcept {
  system_calls::HandlesControl control;
  if (handles.size() > handles_max) return {0, static_cast<int>(std::errc::invalid_argument)};
  message.vectors = system_calls::vectors_of(std::span<const OctetSpan>(&octets, 1));
  message.vector_count = 1;
  if (!handles.empty()) {
    message.control = &control;
    message.control_size = control.set(handles);
  }
  return send_message(fd, message, limit);
}
/// Takes all handles or none. A part of the handles would be useless, and handles without an owner
/// would leak.
[[gnu::always_inline]] inline MessageTransfer recv_with_handles(int fd, MutableOctetSpan space,
                                                                std::span<Handle> handles,
                                                                system_calls::Message& message,
                                                                TimeLimit limit) noexcept {
  system_calls::HandlesSpace control;
  message.vectors = system_calls::vectors_of(std::span<const MutableOctetSpan>(&space, 1));
  message.vector_count = 1;
  message.control = &control;
  message.control_size = control.size_for(handles.size());
  const Transfer moved = recv_message(fd, message, limit);
  if (moved.error != 0) [[unlikely]]
    return {0, 0, moved.error};
  std::size_t arrived = 0;
  system_calls::for_each_handle(message, [&](int passed) {
    if (arrived < handles.size()) handles[arrived] = Handle(passed);
    ++arrived;
  });
  constexpr int any_cut = system_calls::cut | system_calls::control_cut;
  if (arrived > handles.size() || (message.flags & any_cut) != 0) [[unlikely]]
    return {0, 0, refuse_handles(message, handles, arrived)};
  return {moved.count, arrived};
}
/// @}

/// Sends one message of `octets` with `handles`, which the caller keeps. On a stream, `octets` must
/// not be empty. A stream may send fewer octets, but sends all handles with them.
[[gnu::always_inline]] inline Transfer send_handles(int fd, OctetSpan octets,
                                                    std::span<const int> handles,
                                                    TimeLimit limit) noexcept {
  system_calls::Message message;
  return send_with_handles(fd, octets, handles, message, limit);
}
/// Receives octets of one message, and its handles, close-on-exec, into the first elements of
/// `handles`. Handles that were in these elements are closed. Errors: EMSGSIZE (more handles than
/// fit), EMFILE (more than the process may have): then all handles of the message are closed, and
/// its octets are lost.
[[gnu::always_inline]] inline MessageTransfer recv_handles(int fd, MutableOctetSpan space,
                                                           std::span<Handle> handles,
                                                           TimeLimit limit) noexcept {
  system_calls::Message message;
  MessageTransfer result = recv_with_handles(fd, space, handles, message, limit);
  result.is_end = result.count == 0;
  return result;
}
PERIGEE_API Result<PeerCredentials> peer_credentials(int fd);

/// @name Records (SOCK_SEQPACKET). A record is sent whole or not at all.
/// @{
PERIGEE_API Transfer send_record(int fd, std::span<const OctetSpan> segments,
                                 TimeLimit limit) noexcept;
/// A received message as a record. Each record comes with its sender's credentials (see
/// keep_records). The end of the stream has no credentials; it gives 0 octets, like an empty
/// record.
inline MessageTransfer record_of(const system_calls::Message& message, Transfer moved) noexcept {
  if (moved.error != 0) [[unlikely]]
    return {0, 0, moved.error};
  if ((message.flags & system_calls::cut) != 0) [[unlikely]]
    return {0, 0, static_cast<int>(std::errc::message_size)};
  return {moved.count, 0, 0, message.control_size == 0};
}
/// Needs a handle for which `keep_records` was called. A record that does not fit is lost
/// (EMSGSIZE). Handles that come with a record are closed.
PERIGEE_API MessageTransfer recv_record(int fd, std::span<const MutableOctetSpan> spaces,
                                        TimeLimit limit) noexcept;
inline MessageTransfer recv_record(int fd, MutableOctetSpan space, TimeLimit limit) noexcept {
  system_calls::CredentialsSpace control;
  system_calls::Vector vector{space.data(), space.size()};
  system_calls::Message message{
      .vectors = &vector, .vector_count = 1, .control = &control, .control_size = sizeof(control)};
  const Transfer moved = recv_message(fd, message, limit);
  return record_of(message, moved);
}
/// `recv_handles` for records: a record must fit, as for `recv_record`.
inline MessageTransfer recv_record_handles(int fd, MutableOctetSpan space,
                                           std::span<Handle> handles, TimeLimit limit) noexcept {
  system_calls::Message message;
  MessageTransfer result = recv_with_handles(fd, space, handles, message, limit);
  result.is_end = message.control_size == 0;
  return result;
}
/// Asks the system to mark each record, so that an empty one differs from the end of the stream.
PERIGEE_API Status keep_records(int fd) noexcept;

PERIGEE_API Result<Handle> open_stream(const SPipeAddr& address, Blocking blocking);
PERIGEE_API Status connect(int fd, const SPipeAddr& remote, TimeLimit limit);
PERIGEE_API Status start_connect(int fd, const SPipeAddr& remote);
PERIGEE_API Status listen(int fd, const SPipeAddr& local);
PERIGEE_API Status name_of(int fd, Side side, SPipeAddr& address);
/// @}

/// Two handles that are connected to each other.
PERIGEE_API Result<std::array<Handle, 2>> stream_pair();
PERIGEE_API Result<std::array<Handle, 2>> record_pair();
PERIGEE_API Result<std::array<Handle, 2>> dgram_pair();

}  // namespace io
}  // namespace perigee::ipc
