// The system calls that only UNIX-domain sockets have: handles and credentials that travel with
// octets, records, pairs. Declared once here and defined in src/ipc, as io.h. Use the wrappers.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/ipc/handle.h>
#include <perigee/ipc/io.h>
#include <perigee/ipc/result.h>
#include <perigee/ipc/spipe_addr.h>
#include <perigee/ipc/system_calls.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace perigee::ipc {

/// Who made the other end of a local connection: as it was then, and vouched for by the system.
struct PeerCredentials {
  std::int32_t process = 0;
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  friend constexpr bool operator==(const PeerCredentials&, const PeerCredentials&) = default;
};

/// What a receive of octets with handles got.
struct ReceivedHandles {
  Received octets;
  std::size_t handle_count = 0;  ///< in the first elements of the caller's space
};

namespace io {

/// Most handles that one message carries (the system's SCM_MAX_FD).
inline constexpr std::size_t handles_max = 253;

/// A transfer that says, too, whether there was a message: octets of a stream, or a record.
struct MessageTransfer {
  std::size_t count = 0;
  std::size_t handle_count = 0;
  int error = 0;
  bool is_end = false;  ///< the peer has closed its side; there was no message
};

/// One message of `octets` with `handles`, which stay the caller's. Streams may send fewer octets,
/// with all handles, and need one octet at least.
PERIGEE_API Transfer send_handles(int fd, OctetSpan octets, std::span<const int> handles,
                                  TimeLimit limit) noexcept;
/// Receives octets of one message, and its handles, close-on-exec, into the first elements of
/// `handles` (what these held is closed). More handles than fit: EMSGSIZE; more than the process
/// may have: EMFILE. All of the message's handles are closed then, and its octets are lost.
PERIGEE_API MessageTransfer recv_handles(int fd, MutableOctetSpan space, std::span<Handle> handles,
                                         TimeLimit limit) noexcept;
PERIGEE_API Result<PeerCredentials> peer_credentials(int fd);

/// @name Records (SOCK_SEQPACKET). A record is sent whole or not at all.
/// @{
PERIGEE_API Transfer send_record(int fd, std::span<const OctetSpan> segments,
                                 TimeLimit limit) noexcept;
/// Only from handles for which `keep_records` was called. A record that does not fit: EMSGSIZE; it
/// is lost. Handles that came with it are closed.
PERIGEE_API MessageTransfer recv_record(int fd, std::span<const MutableOctetSpan> spaces,
                                        TimeLimit limit) noexcept;
/// What `recv_record` into one space leaves to src/ipc; see io.h.
PERIGEE_API MessageTransfer recv_record_again(int fd, MutableOctetSpan space,
                                              TimeLimit limit) noexcept;
PERIGEE_API MessageTransfer truncated_record() noexcept;
/// `recv_record` into one space.
inline MessageTransfer recv_record(int fd, MutableOctetSpan space, TimeLimit limit) noexcept {
  system_calls::CredentialsSpace control;
  system_calls::Vector vector{space.data(), space.size()};
  system_calls::Message message{
      .vectors = &vector, .vector_count = 1, .control = &control, .control_size = sizeof(control)};
  const auto count = system_calls::perigee_system_recvmsg(
      fd, &message, system_calls::close_on_exec | flags_within(limit));
  if (count >= 0) [[likely]] {
    if ((message.flags & system_calls::whole_size) != 0) return truncated_record();
    return {static_cast<std::size_t>(count), 0, 0, message.control_size == 0};
  }
  return recv_record_again(fd, space, limit);
}
/// `recv_handles` for records: they must fit, as for `recv_record`.
PERIGEE_API MessageTransfer recv_record_handles(int fd, MutableOctetSpan space,
                                                std::span<Handle> handles,
                                                TimeLimit limit) noexcept;
/// Asks the system to mark each record, so that an empty one differs from the end of the stream.
PERIGEE_API Status keep_records(int fd) noexcept;

PERIGEE_API Result<Handle> open_stream(const SPipeAddr& address, Blocking blocking);
PERIGEE_API Status connect(int fd, const SPipeAddr& remote, TimeLimit limit);
PERIGEE_API Status start_connect(int fd, const SPipeAddr& remote);
PERIGEE_API Status listen(int fd, const SPipeAddr& local);
PERIGEE_API Status name_of(int fd, Side side, SPipeAddr& address);
/// @}

/// Two handles that are connected with each other.
PERIGEE_API Result<std::array<Handle, 2>> stream_pair();
PERIGEE_API Result<std::array<Handle, 2>> record_pair();
PERIGEE_API Result<std::array<Handle, 2>> dgram_pair();

}  // namespace io
}  // namespace perigee::ipc
