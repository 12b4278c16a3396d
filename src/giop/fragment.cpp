// Gathers a finished message for sending. Cuts a large message into GIOP 1.2 fragments. Copies only
// headers: the payload is sent from its own memory. 1.1 is never fragmented (interop fact 8 of
// docs/interop.md).
#include "giop/frame.h"
#include "giop/session.h"

#include <algorithm>

namespace perigee::giop {

namespace {

/// Iterates over the octets of a buffer, own and borrowed, in the order of sending.
class SegmentCursor {
 public:
  /// Starts after the first `own_offset` octets, which must all be own octets.
  SegmentCursor(const cdr::Buffer& buffer, std::size_t own_offset)
      : own_(buffer.own_octets()), borrowed_(buffer.borrowed()), own_offset_(own_offset) {}

  /// Appends the segments of the next `count` octets, which must be there.
  void take(std::size_t count, std::vector<OctetSpan>& segments) {
    while (count != 0) {
      const OctetSpan segment = front(count);
      if (!segment.empty()) segments.push_back(segment);
      count -= segment.size();
    }
  }

 private:
  /// At most `count` octets of the run at the cursor. A run has own or borrowed octets of the
  /// buffer. The cursor advances past the octets.
  OctetSpan front(std::size_t count) {
    const bool any = borrowed_index_ < borrowed_.size();
    if (any && borrowed_[borrowed_index_].own_offset == own_offset_) {
      const OctetSpan run = borrowed_[borrowed_index_].octets.subspan(borrowed_taken_);
      const OctetSpan segment = run.first(std::min(count, run.size()));
      borrowed_taken_ += segment.size();
      if (segment.size() == run.size()) {
        ++borrowed_index_;
        borrowed_taken_ = 0;
      }
      return segment;
    }
    const std::size_t end = any ? borrowed_[borrowed_index_].own_offset : own_.size();
    const OctetSpan segment = own_.subspan(own_offset_, std::min(count, end - own_offset_));
    own_offset_ += segment.size();
    return segment;
  }

  OctetSpan own_;
  const std::vector<cdr::Buffer::Borrowed>& borrowed_;
  std::size_t own_offset_;
  std::size_t borrowed_index_ = 0;
  std::size_t borrowed_taken_ = 0;
};

bool is_fragmentable(OctetSpan message) {
  if (is_lite(message.data())) return false;
  const Version version{std::to_integer<std::uint8_t>(message[4]),
                        std::to_integer<std::uint8_t>(message[5])};
  return version.minor >= 2 &&
         can_be_fragmented(static_cast<FrameType>(message[type_offset]), version);
}

/// Writes the frame header of one piece: that of the message, with other flags and size.
void write_piece_header(std::byte* place, OctetSpan message, std::size_t piece_size, bool more) {
  std::memcpy(place, message.data(), size_offset);
  if (more) place[flags_offset] |= std::byte{flag_more_fragments};
  const bool little = (message[flags_offset] & std::byte{flag_little_endian}) != std::byte{0};
  store_ulong(place + size_offset, static_cast<std::uint32_t>(piece_size - frame_header_size),
              little ? std::endian::little : std::endian::big);
}

void write_fragment_header(std::byte* place, OctetSpan message, std::size_t piece_size, bool more) {
  write_piece_header(place, message, piece_size, more);
  place[type_offset] = std::byte{static_cast<std::uint8_t>(FrameType::fragment)};
  // The request id is the first field of every message that may be fragmented in 1.2.
  std::memcpy(place + frame_header_size, message.data() + frame_header_size, 4);
}

}  // namespace

// CORBA 3.0, 15.4.9. All pieces except the last have `piece_size` octets, a multiple of 8. The
// header of a fragment has 16 octets. So the alignment is the same as in the whole message (interop
// fact 7 of docs/interop.md).
void GiopSession::gather(const cdr::Buffer& message, std::vector<OctetSpan>& segments,
                         Octets& fragment_headers) const {
  constexpr std::size_t piece_size_min = 32;
  const std::size_t piece_size =
      std::max<std::size_t>(limits().fragment_size & ~std::size_t{7}, piece_size_min);
  const OctetSpan own = message.own_octets();
  if (message.size() <= limits().fragment_size || message.size() <= piece_size || !fragments_ ||
      !is_fragmentable(own))
    return message.gather(segments);

  const std::size_t payload_max = piece_size - identified_header_size;
  std::size_t left = message.size() - piece_size;
  const std::size_t fragments = (left + payload_max - 1) / payload_max;
  // Gets its final size now, because segments will point into it.
  fragment_headers.resize(frame_header_size + fragments * identified_header_size);
  std::byte* header = fragment_headers.data();

  write_piece_header(header, own, piece_size, true);
  segments.emplace_back(header, frame_header_size);
  header += frame_header_size;
  SegmentCursor cursor(message, frame_header_size);
  cursor.take(piece_size - frame_header_size, segments);
  while (left != 0) {
    const std::size_t payload = std::min(left, payload_max);
    left -= payload;
    write_fragment_header(header, own, identified_header_size + payload, left != 0);
    segments.emplace_back(header, identified_header_size);
    header += identified_header_size;
    cursor.take(payload, segments);
  }
}

}  // namespace perigee::giop
