// A second parser of GIOP frame headers, from the code before the engine. Only fuzz_inbox uses it,
// to compare its results with those of the inbox.
#pragma once

#include "giop/frame.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <expected>

namespace perigee::fuzz {

using namespace perigee::giop;

struct FrameHeader {
  std::size_t total = 0;  ///< octets of the message, including this header
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

/// Reads a GIOPlite header from at least twelve octets.
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
  // Each message contains at least a request id, so it has at least twelve octets.
  if (header.total < frame_header_size) return std::unexpected(FramingError::bad_header);
  return header;
}

/// Reads the header at the front of at least twelve octets, and checks the fields that can be
/// checked without context. Source: CORBA 3.0, 15.4.1.
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
  // 1.0 has a boolean byte_order here, which has the same values as bit 0.
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

}  // namespace perigee::fuzz
