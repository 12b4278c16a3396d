// Reads the frames of valuetypes: tags, repository ids, indirections and chunks. Does not know the
// types of values: the layer `orb` reads their state.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/decoder_part.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace perigee::cdr {

/// The header in front of the state of a value.
struct ValueHeader {
  enum class Kind : std::uint8_t {
    none,     ///< the decoder has failed
    null,     ///< the null value
    earlier,  ///< an indirection to value number `number`
    outer,    ///< a reference to value `number` of `accept_outer_values`
    state,    ///< the state of value number `number` follows
  };
  Kind kind = Kind::none;
  std::uint32_t number = 0;  ///< values of a message are counted from 0, in their order
  bool is_chunked = false;
  /// The repository ids, most derived first; empty if the value has the declared type. Valid until
  /// the next header is read.
  std::span<const std::string_view> ids;
};

/// The values of one message while it is decoded. Values and ids may refer to earlier ones.
///
/// Memory and time are linear in the octets that were read, and the memory is charged to the
/// decoder. The position of a value is the number of octets after its tag: this number stays the
/// same in fragments, chunks and landed messages. One thread at a time.
/// Source: CORBA 3.0, 15.3.4 "Value Types".
class PERIGEE_API ValueReading : public DecoderPart {
 public:
  /// The treatment of a landed sequence.
  enum class Landed : std::uint8_t {
    join,  ///< copy it into the octets of the message
    keep,  ///< do not become the ValueReading of the decoder: each any with values is decoded alone
  };
  /// Becomes the ValueReading of `decoder`, unless the decoder has one. The decoder must outlive
  /// this object. A copy of the decoder fails (`bad_value`) at the end of its chunk; see
  /// DecoderMark. `landed` is used only if the decoder has a landed sequence.
  explicit ValueReading(Decoder& decoder, Landed landed = Landed::join) noexcept;
  virtual ~ValueReading();
  ValueReading(const ValueReading&) = delete;
  ValueReading& operator=(const ValueReading&) = delete;

  /// The decoder, for expressions: `ValueReading(decoder).decoder() >> a >> b`.
  [[nodiscard]] Decoder& decoder() noexcept { return decoder_; }

  /// Reads a tag, and everything between the tag and the state.
  ///
  /// Errors, besides those of strings and limits:
  /// - `bad_value`: an unknown tag; an indirection to a place without a value, id or URL; a value
  ///   without chunks inside a chunked value.
  /// - `too_large`: more than `value_ids_max` ids, or an id above `value_id_size_max`.
  [[nodiscard]] ValueHeader begin(Decoder& decoder);
  /// The treatment of state after the members that were read.
  enum class Rest : std::uint8_t { refuse, skip };
  /// Called after the state of a chunked value. Errors: `bad_value` (more state, wrong end tag),
  /// `bad_length` (a chunk is longer than the message).
  void end_chunked(Decoder& decoder, Rest rest);

  /// Counts the work of comparing ids, about one step for each octet. For each octet that was read,
  /// 256 steps are free. The decoder limits the other steps (`Decoder::count_steps`).
  void count_id_steps(Decoder& decoder, std::uint64_t steps) noexcept;
  /// The steps of a lookup by this id.
  [[nodiscard]] static constexpr std::uint64_t lookup_steps(std::string_view id) noexcept {
    return 32 + 2 * id.size();
  }

  /// Whether reads of the decoder are reads from chunks.
  [[nodiscard]] bool reads_chunks() const noexcept { return chunk_.is_read; }
  /// Whether an indirection to an earlier value was read, so that the values may form a cycle.
  [[nodiscard]] bool has_sharing() const noexcept { return has_sharing_; }

  /// Call it only for octets that this process has written. They may refer to `count` values
  /// outside of them.
  void accept_outer_values(std::uint32_t count) noexcept { outer_count_ = count; }

 protected:
  /// Reads the whole state of a value that is inside the skipped state of another value. If the
  /// type of the inner value is not known, returns false and reads nothing.
  [[nodiscard]] virtual bool decode_skipped(Decoder& decoder, const ValueHeader& header);
  /// Whether this object is the ValueReading of its decoder.
  [[nodiscard]] bool is_active() const noexcept { return is_active_; }

 private:
  friend class Decoder;
  friend class DecoderMark;

  /// The position of `decoder_` in its chunk. Only this decoder can go to another chunk.
  struct Chunk {
    bool is_read = false;        // whether reads of the decoder are reads from chunks
    std::size_t beyond = 0;      // octets of the chunk after the present piece
    std::size_t piece_rest = 0;  // octets of the piece after the chunk
  };
  enum class Place : std::uint8_t { value, skipped_value, id, ids, codebase };
  /// A place that indirections may lead to.
  struct Entry {
    std::size_t behind;   // octets from the place to the end of the message
    std::uint32_t first;  // the number of a value, else the index of the first id
    std::uint32_t count;  // of ids; 0: not complete
    Place place;
  };

  [[nodiscard]] const Entry* entry_at(std::size_t behind_distance,
                                      std::int32_t distance) const noexcept;
  [[nodiscard]] const Entry* known_place(Decoder& decoder, std::size_t behind_distance,
                                         std::int32_t distance, Place place);
  Entry* add(Decoder& decoder, std::size_t behind, Place place);
  [[nodiscard]] const Entry* find_earlier(Decoder& decoder, Place place);
  void read_codebase(Decoder& decoder);
  [[nodiscard]] std::span<const std::string_view> read_types(Decoder& decoder, std::uint32_t tag);
  [[nodiscard]] std::span<const std::string_view> read_id(Decoder& decoder);
  [[nodiscard]] std::span<const std::string_view> read_ids(Decoder& decoder);
  [[nodiscard]] ValueHeader read_value(Decoder& decoder, std::uint32_t tag, std::size_t behind);
  [[nodiscard]] ValueHeader read_earlier(Decoder& decoder);
  [[nodiscard]] ValueHeader begin_in_chunk(Decoder& decoder);
  void find_end(Decoder& decoder, Rest rest);
  static void skip_chunk(Decoder& decoder, std::uint32_t size);
  [[nodiscard]] std::uint32_t skip_value(Decoder& decoder, std::uint32_t tag, std::size_t behind,
                                         std::uint32_t& open);
  void enter_chunks(Decoder& decoder) noexcept;
  bool enter_chunk(Decoder& decoder, std::uint32_t size) noexcept;
  void show_chunk(Decoder& decoder) noexcept;
  bool continue_chunk(Decoder& decoder) noexcept;
  void skip_chunk_rest(Decoder& decoder) noexcept;
  void leave_chunk(Decoder& decoder) noexcept;
  [[nodiscard]] std::byte* keep(std::size_t size) noexcept;

  Decoder& decoder_;
  bool is_active_ = false;
  bool has_sharing_ = false;
  std::size_t start_;  // octets after the place where reading began
  std::uint64_t id_steps_ = 0;
  std::uint32_t value_count_ = 0;
  std::uint32_t outer_count_ = 0;
  bool only_looks_ = false;  // the octets will be read again: no value is made
  std::uint32_t level_ = 0;  // chunked values that are open
  std::uint32_t ended_from_ =
      0;  // an end tag has ended the values of this level and deeper; 0: none
  Chunk chunk_;
  std::vector<Entry> entries_;  // in the order of the message: `behind` decreases
  std::vector<std::string_view> ids_;
  std::vector<std::unique_ptr<std::byte[]>> kept_;  // octets that chunks had divided
};

/// A place in the message to which a decoder can go back, for example if the next octets are not
/// what a reader has looked for. A copy of the decoder would not be enough: inside a valuetype, the
/// decoder and its ValueReading together know the chunk. Between the mark and `go_back`, headers of
/// values may be read only if the mark was made with Before::values. The decoder must outlive the
/// mark. One thread at a time.
class PERIGEE_API DecoderMark {
 public:
  enum class Before : std::uint8_t {
    plain_octets,
    values,  ///< from now on until `go_back`, the reading makes no values of skipped state
  };
  explicit DecoderMark(Decoder& decoder, Before before = Before::plain_octets) noexcept;
  /// Also takes back an error, charged memory, and the copies of octets that chunks had divided.
  /// With Before::values, the steps of `Decoder::count_steps` stay counted.
  void go_back() noexcept;

 private:
  Decoder& decoder_;
  Decoder start_;
  ValueReading::Chunk chunk_;
  std::size_t kept_count_ = 0;
  Before before_;
  std::size_t entry_count_ = 0;
  std::size_t id_count_ = 0;
  std::uint32_t value_count_ = 0;
  std::uint32_t level_ = 0;
  std::uint32_t ended_from_ = 0;
  bool has_sharing_ = false;
  bool only_looks_ = false;
};

}  // namespace perigee::cdr
