// The frames of valuetypes, and the parts of the decoder that read from chunks.
#include "fixed_octets.h"
#include <perigee/cdr/value_format.h>
#include <perigee/cdr/value_reading.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <new>
#include <utility>

namespace perigee::cdr {

namespace {

bool is_value_tag(std::uint32_t tag) noexcept {
  constexpr std::uint32_t known =
      value_tag | value_codebase_bit | value_type_bits | value_chunked_bit;
  return tag >= value_tag && tag <= value_tag_max && (tag & ~known) == 0;
}

}  // namespace

// ---- chunks ------------------------------------------------------------------------------------

ValueReading* Decoder::values() const noexcept {
  const bool is_values = part_ != nullptr && part_->kind() == DecoderPart::Kind::values;
  return is_values ? static_cast<ValueReading*>(part_) : nullptr;
}

bool Decoder::reads_chunks() const noexcept {
  const ValueReading* const reading = values();
  return reading != nullptr && reading->reads_chunks();
}

// A chunk ends between two numbers. Only padding in front of the next number may be unread. A copy
// of the decoder fails here: the step to the next chunk would change the state that it shares with
// the original.
bool Decoder::begin_next_chunk(std::size_t alignment) noexcept {
  ValueReading& reading = *values();
  if (&reading.decoder_ != this) {
    fail(ErrorKind::bad_value);
    return false;
  }
  if (reading.chunk_.beyond != 0) return reading.continue_chunk(*this);
  const std::size_t padding = (0 - position_) & (alignment - 1);
  if (octets_.size() - position_ > padding || reading.ended_from_ != 0) {
    fail(ErrorKind::bad_value);
    return false;
  }
  reading.leave_chunk(*this);
  const auto size = read<std::uint32_t>();
  if (size == 0 || size >= value_tag) fail(ErrorKind::bad_value);
  return reading.enter_chunk(*this, size);
}

// Collects octets that are divided by chunks. Each number lies in one chunk, and is aligned.
OctetSpan Decoder::read_octets_of_chunks(std::size_t count, std::size_t element_size) noexcept {
  charge(count);
  if (!ok()) return {};
  std::byte* const place = values()->keep(count);
  if (place == nullptr) {
    fail(ErrorKind::memory_full);
    return {};
  }
  for (std::size_t done = 0; done < count;) {
    std::size_t here = std::min(octets_.size() - position_, count - done);
    here -= here % element_size;
    std::memcpy(place + done, octets_.data() + position_, here);
    position_ += here;
    done += here;
    if (done == count) break;
    if (!begin_next_chunk(element_size)) return {};
    align(element_size);
  }
  return {place, count};
}

// A fixed-point number has no size in front: its last octet tells the end.
OctetSpan Decoder::read_fixed_of_chunks(std::size_t size_max) noexcept {
  charge(size_max);
  std::byte* const place = ok() ? values()->keep(size_max) : nullptr;
  if (place == nullptr) {
    fail(ErrorKind::memory_full);
    return {};
  }
  for (std::size_t size = 0; size != size_max && ok();) {
    const auto octet = read<std::uint8_t>();
    place[size++] = std::byte{octet};
    const FixedOctet kind = fixed_octet_kind(octet);
    if (ok() && kind == FixedOctet::last) return {place, size};
    if (kind == FixedOctet::bad) break;
  }
  fail(ErrorKind::bad_value);
  return {};
}

// In fragments of GIOP 1.1, a chunk may begin in one piece of the message and end in another.
void ValueReading::enter_chunks(Decoder& decoder) noexcept {
  chunk_.beyond = 0;
  chunk_.piece_rest = decoder.octets_.size() - decoder.position_;
  decoder.beyond_ = decoder.remaining();
  decoder.octets_ = decoder.octets_.first(decoder.position_);
  chunk_.is_read = decoder.ok();
}

bool ValueReading::enter_chunk(Decoder& decoder, std::uint32_t size) noexcept {
  if (size > decoder.remaining()) decoder.fail(ErrorKind::bad_length);
  if (!decoder.ok()) return false;
  chunk_.beyond = size;
  show_chunk(decoder);
  chunk_.is_read = true;
  return true;
}

void ValueReading::show_chunk(Decoder& decoder) noexcept {
  const std::size_t in_piece = decoder.octets_.size() - decoder.position_;
  const std::size_t shown = std::min(chunk_.beyond, in_piece);
  chunk_.beyond -= shown;
  chunk_.piece_rest = in_piece - shown;
  decoder.beyond_ += chunk_.piece_rest;
  decoder.octets_ = decoder.octets_.first(decoder.position_ + shown);
}

bool ValueReading::continue_chunk(Decoder& decoder) noexcept {
  chunk_.is_read = false;
  if (!decoder.begin_next_piece(1)) return false;
  show_chunk(decoder);
  chunk_.is_read = true;
  return true;
}

void ValueReading::leave_chunk(Decoder& decoder) noexcept {
  if (!chunk_.is_read || !decoder.ok()) return;
  skip_chunk_rest(decoder);
  decoder.position_ = decoder.octets_.size();
  const bool has_pieces = decoder.next_sizes_ != nullptr;
  const std::size_t rest =
      has_pieces ? std::min(chunk_.piece_rest, decoder.beyond_) : decoder.beyond_;
  decoder.octets_ = {decoder.octets_.data(), decoder.octets_.size() + rest};
  decoder.beyond_ -= rest;
  chunk_.is_read = false;
}

// Skips the pieces of the chunk after the current piece.
void ValueReading::skip_chunk_rest(Decoder& decoder) noexcept {
  while (chunk_.beyond != 0 && decoder.ok()) {
    decoder.position_ = decoder.octets_.size();
    if (!continue_chunk(decoder)) return;
  }
}

std::byte* ValueReading::keep(std::size_t size) noexcept try {
  kept_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
  return kept_.back().get();
} catch (const std::bad_alloc&) {
  return nullptr;
}

// ---- marks -------------------------------------------------------------------------------------

DecoderMark::DecoderMark(Decoder& decoder, Before before) noexcept
    : decoder_(decoder), start_(decoder), before_(before) {
  ValueReading* const values = decoder.values();
  if (values == nullptr) return;
  chunk_ = values->chunk_;
  kept_count_ = values->kept_.size();
  if (before != Before::values) return;
  entry_count_ = values->entries_.size();
  id_count_ = values->ids_.size();
  value_count_ = values->value_count_;
  level_ = values->level_;
  ended_from_ = values->ended_from_;
  has_sharing_ = values->has_sharing_;
  only_looks_ = std::exchange(values->only_looks_, true);
}

void DecoderMark::go_back() noexcept {
  const auto granted_kib = decoder_.granted_kib_;
  const auto free_steps_left = decoder_.free_steps_left_;
  decoder_ = start_;
  // The ORB has already counted this memory, and must not count it twice.
  const std::uint64_t left = granted_kib * Decoder::kib - decoder_.charged();
  if (left <= ~std::uint32_t{0}) {
    decoder_.granted_kib_ = granted_kib;
    decoder_.memory_left_ = static_cast<std::uint32_t>(left);
  }
  ValueReading* const values = decoder_.values();
  if (values == nullptr) return;
  values->chunk_ = chunk_;
  values->kept_.resize(kept_count_);
  if (before_ != Before::values) return;
  decoder_.free_steps_left_ = free_steps_left;
  values->entries_.resize(entry_count_);
  values->ids_.resize(id_count_);
  values->value_count_ = value_count_;
  values->level_ = level_;
  values->ended_from_ = ended_from_;
  values->has_sharing_ = has_sharing_;
  values->only_looks_ = only_looks_;
}

// ---- the reading -------------------------------------------------------------------------------

ValueReading::ValueReading(Decoder& decoder, Landed landed) noexcept
    : DecoderPart(Kind::values), decoder_(decoder), start_(decoder.remaining()) {
  if (decoder.values() != nullptr) return;
  if (decoder.landed() != nullptr) {
    if (landed == Landed::keep) return;
    (void)decoder.join_landed();  // a failure fails the decoder
  }
  decoder.part_ = this;
  is_active_ = true;
}

ValueReading::~ValueReading() {
  if (!is_active_) return;
  leave_chunk(decoder_);
  decoder_.part_ = nullptr;
}

// ---- indirections ------------------------------------------------------------------------------

ValueReading::Entry* ValueReading::add(Decoder& decoder, std::size_t behind, Place place) {
  decoder.charge(sizeof(Entry) + sizeof(std::string_view));
  if (!decoder.ok()) return nullptr;
  return &entries_.emplace_back(Entry{behind, 0, 0, place});
}

const ValueReading::Entry* ValueReading::entry_at(std::size_t behind_distance,
                                                  std::int32_t distance) const noexcept {
  if (distance >= 0) return nullptr;
  const std::uint64_t wanted =
      behind_distance + static_cast<std::uint64_t>(-std::int64_t{distance});
  const auto found = std::ranges::lower_bound(entries_, wanted, std::greater<>(), &Entry::behind);
  return found != entries_.end() && found->behind == wanted ? &*found : nullptr;
}

// Reads the distance after an indirection tag. The distance counts from its own position. A list
// of ids that is being read has no count yet, so it cannot refer to itself.
const ValueReading::Entry* ValueReading::find_earlier(Decoder& decoder, Place place) {
  const std::size_t behind_distance = decoder.remaining();
  const auto distance = decoder.read<std::int32_t>();
  return known_place(decoder, behind_distance, distance, place);
}

const ValueReading::Entry* ValueReading::known_place(Decoder& decoder, std::size_t behind_distance,
                                                     std::int32_t distance, Place place) {
  const Entry* const found = entry_at(behind_distance, distance);
  const bool is_found =
      found != nullptr && found->place == place && (place == Place::value || found->count != 0);
  if (decoder.ok() && is_found) return found;
  decoder.fail(ErrorKind::bad_value);
  return nullptr;
}

void ValueReading::count_id_steps(Decoder& decoder, std::uint64_t steps) noexcept {
  constexpr std::uint64_t steps_of_octet = 256;
  id_steps_ += steps;
  const std::uint64_t paid = (start_ - decoder.remaining()) * steps_of_octet;
  if (id_steps_ <= paid) return;
  decoder.count_steps(id_steps_ - paid);
  id_steps_ = paid;
}

// ---- headers -----------------------------------------------------------------------------------

ValueHeader ValueReading::begin(Decoder& decoder) {
  if (level_ != 0) {
    if (ended_from_ != 0) decoder.fail(ErrorKind::bad_value);
    if (!decoder.ok()) return {};
    const std::size_t padding = (0 - decoder.position_) & 3U;
    const bool is_in_chunk =
        decoder.octets_.size() - decoder.position_ > padding || chunk_.beyond != 0;
    if (chunk_.is_read && is_in_chunk) return begin_in_chunk(decoder);
    leave_chunk(decoder);
  }
  decoder.align(4);
  const std::size_t behind = decoder.remaining();
  const auto tag = decoder.read<std::uint32_t>();
  if (level_ != 0 && tag != null_value_tag && tag < value_tag)
    return enter_chunk(decoder, tag) ? begin_in_chunk(decoder) : ValueHeader{};
  ValueHeader header;
  if (tag == null_value_tag)
    header.kind = ValueHeader::Kind::null;
  else if (tag == value_indirection_tag)
    header = read_earlier(decoder);
  else
    header = read_value(decoder, tag, behind);
  if (!decoder.ok()) return {};
  if (level_ != 0) enter_chunks(decoder);
  return header;
}

// Values with state stand between chunks. Null and indirections stand in chunks, since their tags
// mean something else between chunks: 0 is reserved, and 0xffffffff is the end of level 1. omniORB
// and the ORB of the JDK do the same. Null and indirections outside of chunks are accepted where a
// value must follow.
ValueHeader ValueReading::begin_in_chunk(Decoder& decoder) {
  const auto tag = decoder.read<std::uint32_t>();
  ValueHeader header;
  if (tag == null_value_tag)
    header.kind = ValueHeader::Kind::null;
  else if (tag == value_indirection_tag)
    header = read_earlier(decoder);
  else
    decoder.fail(ErrorKind::bad_value);
  return decoder.ok() ? header : ValueHeader{};
}

ValueHeader ValueReading::read_earlier(Decoder& decoder) {
  ValueHeader header;
  const std::size_t behind_distance = decoder.remaining();
  const auto distance = decoder.read<std::int32_t>();
  if (distance > 0 && static_cast<std::uint32_t>(distance) <= outer_count_) {
    header.kind = ValueHeader::Kind::outer;
    header.number = static_cast<std::uint32_t>(distance) - 1;
    return header;
  }
  const Entry* const earlier = known_place(decoder, behind_distance, distance, Place::value);
  if (earlier == nullptr) return header;
  has_sharing_ = true;
  header.kind = ValueHeader::Kind::earlier;
  header.number = earlier->first;
  return header;
}

ValueHeader ValueReading::read_value(Decoder& decoder, std::uint32_t tag, std::size_t behind) {
  ValueHeader header;
  header.kind = ValueHeader::Kind::state;
  header.is_chunked = (tag & value_chunked_bit) != 0;
  if (!is_value_tag(tag) || (level_ != 0 && !header.is_chunked)) decoder.fail(ErrorKind::bad_value);
  Entry* const entry = add(decoder, behind, Place::value);
  if (entry == nullptr) return {};
  header.number = entry->first = value_count_++;
  if ((tag & value_codebase_bit) != 0) read_codebase(decoder);
  header.ids = read_types(decoder, tag);
  if (!header.is_chunked || !decoder.ok()) return header;
  ++level_;
  return header;
}

// The URL is not used: it names no code that a C++ program could load.
void ValueReading::read_codebase(Decoder& decoder) {
  decoder.align(4);
  const std::size_t behind = decoder.remaining();
  Decoder ahead = decoder;
  if (ahead.read<std::uint32_t>() == value_indirection_tag) {
    decoder = ahead;
    (void)find_earlier(decoder, Place::codebase);
    return;
  }
  (void)decoder.read_string_view();
  if (Entry* const entry = add(decoder, behind, Place::codebase)) entry->count = 1;
}

std::span<const std::string_view> ValueReading::read_types(Decoder& decoder, std::uint32_t tag) {
  switch (tag & value_type_bits) {
    case value_without_type:
      return {};
    case value_with_id:
      return read_id(decoder);
    case value_with_ids:
      return read_ids(decoder);
    default:
      decoder.fail(ErrorKind::bad_value);
      return {};
  }
}

std::span<const std::string_view> ValueReading::read_id(Decoder& decoder) {
  decoder.align(4);
  const std::size_t behind = decoder.remaining();
  Decoder ahead = decoder;
  if (ahead.read<std::uint32_t>() == value_indirection_tag) {
    decoder = ahead;
    const Entry* const earlier = find_earlier(decoder, Place::id);
    return earlier == nullptr ? std::span<const std::string_view>()
                              : std::span(ids_).subspan(earlier->first, 1);
  }
  Entry* const entry = add(decoder, behind, Place::id);
  const std::string_view id = decoder.read_string_view();
  if (id.size() > value_id_size_max) decoder.fail(ErrorKind::too_large);
  if (entry == nullptr || !decoder.ok()) return {};
  entry->first = static_cast<std::uint32_t>(ids_.size());
  entry->count = 1;
  ids_.push_back(id);
  return std::span(ids_).last(1);
}

std::span<const std::string_view> ValueReading::read_ids(Decoder& decoder) {
  decoder.align(4);
  const std::size_t behind = decoder.remaining();
  const auto count = decoder.read<std::uint32_t>();
  if (count == value_indirection_tag) {
    const Entry* const earlier = find_earlier(decoder, Place::ids);
    if (earlier == nullptr) return {};
    return std::span(ids_).subspan(earlier->first, earlier->count);
  }
  if (count == 0) decoder.fail(ErrorKind::bad_value);
  if (count > value_ids_max) decoder.fail(ErrorKind::too_large);
  const std::size_t list = entries_.size();
  if (add(decoder, behind, Place::ids) == nullptr) return {};
  std::array<std::string_view, value_ids_max> ids;
  for (std::size_t index = 0; index != count; ++index) {
    const std::span<const std::string_view> one = read_id(decoder);
    if (one.empty()) return {};
    ids[index] = one.front();
  }
  decoder.charge(count * sizeof(std::string_view));
  entries_[list].first = static_cast<std::uint32_t>(ids_.size());
  entries_[list].count = count;
  ids_.insert(ids_.end(), ids.begin(), ids.begin() + count);
  return std::span(ids_).last(count);
}

// ---- ends --------------------------------------------------------------------------------------

void ValueReading::end_chunked(Decoder& decoder, Rest rest) {
  if (ended_from_ == 0) find_end(decoder, rest);
  if (ended_from_ == level_) ended_from_ = 0;
  --level_;
  if (!decoder.ok()) return;
  if (level_ != 0)
    enter_chunks(decoder);
  else
    leave_chunk(decoder);
}

// An end tag is the negative level of the outermost value that ends.
void ValueReading::find_end(Decoder& decoder, Rest rest) {
  const bool has_rest = decoder.octets_.size() != decoder.position_ || chunk_.beyond != 0;
  if (rest == Rest::refuse && has_rest) return decoder.fail(ErrorKind::bad_value);
  leave_chunk(decoder);
  const std::uint32_t own_level = level_;
  std::uint32_t open = own_level;  // the level of the innermost open value, which may be skipped
  while (decoder.ok()) {
    decoder.align(4);
    const std::size_t behind = decoder.remaining();
    const auto tag = decoder.read<std::uint32_t>();
    std::uint32_t ended_from = 0;
    if (tag > value_tag_max)
      ended_from = 0 - tag;
    else if (rest == Rest::refuse)
      decoder.fail(ErrorKind::bad_value);
    else if (is_value_tag(tag))
      ended_from = skip_value(decoder, tag, behind, open);
    else
      skip_chunk(decoder, tag);
    if (ended_from > open) return decoder.fail(ErrorKind::bad_value);
    if (ended_from != 0) open = ended_from - 1;
    if (open < own_level) {
      ended_from_ = ended_from;
      return;
    }
  }
}

void ValueReading::skip_chunk(Decoder& decoder, std::uint32_t size) {
  if (size >= value_tag) return decoder.fail(ErrorKind::bad_value);
  if (size > decoder.remaining()) return decoder.fail(ErrorKind::bad_length);
  decoder.skip(size);
}

// Decodes a value of a known type, because later indirections may refer to it. Of any other value,
// reads only the header: then this value is open, and the caller reads its state. Returns the
// lowest level whose value has ended, or 0 if no value has ended.
std::uint32_t ValueReading::skip_value(Decoder& decoder, std::uint32_t tag, std::size_t behind,
                                       std::uint32_t& open) {
  const std::uint32_t own_level = level_;
  const std::size_t entry = entries_.size();
  level_ = open;
  const ValueHeader header = read_value(decoder, tag, behind);  // one level deeper
  if (decoder.ok()) enter_chunks(decoder);
  std::uint32_t ended_from = 0;
  if (decoder.ok() && !only_looks_ && decode_skipped(decoder, header)) {
    ended_from = ended_from_;
  } else if (decoder.ok()) {
    entries_[entry].place = Place::skipped_value;
    ++open;
  }
  leave_chunk(decoder);
  ended_from_ = 0;
  level_ = own_level;
  return ended_from;
}

bool ValueReading::decode_skipped(Decoder& /*decoder*/, const ValueHeader& /*header*/) {
  return false;
}

}  // namespace perigee::cdr
