// Runs, for generated code. A run is a row of members of fixed size that are marshalled together.
// One step reserves the space of a run, or checks that its octets are there. Between two alignments
// all members stand at constant offsets.
//
// A generated class `Wire` describes a struct of fixed size:
//   sizes        octets of CDR from each start phase (position modulo 8), leading padding included
//   alignment    of its most strictly aligned member
//   phase        position modulo `alignment` where the second and later structs of a sequence start
//   block_size   sizes[phase]
//   is_image     true: from that phase on, CDR and memory have the same octets, all of them valid
//   has_characters  true: some octets depend on the code sets
//   members(run, value)  the members in turn, from any phase, in any byte order
//   block(run, value)    the same from `phase` on, in the native byte order: copied by block
// A run inside another struct has `sizes`, `has_characters` and `members` only. Structs that
// contain strings: text_run.h.
#pragma once

#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace perigee::cdr {

/// Octets that a run takes from each start phase.
using RunSizes = std::array<std::uint32_t, 8>;

/// Generated blocks rely on this: members are aligned in memory as in CDR.
static_assert(
    alignof(std::int16_t) == 2 && alignof(std::int32_t) == 4 && alignof(std::int64_t) == 8 &&
        alignof(float) == 4 && alignof(double) == 8,
    "structs are copied by block only where members have their natural alignment in memory");

/// The place of the next octet of a run. `place` is at octet number `position` of the message.
template <typename Octet>
class RunPlace {
 public:
  RunPlace(Octet* place, std::size_t position) noexcept
      : place_(place), bias_(position - reinterpret_cast<std::uintptr_t>(place)) {}

  /// The position modulo `modulus`, a power of two.
  [[nodiscard]] std::size_t phase(std::size_t modulus) const noexcept {
    return (reinterpret_cast<std::uintptr_t>(place_) + bias_) & (modulus - 1);
  }
  [[nodiscard]] Octet* place() const noexcept { return place_; }
  void skip(std::size_t count) noexcept { place_ += count; }

 protected:
  void skip_padding(std::size_t alignment) noexcept {
    place_ += (alignment - phase(alignment)) & (alignment - 1);
  }

 private:
  Octet* place_;
  std::size_t bias_;  // position minus address, modulo 2^64 or 2^32
};

/// Writes a run. `align` may also write up to seven octets beyond the run; these are reserved, too.
/// Each other step writes octets of the run only.
template <bool swaps, typename Place = RunPlace<std::byte>>
class RunWriter : public Place {
 public:
  using Place::Place;
  using Place::place, Place::skip;

  void align(std::size_t alignment) noexcept {
    std::memset(place(), 0, alignment);  // cheaper than a test whether there is padding
    this->skip_padding(alignment);
  }
  void pad(std::size_t count) noexcept {
    std::memset(place(), 0, count);
    skip(count);
  }
  template <typename T>
  void field(T value) noexcept {
    if constexpr (std::is_enum_v<T>) {
      field(static_cast<std::uint32_t>(value));
    } else if constexpr (std::same_as<T, bool>) {
      field(static_cast<std::uint8_t>(value ? 1 : 0));
    } else {
      if constexpr (swaps) value = reverse_octets(value);
      std::memcpy(place(), &value, sizeof value);
      skip(sizeof value);
    }
  }
  template <typename T>
  void enumerator(T value, std::uint32_t /*count*/) noexcept {
    field(value);
  }

  /// Copies parts of a block: the octets of the wire at `offset` are the octets of the value at
  /// `from`.
  void copy(std::size_t offset, const void* value, std::size_t from, std::size_t size) noexcept {
    std::memcpy(place() + offset, static_cast<const std::byte*>(value) + from, size);
  }
  void gap(std::size_t offset, std::size_t size) noexcept {
    std::memset(place() + offset, 0, size);
  }
  void check_boolean(std::size_t /*offset*/) noexcept {}
  void check_enumerator(std::size_t /*offset*/, std::uint32_t /*count*/) noexcept {}
};

/// Reads a run. Notes invalid values and continues: see `is_valid`.
template <bool swaps>
class RunReader final : public RunPlace<const std::byte> {
 public:
  using RunPlace::RunPlace;

  void align(std::size_t alignment) noexcept { skip_padding(alignment); }
  void pad(std::size_t count) noexcept { skip(count); }
  template <typename T>
  void field(T& value) noexcept {
    if constexpr (std::same_as<T, bool>) {
      check_boolean(0);
      value = *place() == std::byte{1};
      skip(1);
    } else {
      std::memcpy(&value, place(), sizeof value);
      if constexpr (swaps) value = reverse_octets(value);
      skip(sizeof value);
    }
  }
  template <typename T>
  void enumerator(T& value, std::uint32_t count) noexcept {
    std::uint32_t ordinal = 0;
    field(ordinal);
    has_bad_enum_ = has_bad_enum_ || ordinal >= count;
    value = static_cast<T>(ordinal < count ? ordinal : 0);
  }

  void copy(std::size_t offset, void* value, std::size_t to, std::size_t size) noexcept {
    std::memcpy(static_cast<std::byte*>(value) + to, place() + offset, size);
  }
  void gap(std::size_t /*offset*/, std::size_t /*size*/) noexcept {}
  void check_boolean(std::size_t offset) noexcept {
    has_bad_boolean_ = has_bad_boolean_ || place()[offset] > std::byte{1};
  }
  void check_enumerator(std::size_t offset, std::uint32_t count) noexcept {
    std::uint32_t ordinal = 0;
    std::memcpy(&ordinal, place() + offset, sizeof ordinal);
    has_bad_enum_ = has_bad_enum_ || ordinal >= count;
  }

  [[nodiscard]] bool is_valid() const noexcept { return !has_bad_boolean_ && !has_bad_enum_; }
  [[nodiscard]] ErrorKind error() const noexcept {
    return has_bad_boolean_ ? ErrorKind::bad_boolean : ErrorKind::bad_enum;
  }

 private:
  bool has_bad_boolean_ = false;
  bool has_bad_enum_ = false;
};

/// Writes a run by the encoder, which converts characters and writes both byte orders.
class ConvertingWriter final {
 public:
  explicit ConvertingWriter(Encoder& encoder) noexcept : encoder_(encoder) {}
  void text(const std::string& text) { encoder_.write_string(text); }
  void align(std::size_t /*alignment*/) noexcept {}
  void pad(std::size_t /*count*/) noexcept {}
  template <typename T>
  void field(T value) {
    if constexpr (std::same_as<T, bool>)
      encoder_.write_boolean(value);
    else
      encoder_.write(value);
  }
  template <typename T>
  void enumerator(T value, std::uint32_t /*count*/) {
    encoder_.write_enum(static_cast<std::uint32_t>(value));
  }

 private:
  Encoder& encoder_;
};

/// Reads a run by the decoder, which converts characters and reads messages in pieces.
class ConvertingReader final {
 public:
  explicit ConvertingReader(Decoder& decoder) noexcept : decoder_(decoder) {}
  void align(std::size_t /*alignment*/) noexcept {}
  void pad(std::size_t /*count*/) noexcept {}
  template <typename T>
  void field(T& value) noexcept {
    if constexpr (std::same_as<T, bool>)
      value = decoder_.read_boolean();
    else
      value = decoder_.read<T>();
  }
  template <typename T>
  void enumerator(T& value, std::uint32_t count) noexcept {
    value = static_cast<T>(decoder_.read_enum(count));
  }

 private:
  Decoder& decoder_;
};

/// Looks for characters beyond ASCII in a value that was read: in UTF-8 they have several octets.
class CharacterScan final {
 public:
  void align(std::size_t /*alignment*/) noexcept {}
  void pad(std::size_t /*count*/) noexcept {}
  template <typename T>
  void field(const T& value) noexcept {
    if constexpr (std::same_as<T, char>) all_ = static_cast<char>(all_ | value);
  }
  template <typename T>
  void enumerator(const T& /*value*/, std::uint32_t /*count*/) noexcept {}

  [[nodiscard]] bool is_ascii() const noexcept { return static_cast<signed char>(all_) >= 0; }

 private:
  char all_ = 0;  // all characters, combined by or
};

namespace run {

/// Fails if values that were read have characters beyond ASCII, and the decoder must check them.
inline void finish_scan(Decoder& decoder, const CharacterScan& scan) noexcept {
  if (!scan.is_ascii() && decoder.checks_utf_8()) [[unlikely]]
    decoder.fail(ErrorKind::bad_character);
}

/// The same for several values, in batches: a step of the loop costs more than the scan of a value.
template <typename Wire, typename T>
[[gnu::noinline]] void check_many(Decoder& decoder, const T* value, std::size_t count) noexcept {
  CharacterScan scan;
  for (constexpr std::size_t batch = 8; count >= batch; count -= batch)
#pragma GCC unroll 8
    for (std::size_t index = 0; index < batch; ++index) Wire::members(scan, *value++);
  for (; count != 0; --count) Wire::members(scan, *value++);
  finish_scan(decoder, scan);
}

/// Checks the characters of values that were read.
template <typename Wire, typename T>
[[gnu::always_inline]] inline void check_characters(Decoder& decoder, const T* values,
                                                    std::size_t count) noexcept {
  if constexpr (Wire::has_characters) {
    if (count != 1) {
      if (decoder.may_check_utf_8()) check_many<Wire>(decoder, values, count);
      return;
    }
    CharacterScan scan;
    Wire::members(scan, *values);
    finish_scan(decoder, scan);
  }
}

/// Marshals `count` values, in the byte order of the writer or reader.
template <typename Wire, typename Run, typename T>
void each(Run& run, T* values, std::size_t count) {
  for (T* value = values; value != values + count; ++value) Wire::members(run, *value);
}

/// The same in the native byte order. Only the first value can start at another phase.
template <typename Wire, typename Run, typename T>
void each_by_block(Run& run, T* values, std::size_t count) {
  T* value = values;
  if (run.phase(Wire::alignment) != Wire::phase) Wire::members(run, *value++);
  for (; value != values + count; ++value) {
    Wire::block(run, *value);
    run.skip(Wire::block_size);
  }
}

/// The same for structs with equal octets on the wire and in memory: one copy.
template <typename Wire, typename T>
void each_as_image(RunReader<false>& run, T* values, std::size_t count) {
  T* value = values;
  if (run.phase(Wire::alignment) != Wire::phase) Wire::members(run, *value++);
  run.copy(0, value, 0, static_cast<std::size_t>(values + count - value) * sizeof(T));
}

}  // namespace run

/// Writes the members of one run, with one reservation. `value` is the struct that contains them.
template <typename Wire, typename T>
void write_run(Encoder& encoder, const T& value) {
  if constexpr (Wire::has_characters) {
    ConvertingWriter run(encoder);
    if (encoder.code_sets().converts()) return Wire::members(run, value);
  }
  const std::size_t position = encoder.position();
  const std::size_t size = Wire::sizes[position & 7U];
  std::byte* place = encoder.buffer().reserve(size + 7);  // `align` zeroes up to eight octets
  encoder.buffer().advance(size);
  if (encoder.swaps()) {
    RunWriter<true> run(place, position);
    Wire::members(run, value);
  } else {
    RunWriter<false> run(place, position);
    Wire::members(run, value);
  }
}

/// Reads the members of one run, after one check that all octets are there.
template <typename Wire, typename T>
void read_run(Decoder& decoder, T& value) {
  if constexpr (Wire::has_characters) {
    ConvertingReader run(decoder);
    if (decoder.code_sets().converts()) return Wire::members(run, value);
  }
  const std::size_t position = decoder.position();
  const std::size_t size = Wire::sizes[position & 7U];
  if (decoder.is_cut_within(size)) [[unlikely]] {
    ConvertingReader run(decoder);
    return Wire::members(run, value);
  }
  const OctetSpan octets = decoder.read_octets(size);
  if (octets.empty()) return;
  const auto read = [&](auto run) {
    Wire::members(run, value);
    if (!run.is_valid()) decoder.fail(run.error());
  };
  if (decoder.swaps())
    read(RunReader<true>(octets.data(), position));
  else
    read(RunReader<false>(octets.data(), position));
  run::check_characters<Wire>(decoder, &value, 1);
}

/// Writes `count` structs of fixed size in turn, without a length, with one reservation.
template <typename Wire, typename T>
void write_structs(Encoder& encoder, const T* values, std::size_t count) {
  if (count == 0) return;
  if constexpr (Wire::has_characters) {
    ConvertingWriter run(encoder);
    if (encoder.code_sets().converts()) return run::each<Wire>(run, values, count);
  }
  if constexpr (Wire::is_image) {
    if (!encoder.swaps()) {
      if (encoder.position() % Wire::alignment != Wire::phase) {
        write_run<Wire>(encoder, *values++);
        --count;
      }
      return encoder.write_octets({reinterpret_cast<const std::byte*>(values), count * sizeof(T)});
    }
  }
  const std::size_t position = encoder.position();
  // No overflow: a struct is not larger in CDR than in memory, except for the padding in front of
  // the first struct.
  const std::size_t size = Wire::sizes[position & 7U] + (count - 1) * Wire::block_size;
  std::byte* place = encoder.buffer().reserve(size + 7);
  encoder.buffer().advance(size);
  if (encoder.swaps()) {
    RunWriter<true> run(place, position);
    run::each<Wire>(run, values, count);
  } else {
    RunWriter<false> run(place, position);
    run::each_by_block<Wire>(run, values, count);
  }
}

/// Reads `count` structs, after one check that all octets are there. After an error the structs are
/// valid, but their values are meaningless.
template <typename Wire, typename T>
void read_structs(Decoder& decoder, T* values, std::size_t count) {
  if (count == 0) return;
  if constexpr (Wire::has_characters) {
    ConvertingReader run(decoder);
    if (decoder.code_sets().converts()) return run::each<Wire>(run, values, count);
  }
  const std::size_t position = decoder.position();
  const std::size_t size = Wire::sizes[position & 7U] + (count - 1) * Wire::block_size;
  if (decoder.is_cut_within(size)) [[unlikely]] {
    ConvertingReader run(decoder);
    return run::each<Wire>(run, values, count);
  }
  const OctetSpan octets = decoder.read_octets(size);
  if (octets.empty()) return;
  const auto finish = [&](const auto& run) {
    if (run.is_valid()) return;
    for (T* value = values; value != values + count; ++value)
      *value = T{};  // a copied octet may be an invalid bool
    decoder.fail(run.error());
  };
  if (decoder.swaps()) {
    RunReader<true> run(octets.data(), position);
    run::each<Wire>(run, values, count);
    finish(run);
  } else {
    RunReader<false> run(octets.data(), position);
    if constexpr (Wire::is_image) {
      run::each_as_image<Wire>(run, values, count);
    } else {
      run::each_by_block<Wire>(run, values, count);
      finish(run);
    }
  }
  run::check_characters<Wire>(decoder, values, count);
}

}  // namespace perigee::cdr
