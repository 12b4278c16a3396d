// The frames of valuetypes, and the parts of the decoder that read from chunks.
#include <perigee/cdr/value_format.h>
#include <perigee/cdr/value_reading.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <new>

namespace perigee::cdr {

namespace {

// Reads never leave octets of a chunk unread, except padding in front of the next number.
constexpr std::size_t padding_max = 7;

bool is_value_tag(std::uint32_t tag) noexcept {
  constexpr std::uint32_t known =
      value_tag | value_codebase_bit | value_type_bits | value_chunked_bit;
  return tag >= value_tag && tag <= value_tag_max && (tag & ~known) == 0;
}

}  // namespace

// ---- chunks ------------------------------------------------------------------------------------

bool Decoder::reads_chunks() const noexcept {
  return values_ != nullptr && values_->reads_chunks();
}

bool Decoder::begin_next_chunk() noexcept {
  if (octets_.size() - position_ > padding_max || values_->ended_from_ != 0) {
    fail(ErrorKind::bad_value);
    return false;
  }
  values_->leave_chunk(*this);
  const auto size = read<std::uint32_t>();
  if (size == 0 || size >= value_tag) fail(ErrorKind::bad_value);
  return values_->enter_chunk(*this, size);
}

// Collects octets that are divided by chunks. Each number lies in one chunk, and is aligned.
OctetSpan Decoder::read_octets_of_chunks(std::size_t count, std::size_t element_size) noexcept {
  charge(count);
  if (!ok()) return {};
  std::byte* const place = values_->keep(count);
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
    if (!begin_next_chunk()) return {};
    align(element_size);
  }
  return {place, count};
}

void ValueReading::enter_chunks(Decoder& decoder) noexcept {
  decoder.beyond_ = decoder.remaining();
  decoder.octets_ = decoder.octets_.first(decoder.position_);
  reads_chunks_ = decoder.ok();
}

bool ValueReading::enter_chunk(Decoder& decoder, std::uint32_t size) noexcept {
  if (size > decoder.remaining()) decoder.fail(ErrorKind::bad_length);
  if (!decoder.ok()) return false;
  decoder.beyond_ = decoder.remaining() - size;
  decoder.octets_ = decoder.octets_.first(decoder.position_ + size);
  reads_chunks_ = true;
  return true;
}

void ValueReading::leave_chunk(Decoder& decoder) noexcept {
  if (!reads_chunks_ || !decoder.ok()) return;
  decoder.position_ = decoder.octets_.size();
  decoder.octets_ = {decoder.octets_.data(), decoder.octets_.size() + decoder.beyond_};
  decoder.beyond_ = 0;
  reads_chunks_ = false;
}

std::byte* ValueReading::keep(std::size_t size) noexcept try {
  kept_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
  return kept_.back().get();
} catch (const std::bad_alloc&) {
  return nullptr;
}

// ---- the reading -------------------------------------------------------------------------------

ValueReading::ValueReading(Decoder& decoder) noexcept : decoder_(decoder) {
  if (decoder.values_ != nullptr) return;
  decoder.values_ = this;
  is_active_ = true;
}

ValueReading::~ValueReading() {
  if (!is_active_) return;
  leave_chunk(decoder_);
  decoder_.values_ = nullptr;
}

// ---- indirections ------------------------------------------------------------------------------

ValueReading::Entry* ValueReading::add(Decoder& decoder, std::size_t behind, Kind kind) {
  decoder.charge(sizeof(Entry) + sizeof(std::string_view));
  if (!decoder.ok()) return nullptr;
  return &entries_.emplace_back(Entry{behind, 0, 0, kind});
}

const ValueReading::Entry* ValueReading::entry_at(std::size_t behind_distance,
                                                  std::int32_t distance) const noexcept {
  if (distance >= 0) return nullptr;
  const std::uint64_t wanted =
      behind_distance + static_cast<std::uint64_t>(-std::int64_t{distance});
  const auto found = std::ranges::lower_bound(entries_, wanted, std::greater<>(), &Entry::behind);
  return found != entries_.end() && found->behind == wanted ? &*found : nullptr;
}

// Reads the distance behind an indirection tag. The distance counts from its own position. A list
// of ids that is being read has no count yet, so it cannot refer to itself.
const ValueReading::Entry* ValueReading::find_earlier(Decoder& decoder, Kind kind) {
  const std::size_t behind_distance = decoder.remaining();
  const auto distance = decoder.read<std::int32_t>();
  const Entry* const found = entry_at(behind_distance, distance);
  const bool is_found =
      found != nullptr && found->kind == kind && (kind == Kind::value || found->count != 0);
  if (decoder.ok() && is_found) return found;
  decoder.fail(ErrorKind::bad_value);
  return nullptr;
}

// ---- headers -----------------------------------------------------------------------------------

ValueHeader ValueReading::begin(Decoder& decoder) {
  if (level_ != 0) {
    if (ended_from_ != 0) decoder.fail(ErrorKind::bad_value);
    if (!decoder.ok()) return {};
    const std::size_t padding = (0 - decoder.position_) & 3U;
    if (reads_chunks_ && decoder.octets_.size() - decoder.position_ > padding)
      return begin_in_chunk(decoder);
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
// mean something else between chunks: 0 is reserved, and 0xffffffff is the end of level 1. So do
// omniORB and the ORB of the JDK. Outside of chunks, they are accepted where a value must follow.
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
  const Entry* const earlier = find_earlier(decoder, Kind::value);
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
  if (header.is_chunked && decoder.next_sizes_ != nullptr && decoder.beyond_ != 0)
    decoder.fail(ErrorKind::not_supported);
  Entry* const entry = add(decoder, behind, Kind::value);
  if (entry == nullptr) return {};
  header.number = entry->first = value_count_++;
  if ((tag & value_codebase_bit) != 0) read_codebase(decoder);
  header.ids = read_types(decoder, tag);
  if (!header.is_chunked || !decoder.ok()) return header;
  if (decoder.landed_ != nullptr && !decoder.join_landed()) return {};
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
    (void)find_earlier(decoder, Kind::codebase);
    return;
  }
  (void)decoder.read_string_view();
  if (Entry* const entry = add(decoder, behind, Kind::codebase)) entry->count = 1;
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
    const Entry* const earlier = find_earlier(decoder, Kind::id);
    return earlier == nullptr ? std::span<const std::string_view>()
                              : std::span(ids_).subspan(earlier->first, 1);
  }
  Entry* const entry = add(decoder, behind, Kind::id);
  const std::string_view id = decoder.read_string_view();
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
    const Entry* const earlier = find_earlier(decoder, Kind::ids);
    if (earlier == nullptr) return {};
    return std::span(ids_).subspan(earlier->first, earlier->count);
  }
  if (count == 0) decoder.fail(ErrorKind::bad_value);
  if (count > value_ids_max) decoder.fail(ErrorKind::too_large);
  const std::size_t list = entries_.size();
  if (add(decoder, behind, Kind::ids) == nullptr) return {};
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
  if (rest == Rest::refuse && decoder.octets_.size() != decoder.position_)
    return decoder.fail(ErrorKind::bad_value);
  leave_chunk(decoder);
  std::uint64_t open = level_;  // with the skipped values
  while (decoder.ok()) {
    const auto tag = decoder.read<std::uint32_t>();
    if (tag <= value_tag_max) {
      if (rest == Rest::refuse) return decoder.fail(ErrorKind::bad_value);
      skip_state(decoder, tag);
      if (is_value_tag(tag)) ++open;
      continue;
    }
    const std::uint32_t level = 0 - tag;
    if (level > open) return decoder.fail(ErrorKind::bad_value);
    open = level - 1;
    if (level > level_) continue;
    ended_from_ = level;
    return;
  }
}

// Skips one chunk, or the front of a value. Indirections to skipped
// values are errors, but those to their ids are not.
void ValueReading::skip_state(Decoder& decoder, std::uint32_t tag) {
  if (tag == null_value_tag) return;
  if (tag < value_tag) {
    if (tag > decoder.remaining()) return decoder.fail(ErrorKind::bad_length);
    return decoder.skip(tag);
  }
  if (!is_value_tag(tag) || (tag & value_chunked_bit) == 0)
    return decoder.fail(ErrorKind::bad_value);
  add(decoder, decoder.remaining() + sizeof tag, Kind::skipped_value);
  if ((tag & value_codebase_bit) != 0) read_codebase(decoder);
  (void)read_types(decoder, tag);
}

}  // namespace perigee::cdr
