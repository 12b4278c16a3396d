// Control data: data beside the octets of a message. The layout is that of the system's macros
// (CMSG_…); src/ipc/system_calls.cpp compares the two layouts. The inline transfers use these
// types, because they include no header of the system: see system_calls.h. Programs use the
// wrappers instead.
#pragma once

#include <perigee/ipc/system_calls.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace perigee::ipc::system_calls {

/// @name The supported parts: handles (SOL_SOCKET, SCM_RIGHTS), and the link of a datagram
/// (IPPROTO_IP, IP_PKTINFO).
/// @{
inline constexpr int socket_level = 1;
inline constexpr int handles_part = 1;
inline constexpr int ip_level = 0;
inline constexpr int link_part = 8;
/// @}

/// Like cmsghdr: begins each part. Its data follow, and the next part is aligned.
struct ControlHeader {
  std::size_t size;  ///< the size of the header and its data
  int level;
  int type;
};

/// Whether a part with an odd number of `int` ends with padding. It does if std::size_t has 64
/// bits.
inline constexpr bool has_padding = alignof(ControlHeader) > sizeof(int);

/// The octets that a part with data of this size takes.
[[nodiscard]] constexpr std::size_t part_space(std::size_t data_size) noexcept {
  constexpr std::size_t mask = alignof(ControlHeader) - 1;
  return sizeof(ControlHeader) + ((data_size + mask) & ~mask);
}

/// The largest number of handles in one message (the system's SCM_MAX_FD).
inline constexpr std::size_t handles_max = 253;

/// Control data with handles to send. Not initialised: only the used part is written.
struct HandlesControl {
  ControlHeader header;
  int handles[handles_max + (has_padding ? handles_max % 2 : 0)];

  /// Sets the handles, at most `handles_max`, and returns the octets that they take.
  std::size_t set(std::span<const int> lent) noexcept {
    header = {sizeof(header) + lent.size_bytes(), socket_level, handles_part};
    if (has_padding && lent.size() % 2 != 0) handles[lent.size()] = 0;  // the padding is sent, too
    std::memcpy(handles, lent.data(), lent.size_bytes());
    return part_space(lent.size_bytes());
  }
};

/// Control data with the link by which a datagram leaves (in_pktinfo).
struct LinkControl {
  ControlHeader header{sizeof(header) + 3 * sizeof(int), ip_level, link_part};
  int index = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  struct Nothing {};
  [[no_unique_address]] std::conditional_t<has_padding, std::uint32_t, Nothing> padding{};
};

/// Room for a sender's credentials, which this library does not read.
struct alignas(ControlHeader) CredentialsSpace {
  std::byte octets[part_space(3 * sizeof(int))];  // not initialised: the kernel fills it in
};

/// Room for credentials and handles.
struct alignas(ControlHeader) HandlesSpace {
  std::byte octets[sizeof(CredentialsSpace) + sizeof(HandlesControl)];  // not initialised

  /// The octets to offer for so many handles. Some sockets also receive credentials, so room for
  /// them is added. Sockets without credentials use this room for handles; surplus handles are
  /// counted and closed.
  [[nodiscard]] static constexpr std::size_t size_for(std::size_t handle_count) noexcept {
    if (handle_count > handles_max) handle_count = handles_max;
    return sizeof(CredentialsSpace) + part_space(handle_count * sizeof(int));
  }
};

/// Calls `visit` with each handle that came with a message.
template <typename Visit>
void for_each_handle(const Message& message, Visit&& visit) noexcept {
  const auto* part = static_cast<const std::byte*>(message.control);
  const std::byte* const end = part + message.control_size;
  ControlHeader header;
  for (; part + sizeof(header) <= end; part += part_space(header.size - sizeof(header))) {
    std::memcpy(&header, part, sizeof(header));
    if (header.level != socket_level || header.type != handles_part) continue;
    for (std::size_t offset = sizeof(header); offset < header.size; offset += sizeof(int)) {
      int fd = 0;
      std::memcpy(&fd, part + offset, sizeof(int));
      visit(fd);
    }
  }
}

}  // namespace perigee::ipc::system_calls
