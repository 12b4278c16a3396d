// The frames of valuetypes. Before a frame is copied, ValueReading has read and checked it.
#include "bridge/rewriting/value_frames.h"

#include <perigee/base/byte_order.h>
#include <perigee/cdr/value_format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace perigee::bridge {

using cdr::Decoder;
using cdr::ErrorKind;
using cdr::ValueHeader;

namespace {

constexpr std::size_t tag_size = 4;
constexpr std::size_t phases = 8;  // the largest alignment of CDR

}  // namespace

// --- Places ---

Decoder ValueFrames::at(std::size_t offset) const noexcept {
  Decoder decoder = offset < offset_of(latest_) ? start_ : latest_;
  const std::size_t count = offset - offset_of(decoder);
  passed_ += count;
  ++searches_;
  decoder.skip(count);
  return decoder;
}

// The offset at which a number of four octets begins.
std::size_t ValueFrames::aligned(std::size_t offset) const noexcept {
  Decoder decoder = at(offset);
  decoder.align(tag_size);
  return offset_of(decoder);
}

void ValueFrames::remember(std::size_t from) {
  in_.charge(sizeof(Place));
  if (in_.ok()) places_.push_back({from, out_.position()});
}

const ValueFrames::Place* ValueFrames::find(std::size_t from) const noexcept {
  const auto found = std::ranges::lower_bound(places_, from, {}, &Place::from);
  return found != places_.end() && found->from == from ? &*found : nullptr;
}

// --- Headers ---

ValueHeader ValueFrames::copy_header() {
  const std::size_t before = offset();
  ValueHeader header = begin(in_);
  switch (header.kind) {
    case ValueHeader::Kind::none:
      break;
    case ValueHeader::Kind::null:
      copy_tag_without_state(tag_size);
      break;
    case ValueHeader::Kind::earlier:
      copy_tag_without_state(2 * tag_size);
      break;
    case ValueHeader::Kind::state:
      copy_front(aligned(level_ == 0 ? before : chunk_end_));
      break;
    case ValueHeader::Kind::outer:  // only in values of this process
      in_.fail(ErrorKind::bad_value);
      break;
  }
  return in_.ok() ? header : ValueHeader{};
}

// In a chunked value, null and indirections stand in chunks. ValueReading also accepts them between
// chunks, where no chunk size stands in front of them.
//
// Such tags are not counted. So the next search begins at this tag: each piece is passed once.
void ValueFrames::copy_tag_without_state(std::size_t size) {
  const std::size_t tag = offset() - size;
  if (level_ != 0 && tag >= chunk_end_ && tag == aligned(chunk_end_)) {
    end_chunk();
    chunk_end_ = offset();
  }
  follow();
  if (!in_.ok()) return;
  latest_ = at(tag);
  if (size == tag_size) return out_.write(cdr::null_value_tag);
  Decoder distance = at(tag + tag_size);
  copy_distance(distance);
}

// Values with state stand between chunks.
void ValueFrames::copy_front(std::size_t tag) {
  end_chunk();
  out_.align(tag_size);
  remember(tag);
  latest_ = at(tag);
  Decoder front = latest_;
  const auto bits = front.read<std::uint32_t>();
  out_.write(bits);
  if ((bits & cdr::value_codebase_bit) != 0) copy_text(front);
  if ((bits & cdr::value_type_bits) == cdr::value_with_id) copy_text(front);
  if ((bits & cdr::value_type_bits) == cdr::value_with_ids) copy_ids(front);
  if (!front.ok() || offset_of(front) != offset()) in_.fail(ErrorKind::bad_value);
  if ((bits & cdr::value_chunked_bit) != 0) ++level_;
  chunk_end_ = offset();
}

// A repository id or a URL.
void ValueFrames::copy_text(Decoder& front) {
  front.align(tag_size);
  out_.align(tag_size);
  const std::size_t place = offset_of(front);
  Decoder ahead = front;
  if (ahead.read<std::uint32_t>() == cdr::value_indirection_tag) {
    front = ahead;
    return copy_distance(front);
  }
  remember(place);
  const OctetSpan text = front.read_octet_sequence();
  out_.write_length(text.size());
  out_.write_octets(text);
}

void ValueFrames::copy_ids(Decoder& front) {
  front.align(tag_size);
  out_.align(tag_size);
  const std::size_t place = offset_of(front);
  const auto count = front.read<std::uint32_t>();
  if (count == cdr::value_indirection_tag) return copy_distance(front);
  remember(place);
  out_.write(count);
  for (std::uint32_t index = 0; index != count && front.ok() && in_.ok(); ++index) copy_text(front);
}

// The distance is counted from its own position, after the tag.
void ValueFrames::copy_distance(Decoder& front) {
  const Place* const place = target_at(offset_of(front));
  front.skip(sizeof(std::int32_t));
  if (place == nullptr) return in_.fail(ErrorKind::bad_value);
  out_.write(cdr::value_indirection_tag);
  const std::size_t back = out_.position() - place->to;
  if (back > std::numeric_limits<std::int32_t>::max()) return in_.fail(ErrorKind::too_large);
  out_.write(static_cast<std::int32_t>(0 - static_cast<std::uint32_t>(back)));
}

// --- Chunks ---

// A chunk may hold nothing but padding. So one read may pass several chunks.
void ValueFrames::follow() {
  while (level_ != 0 && in_.ok() && offset() > chunk_end_) {
    const std::size_t place = aligned(chunk_end_);
    latest_ = at(place);
    const auto size = at(place).read<std::uint32_t>();
    if (size == 0 || size >= cdr::value_tag) return in_.fail(ErrorKind::bad_value);
    begin_chunk();
    chunk_end_ = place + tag_size + size;
  }
}

void ValueFrames::begin_chunk() {
  end_chunk();
  out_.write(std::uint32_t{0});
  chunk_size_place_ = out_.buffer().own_size() - tag_size;
  chunk_start_ = out_.position();
  has_chunk_ = true;
}

// There are no empty chunks: 0 means something else.
void ValueFrames::end_chunk() {
  if (!has_chunk_) return;
  has_chunk_ = false;
  const std::size_t size = out_.position() - chunk_start_;
  if (size == 0) return out_.buffer().truncate(chunk_size_place_);
  if (size >= cdr::value_tag) return in_.fail(ErrorKind::too_large);
  out_.patch(chunk_size_place_, static_cast<std::uint32_t>(size));
}

// --- Ends and unread state ---

void ValueFrames::end_state(Rest rest) {
  copied_ = offset();
  end_chunked(in_, rest);  // calls `decode_skipped` for values in the rest
  if (in_.ok()) copy_unread();
}

bool ValueFrames::decode_skipped(Decoder& /*decoder*/, const ValueHeader& header) {
  copy_unread();
  if (in_.ok()) inner_.copy_inner(header);
  copied_ = offset();
  return true;
}

// Copies the frames from `copied_` on: up to the present position of the decoder, or up to the
// header in front of it.
void ValueFrames::copy_unread() {
  const std::size_t end = offset();
  if (copied_ == end) return;
  if (copied_ < chunk_end_) copy_unread_octets(copied_);
  for (std::size_t place = aligned(chunk_end_); in_.ok() && copied_ < end && place < end;
       place = aligned(chunk_end_)) {
    latest_ = at(place);
    const auto tag = at(place).read<std::uint32_t>();
    if (tag > cdr::value_tag_max)
      copy_end_tag(place, tag);
    else if (tag < cdr::value_tag)
      copy_chunk(place, tag);
    else
      return copy_front(place);
  }
}

// An end tag is the negative level of the outermost value that ends.
void ValueFrames::copy_end_tag(std::size_t place, std::uint32_t tag) {
  end_chunk();
  out_.write(tag);
  level_ = 0 - tag - 1;
  chunk_end_ = place + tag_size;
}

void ValueFrames::copy_chunk(std::size_t place, std::uint32_t size) {
  if (size == 0) return in_.fail(ErrorKind::bad_value);
  begin_chunk();
  chunk_end_ = place + tag_size + size;
  copy_unread_octets(place + tag_size);
}

// From an offset in the present chunk to the end of the chunk. In each fragment of GIOP 1.1
// alignment begins anew, so the octets of two fragments cannot be joined.
void ValueFrames::copy_unread_octets(std::size_t from) {
  Decoder unread = at(from);
  const std::size_t position = unread.position();
  const bool is_cut = unread.is_cut_within(chunk_end_ - from);
  const OctetSpan octets = unread.read_octets(chunk_end_ - from);
  if (!unmovable_) {
    has_lost_phase_ = !is_cut && out_.position() % phases != position % phases;
    if (is_cut || has_lost_phase_ || !keeps_indirections(from, octets))
      unmovable_ = {ErrorKind::not_supported, position};
  }
  out_.write_octets(octets);
}

// Unread state may contain indirections, which look like two numbers. Their distances cannot be
// changed, because the numbers may mean something else. So the unchanged distances must be right.
bool ValueFrames::keeps_indirections(std::size_t from, OctetSpan octets) const noexcept {
  const std::size_t end = from + octets.size();
  for (std::size_t tag = aligned(from); tag + tag_size <= end; tag += tag_size) {
    std::uint32_t word = 0;
    std::memcpy(&word, octets.data() + (tag - from), sizeof word);
    if (word != cdr::value_indirection_tag) continue;
    const std::size_t next = tag + tag_size;
    if (next + tag_size <= end && !may_be_distance(octets.subspan(next - from))) continue;
    // The distance may stand in the next chunk, after its size.
    const Place* const place = target_at(next < end ? next : aligned(end) + tag_size);
    if (place != nullptr && place->to - place->from != out_.position() - from) return false;
  }
  return true;
}

// Saves a search for most numbers, since the octets cost the sender nothing. An indirection leads
// at least to the number in front of its tag.
bool ValueFrames::may_be_distance(OctetSpan octets) const noexcept {
  std::uint32_t word = 0;
  std::memcpy(&word, octets.data(), sizeof word);
  if (in_.swaps()) word = reverse_octets(word);
  return static_cast<std::int32_t>(word) <= -static_cast<std::int32_t>(2 * tag_size);
}

const ValueFrames::Place* ValueFrames::target_at(std::size_t distance_offset) const noexcept {
  Decoder decoder = at(distance_offset);
  const std::int64_t distance = decoder.read<std::int32_t>();
  return decoder.ok() ? find(distance_offset + static_cast<std::size_t>(distance)) : nullptr;
}

}  // namespace perigee::bridge
