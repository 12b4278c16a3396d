// The frames of valuetypes.
#include <perigee/cdr/value_format.h>
#include <perigee/cdr/value_writing.h>

#include <limits>

namespace perigee::cdr {

// The buffer of an encoder keeps the pointer, because encoders are made more often than buffers.
// The encoder of an encapsulation shares the buffer of the message's encoder, so the pointer may
// belong to the other encoder.
ValueWriting* Encoder::values() const noexcept {
  ValueWriting* const values = buffer_->values_;
  return values != nullptr && &values->encoder() == this ? values : nullptr;
}

ValueWriting::ValueWriting(Encoder& encoder) noexcept
    : encoder_(encoder), outer_(encoder.buffer().values_) {
  if (encoder.values() != nullptr) return;
  encoder.buffer().values_ = this;
  is_active_ = true;
}

ValueWriting::~ValueWriting() {
  if (is_active_) encoder_.buffer().values_ = outer_;
}

// Null and indirections stand in chunks. Between chunks, their tags mean something else.
void ValueWriting::write_null(Encoder& encoder) { encoder.write(null_value_tag); }

// The distance is counted from the position where it is written, after the tag.
void ValueWriting::write_indirection(Encoder& encoder, std::size_t position) {
  encoder.write(value_indirection_tag);
  const std::size_t distance = encoder.position() - position;
  if (distance > std::numeric_limits<std::int32_t>::max()) encoder.fail(ErrorKind::too_large);
  encoder.write(static_cast<std::int32_t>(0 - static_cast<std::uint32_t>(distance)));
}

bool ValueWriting::begin(Encoder& encoder, const void* value, std::span<const std::string_view> ids,
                         Chunks chunks) {
  if (depth_ == written_depth_max) encoder.fail(ErrorKind::too_deep);
  if (!encoder.ok()) return false;
  if (write_earlier(encoder, value)) return false;
  end_chunk(encoder);
  encoder.align(4);
  positions_.emplace(value, encoder.position());
  const bool is_chunked = chunks == Chunks::yes || level_ != 0;
  const std::uint32_t types = ids.size() == 1 ? value_with_id : value_with_ids;
  encoder.write(value_tag | types | (is_chunked ? value_chunked_bit : 0));
  if (types == value_with_ids) encoder.write_length(ids.size());
  for (const std::string_view id : ids) write_id(encoder, id);
  if (!encoder.ok()) return false;
  ++depth_;
  if (!is_chunked) return true;
  ++level_;
  begin_chunk(encoder);
  return true;
}

bool ValueWriting::write_earlier(Encoder& encoder, const void* value) {
  const auto known = positions_.find(value);
  if (known == positions_.end()) return false;
  write_indirection(encoder, known->second);
  return true;
}

// Repository ids have no code set.
void ValueWriting::write_id(Encoder& encoder, std::string_view id) {
  if (id.size() > value_id_size_max) return encoder.fail(ErrorKind::too_large);
  encoder.align(4);
  const auto known = id_positions_.find(id);
  if (known != id_positions_.end()) return write_indirection(encoder, known->second);
  id_positions_.emplace(id, encoder.position());
  const CodeSets code_sets = encoder.code_sets();
  encoder.set_code_sets({});
  encoder.write_string(id);
  encoder.set_code_sets(code_sets);
}

void ValueWriting::end(Encoder& encoder) {
  --depth_;
  if (level_ == 0) return;
  end_chunk(encoder);
  encoder.write(static_cast<std::int32_t>(0 - level_));
  --level_;
  begin_chunk(encoder);
}

void ValueWriting::split_chunk(Encoder& encoder) {
  if (!has_chunk_) return;
  end_chunk(encoder);
  begin_chunk(encoder);
}

// At this point it is not known whether state follows. If none follows, `end_chunk` removes the
// size again.
void ValueWriting::begin_chunk(Encoder& encoder) {
  if (level_ == 0) return;
  encoder.write(std::uint32_t{0});
  chunk_size_place_ = encoder.buffer().own_size() - sizeof(std::uint32_t);
  chunk_start_ = encoder.position();
  has_chunk_ = true;
}

void ValueWriting::end_chunk(Encoder& encoder) {
  if (!has_chunk_) return;
  has_chunk_ = false;
  const std::size_t size = encoder.position() - chunk_start_;
  if (size == 0) return encoder.buffer().truncate(chunk_size_place_);
  if (size >= value_tag) return encoder.fail(ErrorKind::too_large);
  encoder.patch(chunk_size_place_, static_cast<std::uint32_t>(size));
}

}  // namespace perigee::cdr
