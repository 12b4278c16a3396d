// Structs whose members are strings and values of fixed size, for generated code. The writer
// reserves room once for each struct. The place of the next octet stays in a register until the
// last octet is written.
//
// A generated class `Wire` describes such a struct:
//   fixed_size   the most octets of CDR that it takes, without the characters of its strings
//   text_size(value)     the number of characters of its strings
//   members(run, value)  the members in turn
#pragma once

#include <perigee/cdr/run.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace perigee::cdr {

/// Copies exactly the octets of a text. Gives an error if the text has a NUL inside or is too long
/// for CDR.
PERIGEE_API ErrorKind copy_text(std::byte* place, const std::string& text) noexcept;

/// Short texts are copied as this many octets, whatever their size.
inline constexpr std::size_t short_text_room = 16;

// The buffer of a libstdc++ string always has at least this much room, so reading it is safe.
#if defined(__SSE2__) && defined(__GLIBCXX__) && _GLIBCXX_USE_CXX11_ABI
inline constexpr std::size_t short_text_max = short_text_room - 1;

/// Copies a short text, and the octets after it in memory. Returns 0 unless the text has a NUL
/// inside.
inline unsigned copy_short_text(std::byte* place, const char* text, std::size_t size) noexcept {
  using Characters [[gnu::vector_size(short_text_room)]] = char;
  Characters characters;
  std::memcpy(&characters, text, short_text_room);
  std::memcpy(place, &characters, short_text_room);
  const auto nuls = static_cast<unsigned>(__builtin_ia32_pmovmskb128(characters == 0));
  return nuls & ((1U << size) - 1);
}
#else
inline constexpr std::size_t short_text_max = 0;

inline unsigned copy_short_text(std::byte*, const char*, std::size_t) noexcept { return 0; }
#endif

/// Like RunPlace, for runs in which no member stands at a constant offset from an earlier member.
/// An alignment takes two instructions, and all later steps depend on their result.
class TextPlace {
 public:
  TextPlace(std::byte* place, std::size_t position) noexcept
      : start_(place), start_position_(position), position_(position) {}

  [[nodiscard]] std::byte* place() const noexcept { return start_ + (position_ - start_position_); }
  [[nodiscard]] std::size_t position() const noexcept { return position_; }
  void skip(std::size_t count) noexcept { position_ += count; }

 protected:
  void skip_padding(std::size_t alignment) noexcept {
    position_ = (position_ + alignment - 1) & (0 - alignment);
  }

 private:
  std::byte* start_;
  std::size_t start_position_;
  std::size_t position_;
};

/// A RunWriter that also writes texts. A step may write up to `short_text_room` octets beyond the
/// run.
class TextRunWriter final : public RunWriter<false, TextPlace> {
 public:
  explicit TextRunWriter(Encoder& encoder)
      : RunWriter(encoder.buffer().reserve(short_text_room), encoder.position()),
        end_(place() + encoder.buffer().room()) {}

  /// Room for `size` octets, and for the octets beyond the run.
  void reserve(Encoder& encoder, std::size_t size) {
    size += short_text_room;
    if (static_cast<std::size_t>(end_ - place()) >= size) [[likely]]
      return;
    commit(encoder);
    encoder.buffer().reserve(size);
    *this = TextRunWriter(encoder);
  }

  void text(const std::string& text) noexcept {
    const std::size_t size = text.size();
    align(4);
    field(static_cast<std::uint32_t>(size + 1));
    if (size <= short_text_max) [[likely]] {
      has_nul_ |= copy_short_text(place(), text.data(), size);
    } else if (const ErrorKind error = copy_text(place(), text); error != ErrorKind::none) {
      error_ = error;
    }
    skip(size);
    field(std::uint8_t{0});
  }

  /// Adds the written octets to the buffer.
  void commit(Encoder& encoder) const noexcept {
    encoder.buffer().advance(position() - encoder.position());
    if (has_nul_ != 0) encoder.fail(ErrorKind::bad_string);
    if (error_ != ErrorKind::none) encoder.fail(error_);
  }

 private:
  std::byte* end_;
  unsigned has_nul_ = 0;
  ErrorKind error_ = ErrorKind::none;
};

/// Writes `count` structs in turn, without a length.
template <typename Wire, typename T>
void write_texts(Encoder& encoder, const T* values, std::size_t count) {
  if (encoder.swaps() || encoder.code_sets().converts()) [[unlikely]] {
    ConvertingWriter run(encoder);
    return run::each<Wire>(run, values, count);
  }
  TextRunWriter run(encoder);
  for (const T* value = values; value != values + count; ++value) {
    run.reserve(encoder, Wire::fixed_size + Wire::text_size(*value));
    Wire::members(run, *value);
  }
  run.commit(encoder);
}

}  // namespace perigee::cdr
