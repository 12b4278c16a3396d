// Writes the frames of valuetypes: tags, repository ids, indirections and chunks. Does not know the
// types of values: the layer `orb` writes their state.
#pragma once

#include <perigee/base/export.h>
#include <perigee/cdr/encoder.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace perigee::cdr {

/// The values of one message while it is encoded. A value that was written before is written as an
/// indirection, and so is a repository id. One thread at a time.
/// Source: CORBA 3.0, 15.3.4 "Value Types".
class PERIGEE_API ValueWriting final {
 public:
  /// Becomes the ValueWriting of `encoder`. If the encoder has one already, `encoder.values()`
  /// stays the earlier one, and this object is not used. The encoder must outlive this object.
  explicit ValueWriting(Encoder& encoder) noexcept;
  ~ValueWriting();
  ValueWriting(const ValueWriting&) = delete;
  ValueWriting& operator=(const ValueWriting&) = delete;

  /// The encoder, for expressions: `ValueWriting(encoder).encoder() << a << b`.
  [[nodiscard]] Encoder& encoder() noexcept { return encoder_; }

  enum class Chunks : std::uint8_t { no, yes };

  static void write_null(Encoder& encoder);
  /// Writes the header of a value: the tag, the repository ids, and the size field of the first
  /// chunk. True: its state must follow, and then `end`. False: the value was written before, so an
  /// indirection was written; or the encoder has failed (`too_deep`, or `too_large`: an id above
  /// `value_id_size_max`). `value` is the address of the value, and must stay valid. `ids`: the
  /// most derived first. Values inside a chunked value are chunked, whatever `chunks` says.
  [[nodiscard]] bool begin(Encoder& encoder, const void* value,
                           std::span<const std::string_view> ids, Chunks chunks);
  void end(Encoder& encoder);
  /// If a chunk is open, ends it and begins another. Otherwise does nothing. omniORB, as the
  /// receiver, reads too many octets for a sequence that is not the end of its chunk.
  void split_chunk(Encoder& encoder);
  /// Writes an indirection to a value that was written before. If it was not, writes nothing and
  /// returns false.
  [[nodiscard]] bool write_earlier(Encoder& encoder, const void* value);
  /// A key for a value without a C++ object. Pass it to `begin` as the address of the value. The
  /// keys are odd numbers from 1 on, and no object of a value has such an address.
  [[nodiscard]] const void* make_key() noexcept {
    return reinterpret_cast<const void*>(key_count_++ * 2 + 1);  // NOLINT: never dereferenced
  }

 private:
  struct IdHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view id) const noexcept {
      return std::hash<std::string_view>()(id);
    }
  };

  void write_indirection(Encoder& encoder, std::size_t position);
  void write_id(Encoder& encoder, std::string_view id);
  void begin_chunk(Encoder& encoder);
  void end_chunk(Encoder& encoder);

  Encoder& encoder_;
  // The ValueWriting of the enclosing encoder, which uses the same buffer (see Encoder::values).
  // Null: none.
  ValueWriting* outer_;
  bool is_active_ = false;
  std::uint32_t depth_ = 0;  // values that are open
  // Open chunked values. They are the innermost of the `depth_` open values, since values inside a
  // chunked value are chunked.
  std::uint32_t level_ = 0;
  bool has_chunk_ = false;
  std::size_t chunk_start_ = 0;  // position of the chunk's first octet
  // The place of the chunk's size field: the number of the buffer's own (not borrowed) octets in
  // front of it.
  std::size_t chunk_size_place_ = 0;
  std::unordered_map<const void*, std::size_t> positions_;  // the positions of the tags of values
  std::unordered_map<std::string, std::size_t, IdHash, std::equal_to<>> id_positions_;
  std::uintptr_t key_count_ = 0;
};

}  // namespace perigee::cdr
