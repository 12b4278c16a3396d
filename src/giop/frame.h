// The octets in front of every message: twelve for GIOP, eight for GIOPlite. Contains constants,
// and the types of messages that can be fragmented. Knows nothing of message headers.
#pragma once

#include <perigee/base/byte_order.h>
#include <perigee/base/octets.h>
#include <perigee/giop/giop.h>
#include <perigee/messaging/protocol.h>

#include <bit>
#include <cstdint>
#include <cstring>

namespace perigee::giop {

using messaging::FramingError;
using messaging::MessageKind;
using messaging::Version;

inline constexpr std::size_t frame_header_size = 12;
/// The header of a 1.2 fragment: the frame header and the request id. All messages that a fragment
/// can continue also begin with these.
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

/// The header of GIOPlite. It begins with a marker with which no GIOP message begins. Then come
/// bits for the type, the byte order, and the response flags or reply status; two octets of zero;
/// and the size of the rest.
inline constexpr std::size_t lite_header_size = 8;
inline constexpr std::uint8_t lite_marker = 0xb5;
inline constexpr std::size_t lite_bits_offset = 1;
inline constexpr std::size_t lite_size_offset = 4;
inline constexpr std::uint8_t lite_bit_reply = 1;
inline constexpr std::uint8_t lite_bit_little_endian = 2;
/// The first bit of the information, which is a request's response flags or a reply's status.
inline constexpr unsigned lite_information_shift = 2;
inline constexpr std::uint8_t lite_bits_max = 0x1f;

inline bool is_lite(const std::byte* front) noexcept { return *front == std::byte{lite_marker}; }

/// The next multiple of `alignment`, which is four or eight.
constexpr std::size_t aligned(std::size_t size, std::size_t alignment) noexcept {
  return (size + alignment - 1) & ~(alignment - 1);
}

inline std::uint32_t load_ulong(const std::byte* place, std::endian order) noexcept {
  std::uint32_t value;
  std::memcpy(&value, place, sizeof value);
  return order == std::endian::native ? value : reverse_octets(value);
}

inline void store_ulong(std::byte* place, std::uint32_t value, std::endian order) noexcept {
  if (order != std::endian::native) value = reverse_octets(value);
  std::memcpy(place, &value, sizeof value);
}

/// Whether the message may come in fragments (interop facts 7 and 8 of docs/interop.md).
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

}  // namespace perigee::giop
