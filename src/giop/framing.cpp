// Decodes frame headers: sizes, kinds and pieces of messages.
#include "giop/frame.h"
#include "giop/session.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace perigee::giop {

using messaging::Frame;

namespace {

/// The first eight octets of a message, as one word.
using Word = std::array<std::uint8_t, 8>;

constexpr std::uint64_t word_of(const Word& octets) noexcept {
  return std::bit_cast<std::uint64_t>(octets);
}

/// Frame headers of whole requests and replies of 1.2 differ only in two bits: byte order and type.
constexpr std::uint64_t plain_mask = word_of({255, 255, 255, 255, 255, 255, 254, 254});
constexpr std::uint64_t plain_1_2 = word_of({'G', 'I', 'O', 'P', 1, 2, 0, 0});

std::endian order_of(std::uint8_t flags, std::uint8_t little) noexcept {
  return (flags & little) != 0 ? std::endian::little : std::endian::big;
}

/// The size of a frame in octets. If std::size_t has 32 bits, the sum may not fit. The result is
/// then the largest size, which no memory can hold.
std::size_t frame_size(std::size_t header_size, std::uint32_t rest) noexcept {
  const std::size_t size = header_size + std::size_t{rest};
  return size < header_size ? SIZE_MAX : size;
}

/// Every GIOPlite message has a request id, so it has at least twelve octets.
Frame frame_of_lite(const std::byte* front) noexcept {
  const auto bits = std::to_integer<std::uint8_t>(front[lite_bits_offset]);
  const bool reserved_used = front[2] != std::byte{0} || front[3] != std::byte{0};
  if (bits > lite_bits_max || reserved_used) return Frame::bad(FramingError::bad_type);
  Frame frame;
  frame.order = order_of(bits, lite_bit_little_endian);
  frame.total = frame_size(lite_header_size, load_ulong(front + lite_size_offset, frame.order));
  if (frame.total < frame_header_size) return Frame::bad(FramingError::bad_header, frame.total);
  frame.header_size = lite_header_size;
  frame.version = lite_version;
  frame.kind = (bits & lite_bit_reply) != 0 ? MessageKind::reply : MessageKind::request;
  return frame;
}

/// Completes the frame of a piece of a message. Pieces of 1.1 carry no request id, so only one
/// message at a time can be in pieces. Source: CORBA 3.0, 15.4.9; interop facts 7 and 8 of
/// docs/interop.md.
Frame as_piece(Frame frame, FrameType type, OctetSpan front) noexcept {
  if (frame.version.minor >= 2) {
    if (frame.total < identified_header_size)
      return Frame::bad(FramingError::bad_fragment, frame.total);
    if (front.size() < identified_header_size)
      return Frame::need(identified_header_size, frame.total);
    if (frame.more && frame.total % 8 != 0)
      return Frame::bad(FramingError::bad_fragment, frame.total);
    frame.identified = true;
    frame.piece_id = load_ulong(front.data() + frame_header_size, frame.order);
  }
  frame.status = Frame::Status::piece;
  if (type == FrameType::fragment) {
    frame.continuation = true;
    frame.header_size =
        frame.identified ? std::uint16_t{identified_header_size} : std::uint16_t{frame_header_size};
    frame.strip = frame.header_size;
  } else if (!can_be_fragmented(type, frame.version)) {
    return Frame::bad(FramingError::bad_fragment, frame.total);
  }
  return frame;
}

/// Adds the id of the cancelled request, if the message is long enough.
Frame as_cancel(Frame frame, OctetSpan front) noexcept {
  if (frame.total < identified_header_size) return frame;
  if (front.size() < identified_header_size)
    return Frame::need(identified_header_size, frame.total);
  frame.identified = true;
  frame.piece_id = load_ulong(front.data() + frame_header_size, frame.order);
  return frame;
}

/// Any message except GIOPlite. CORBA 3.0, 15.4.1.
Frame frame_of_any(const Word& fixed, OctetSpan front) noexcept {
  if (std::memcmp(fixed.data(), "GIOP", 4) != 0) return Frame::bad(FramingError::bad_magic);
  Frame frame;
  frame.version = {fixed[4], fixed[5]};
  if (frame.version.major != 1 || frame.version.minor > 2)
    return Frame::bad(FramingError::unsupported_version);
  const bool is_1_0 = frame.version.minor == 0;
  const auto type_max = is_1_0 ? FrameType::message_error : FrameType::fragment;
  const auto type = static_cast<FrameType>(fixed[type_offset]);
  if (type > type_max) return Frame::bad(FramingError::bad_type);
  // 1.0 has a boolean byte_order here, which has the same values as bit 0.
  frame.order = order_of(fixed[flags_offset], flag_little_endian);
  frame.more = !is_1_0 && (fixed[flags_offset] & flag_more_fragments) != 0;
  frame.kind = static_cast<MessageKind>(type);
  frame.total = frame_size(frame_header_size, load_ulong(front.data() + size_offset, frame.order));
  frame.header_size = frame_header_size;
  if (frame.more || type == FrameType::fragment) return as_piece(frame, type, front);
  if (type == FrameType::cancel_request) return as_cancel(frame, front);
  return frame;
}

}  // namespace

Frame GiopSession::frame(OctetSpan front) const noexcept {
  if (front.size() < frame_header_size) [[unlikely]]
    return Frame::need(frame_header_size);
  Word fixed;
  std::memcpy(fixed.data(), front.data(), fixed.size());
  const std::uint64_t word = word_of(fixed);
  if ((word & plain_mask) != plain_1_2) [[unlikely]]
    return is_lite(front.data()) ? frame_of_lite(front.data()) : frame_of_any(fixed, front);
  Frame frame;
  frame.kind = static_cast<MessageKind>(fixed[type_offset]);
  frame.order = order_of(fixed[flags_offset], flag_little_endian);
  frame.total = frame_size(frame_header_size, load_ulong(front.data() + size_offset, frame.order));
  frame.header_size = frame_header_size;
  return frame;
}

void GiopSession::join(MutableOctetSpan message, std::size_t size,
                       const Frame& first) const noexcept {
  message[flags_offset] &= ~std::byte{flag_more_fragments};
  store_ulong(message.data() + size_offset, static_cast<std::uint32_t>(size - frame_header_size),
              first.order);
}

}  // namespace perigee::giop
