// What stands in front of every message: the twelve octets of GIOP, or the eight of GIOPlite.
// Reading and writing them, and what may follow. Knows nothing of message headers.
#pragma once

#include <perigee/base/byte_order.h>
#include <perigee/base/octets.h>
#include <perigee/giop/giop.h>
#include <perigee/messaging/protocol.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <expected>

namespace perigee::giop {

using messaging::FramingError;
using messaging::MessageKind;
using messaging::Version;

inline constexpr std::size_t frame_header_size = 12;
/// A 1.2 fragment has its request id in front of the payload; so have all messages that it
/// continues.
inline constexpr std::size_t identified_header_size = 16;
inline constexpr std::uint8_t flag_little_endian = 1;
inline constexpr std::uint8_t flag_more_fragments = 2;
inline constexpr std::size_t flags_offset = 6;
inline constexpr std::size_t type_offset = 7;
inline constexpr std::size_t size_offset = 8;

/// CORBA 3.0, 15.4.1: message types. The first seven are MessageKind's.
enum class FrameType : std::uint8_t {
  request,
  reply,
  cancel_request,
  locate_request,
  locate_reply,
  close_connection,
  message_error,
  fragment,
};
static_assert(static_cast<int>(MessageKind::locate_reply) ==
              static_cast<int>(FrameType::locate_reply));
static_assert(static_cast<int>(MessageKind::message_error) ==
              static_cast<int>(FrameType::message_error));

/// GIOPlite: the marker, which begins no GIOP message; bits of a type, order and information; two
/// octets of zero; the size of what follows.
inline constexpr std::size_t lite_header_size = 8;
inline constexpr std::uint8_t lite_marker = 0xb5;
inline constexpr std::size_t lite_bits_offset = 1;
inline constexpr std::size_t lite_size_offset = 4;
inline constexpr std::uint8_t lite_bit_reply = 1;
inline constexpr std::uint8_t lite_bit_little_endian = 2;
/// Response flags of a request, or status of a reply.
inline constexpr unsigned lite_information_shift = 2;
inline constexpr std::uint8_t lite_bits_max = 0x1f;

inline bool is_lite(const std::byte* front) noexcept { return *front == std::byte{lite_marker}; }

struct FrameHeader {
  std::size_t total = 0;  ///< octets of the message, this header included
  std::size_t header_size = frame_header_size;
  FrameType type = FrameType::message_error;
  Version version;
  std::endian order = std::endian::little;
  bool more_fragments = false;

  /// Whether the frame is a part of a fragmented message.
  [[nodiscard]] bool is_piece() const noexcept {
    return more_fragments || type == FrameType::fragment;
  }
};

inline std::uint32_t load_ulong(const std::byte* place, std::endian order) noexcept {
  std::uint32_t value;
  std::memcpy(&value, place, sizeof value);
  return order == std::endian::native ? value : reverse_octets(value);
}

inline void store_ulong(std::byte* place, std::uint32_t value, std::endian order) noexcept {
  if (order != std::endian::native) value = reverse_octets(value);
  std::memcpy(place, &value, sizeof value);
}

/// Which messages may come in fragments (interop facts 7 and 8).
inline bool can_be_fragmented(FrameType type, Version version) noexcept {
  switch (type) {
    case FrameType::request:
    case FrameType::reply:
      return version.minor >= 1;
    case FrameType::locate_request:
    case FrameType::locate_reply:
      return version.minor >= 2;
    default:
      return false;
  }
}

/// There is a request id, at least, in each: so it has twelve octets, too.
inline std::expected<FrameHeader, FramingError> parse_lite_header(
    const std::byte* front, std::size_t message_size_max) noexcept {
  const auto bits = std::to_integer<std::uint8_t>(front[lite_bits_offset]);
  const bool reserved_used = front[2] != std::byte{0} || front[3] != std::byte{0};
  if (bits > lite_bits_max || reserved_used) return std::unexpected(FramingError::bad_type);
  FrameHeader header;
  header.header_size = lite_header_size;
  header.version = lite_version;
  header.order = (bits & lite_bit_little_endian) != 0 ? std::endian::little : std::endian::big;
  header.type = (bits & lite_bit_reply) != 0 ? FrameType::reply : FrameType::request;
  header.total = lite_header_size + load_ulong(front + lite_size_offset, header.order);
  if (header.total > message_size_max) return std::unexpected(FramingError::too_large);
  if (header.total < frame_header_size) return std::unexpected(FramingError::bad_header);
  return header;
}

/// Reads the header at the front of at least twelve octets, and checks all that can be checked
/// alone. Source: CORBA 3.0, 15.4.1.
inline std::expected<FrameHeader, FramingError> parse_frame_header(
    const std::byte* front, std::size_t message_size_max) noexcept {
  if (is_lite(front)) return parse_lite_header(front, message_size_max);
  std::array<std::uint8_t, 8> fixed;
  std::memcpy(fixed.data(), front, fixed.size());
  if (std::memcmp(fixed.data(), "GIOP", 4) != 0) return std::unexpected(FramingError::bad_magic);
  FrameHeader header;
  header.version = {fixed[4], fixed[5]};
  if (header.version.major != 1 || header.version.minor > 2)
    return std::unexpected(FramingError::unsupported_version);
  // 1.0 has a boolean byte_order here, whose values are those of bit 0.
  header.order =
      (fixed[flags_offset] & flag_little_endian) != 0 ? std::endian::little : std::endian::big;
  header.more_fragments =
      header.version.minor > 0 && (fixed[flags_offset] & flag_more_fragments) != 0;
  const auto type_max = header.version.minor > 0 ? FrameType::fragment : FrameType::message_error;
  if (fixed[type_offset] > static_cast<std::uint8_t>(type_max))
    return std::unexpected(FramingError::bad_type);
  header.type = static_cast<FrameType>(fixed[type_offset]);
  header.total = frame_header_size + load_ulong(front + size_offset, header.order);
  if (header.total > message_size_max) return std::unexpected(FramingError::too_large);
  return header;
}

}  // namespace perigee::giop
