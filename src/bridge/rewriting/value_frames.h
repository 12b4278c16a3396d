// Copies the frames of valuetypes: tags, repository ids, indirections, chunks, and unread state.
// Does not know types: ValueCopier copies the state of values.
#pragma once

#include <perigee/base/octets.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/errors.h>
#include <perigee/cdr/value_reading.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace perigee::bridge {

/// The values of one body. The copy has the form of the received body: the same chunks, and
/// indirections in the same places. Sizes of chunks and distances of indirections are written anew,
/// because a replaced reference has another size.
///
/// Memory and time are linear in the octets that were read, but each indirection takes a binary
/// search. The decoder limits the nesting, and counts values and memory.
/// Source: CORBA 3.0, 15.3.4 "Value Types".
class ValueFrames final : private cdr::ValueReading {
 public:
  /// Copies a value that stands in the unread state of another value.
  class InnerValues {
   public:
    /// The header of the value has been copied. Copies its state, and calls `end_state`.
    virtual void copy_inner(const cdr::ValueHeader& header) = 0;

   protected:
    ~InnerValues() = default;
  };
  using cdr::ValueReading::Rest;

  /// The decoder must not have a ValueReading, and `start` is a copy of it. The decoder, the
  /// encoder and `inner` must outlive this object.
  ValueFrames(cdr::Decoder& decoder, const cdr::Decoder& start, cdr::Encoder& encoder,
              InnerValues& inner)
      : ValueReading(decoder),
        in_(decoder),
        out_(encoder),
        inner_(inner),
        size_(start.remaining()),
        start_(start),
        latest_(start) {}

  /// Reads and writes a tag and what follows it in front of the state. If the header has the kind
  /// `state`, the caller copies the state. Of a chunked value, `end_state` copies the end.
  [[nodiscard]] cdr::ValueHeader copy_header();
  /// Called after the decoder has read state, and before the copy of this state is written. If the
  /// decoder has gone to another chunk, begins one in the copy.
  void follow();
  /// Ends the state of a chunked value. `Rest::skip`: the rest of the state passes unread.
  void end_state(Rest rest);
  /// Counts the steps of a look-up by a repository id.
  void count_lookup(std::string_view id) { count_id_steps(in_, lookup_steps(id)); }

  /// Whether the next octets go beyond the present chunk.
  [[nodiscard]] bool is_cut_within(std::size_t count) const noexcept {
    return level_ != 0 && count > octets_in_chunk();
  }
  /// The unread octets of the present chunk. Called in a chunked value.
  [[nodiscard]] std::size_t octets_in_chunk() const noexcept { return chunk_end_ - offset(); }
  /// The octets that searches for earlier places have passed. They are at most a small multiple of
  /// the received octets.
  [[nodiscard]] std::size_t passed_octets() const noexcept { return passed_; }
  [[nodiscard]] std::size_t searches() const noexcept { return searches_; }
  /// The first place with unread state that cannot move, so that the copy is wrong. Copying goes
  /// on, since the copy is not needed if no reference is replaced.
  [[nodiscard]] const std::optional<cdr::Error>& unmovable() const noexcept { return unmovable_; }
  /// Whether that state would move by a number of octets that is not a multiple of 8. Its values
  /// would lose their alignment.
  [[nodiscard]] bool has_lost_phase() const noexcept { return has_lost_phase_; }

 private:
  /// A value, repository id, list of ids or URL. Received octets are counted from the start of the
  /// decoder, in all fragments and chunks together: this is their offset.
  struct Place {
    std::size_t from;  // offset
    std::size_t to;    // position of the encoder
  };

  bool decode_skipped(cdr::Decoder& decoder, const cdr::ValueHeader& header) override;
  [[nodiscard]] std::size_t offset() const noexcept { return offset_of(in_); }
  [[nodiscard]] std::size_t offset_of(const cdr::Decoder& decoder) const noexcept {
    return size_ - decoder.remaining();
  }
  [[nodiscard]] cdr::Decoder at(std::size_t offset) const noexcept;
  [[nodiscard]] std::size_t aligned(std::size_t offset) const noexcept;
  [[nodiscard]] const Place* find(std::size_t from) const noexcept;
  void remember(std::size_t from);
  void copy_tag_without_state(std::size_t size);
  void copy_front(std::size_t tag);
  void copy_text(cdr::Decoder& front);
  void copy_ids(cdr::Decoder& front);
  void copy_distance(cdr::Decoder& front);
  void copy_unread();
  void copy_end_tag(std::size_t place, std::uint32_t tag);
  void copy_chunk(std::size_t place, std::uint32_t size);
  void copy_unread_octets(std::size_t from);
  [[nodiscard]] bool keeps_indirections(std::size_t from, OctetSpan octets) const noexcept;
  [[nodiscard]] bool may_be_distance(OctetSpan octets) const noexcept;
  /// The place to which the distance at an offset leads; null: none.
  [[nodiscard]] const Place* target_at(std::size_t distance_offset) const noexcept;
  void begin_chunk();
  void end_chunk();

  cdr::Decoder& in_;
  cdr::Encoder& out_;
  InnerValues& inner_;
  const std::size_t size_;  // octets of the values
  // Decoders that see all octets, also those between chunks. The latest frame shortens the way.
  const cdr::Decoder start_;
  cdr::Decoder latest_;
  std::vector<Place> places_;  // in the order of `from`, and so of `to`
  std::uint32_t level_ = 0;    // chunked values that are open in the copy
  // In a chunked value, the offset of the end of the chunk whose octets are being copied. Between
  // chunks, that of the end of the last frame.
  std::size_t chunk_end_ = 0;
  std::size_t copied_ = 0;  // of the value that ends: the offset of the end of the copied state
  bool has_chunk_ = false;  // the members below belong to a chunk of the copy
  std::size_t chunk_start_ = 0;
  std::size_t chunk_size_place_ = 0;  // own octets of the encoder's buffer in front of the size
  std::optional<cdr::Error> unmovable_;
  bool has_lost_phase_ = false;
  mutable std::size_t passed_ = 0;
  mutable std::size_t searches_ = 0;
};

}  // namespace perigee::bridge
