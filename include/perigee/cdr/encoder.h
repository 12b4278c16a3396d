// CDR encoder: writes values in either byte order, aligned to the start of the message.
// Knows no GIOP header and does no I/O.
#pragma once

#include <perigee/base/byte_order.h>
#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/buffer.h>
#include <perigee/cdr/code_sets.h>
#include <perigee/cdr/errors.h>
#include <perigee/cdr/long_double.h>

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::cdr {

class ValueWriting;

/// Writes CDR to a Buffer, which it refers to. Padding is written as zero.
///
/// Errors (a string with a NUL inside, a local object) are sticky: look at `ok()` at the end.
/// Source: CORBA 3.0, 15.3 "CDR Transfer Syntax".
class PERIGEE_API Encoder {
 public:
  /// If `Borrowing` allows it, strings and sequences of fixed-size elements of at least this size
  /// are borrowed, not copied. A constructor sets another size.
  static constexpr std::size_t borrow_size_min = 8 * 1024;

  /// CDR's lengths have 32 bits.
  static constexpr std::size_t length_max = 0xffffffff;

  enum class Borrowing : std::uint8_t { no, yes };

  /// Appends to `buffer`. Alignment counts from the buffer's present end, which is octet number
  /// `position` of the message. `borrowing` says whether large arguments outlive the sending.
  explicit Encoder(Buffer& buffer, std::endian order = std::endian::native,
                   Borrowing borrowing = Borrowing::no, std::size_t position = 0) noexcept
      : buffer_(&buffer),
        origin_(buffer.size() - position),
        borrow_size_min_(borrowing == Borrowing::yes ? borrow_size_min : ~std::size_t{0}),
        swap_(order != std::endian::native) {}
  /// Encodes arguments that outlive the sending, in the native byte order. Those of at least
  /// `size_min` octets are borrowed.
  Encoder(Buffer& buffer, std::size_t size_min) noexcept
      : buffer_(&buffer), origin_(buffer.size()), borrow_size_min_(size_min), swap_(false) {}

  [[nodiscard]] std::endian order() const noexcept {
    return swap_ == (std::endian::native == std::endian::little) ? std::endian::big
                                                                 : std::endian::little;
  }
  [[nodiscard]] bool swaps() const noexcept { return swap_; }
  [[nodiscard]] Buffer& buffer() noexcept { return *buffer_; }
  /// Octets from the start of the message.
  [[nodiscard]] std::size_t position() const noexcept { return buffer_->size() - origin_; }

  /// Pads with zeros to a multiple of `alignment` (a power of two).
  void align(std::size_t alignment) {
    const std::size_t padding = (0 - position()) & (alignment - 1);
    if (padding != 0) std::memset(buffer_->extend(padding), 0, padding);
  }

  /// The code sets of `char`, strings, wchar and wide strings.
  [[nodiscard]] CodeSets code_sets() const noexcept { return code_sets_; }
  void set_code_sets(CodeSets code_sets) noexcept { code_sets_ = code_sets; }

  /// A primitive value at its natural alignment (long double: 16 octets aligned to 8). A `char` is
  /// converted to the code set of the wire. Wide characters have functions of their own.
  template <Swappable T>
    requires(!std::same_as<T, wchar_t>)
  void write(T value) {
    if constexpr (std::same_as<T, long double>)
      write_quad(to_quad(value));
    else if constexpr (std::same_as<T, char>)
      write_aligned(code_sets_.converts() ? converted(value) : value);
    else
      write_aligned(swap_ ? reverse_octets(value) : value);
  }
  /// All octets of a long double, in native byte order.
  void write_quad(QuadOctets quad);
  void write_boolean(bool value) { write(static_cast<std::uint8_t>(value ? 1 : 0)); }
  void write_enum(std::uint32_t value) { write(value); }
  /// Length with the NUL, the characters, the NUL. A NUL inside is the error `bad_string`.
  /// `bad_character`: the text must be converted, and is invalid or has no form in the code set.
  /// `too_large`: the length does not fit in 32 bits.
  void write_string(std::string_view text);
  /// The same for a text that outlives the sending: it is borrowed if it is large and `Borrowing`
  /// allows it.
  void write_lasting_string(std::string_view text);
  void write_lasting_string(const std::string& text);
  /// Code points. Errors: `bad_character` (not a code point, or not in the code set),
  /// `no_code_set`, `not_in_version` (GIOP 1.0), for strings also `bad_string` and `too_large`.
  /// Source: CORBA 3.0, 15.3.1.6 and 15.3.2.7. Interop facts 28 to 30 of docs/interop.md: in
  /// GIOP 1.2, UTF-16 is written in big endian. A byte order mark is written only before a text
  /// that begins with U+FEFF or U+FFFE.
  void write_wide_character(wchar_t character);
  void write_wide_string(std::wstring_view text);
  /// The octets as they are, unaligned, without a length. Large ones are borrowed if `Borrowing`
  /// allows it.
  void write_octets(OctetSpan octets);
  /// The same for octets that may not live until the message is sent: they are never borrowed.
  void write_copied_octets(OctetSpan octets);
  /// Elements at their natural alignment, without a length. Large arrays are borrowed if
  /// `Borrowing` allows it.
  template <Swappable T>
    requires(!std::same_as<T, wchar_t>)
  void write_array(std::span<const T> values) {
    if (values.empty()) return;
    if constexpr (std::same_as<T, long double>) {
      for (const T value : values) write_quad(to_quad(value));
    } else if (std::same_as<T, char> && code_sets_.converts()) {
      for (const T value : values) write(value);
    } else {
      align(alignment_of<T>);
      if (!swap_ || sizeof(T) == 1) return write_octets(std::as_bytes(values));
      write_swapped(std::as_bytes(values), sizeof(T));
    }
  }
  /// The length of a sequence. If there are more than 2^32-1 elements, the error is `too_large`.
  void write_length(std::size_t count) {
    if (count > length_max) [[unlikely]]
      fail(ErrorKind::too_large);
    write(static_cast<std::uint32_t>(count));
  }

  /// An octet sequence that holds an encapsulation: `write_contents` gets an encoder whose
  /// alignment starts anew, after the byte order octet.
  template <typename WriteContents>
  void write_encapsulation(WriteContents&& write_contents) {
    write(std::uint32_t{0});
    const std::size_t length_offset = buffer_->own_size() - 4;
    const std::size_t start = buffer_->size();
    Encoder contents(*buffer_, order());
    contents.code_sets_ = code_sets_;
    contents.write_boolean(order() == std::endian::little);
    write_contents(contents);
    if (!contents.ok()) fail(contents.error().kind);
    const std::size_t length = buffer_->size() - start;
    if (length > length_max) fail(ErrorKind::too_large);
    patch(length_offset, static_cast<std::uint32_t>(length));
  }

  /// Overwrites four own octets, `own_offset` octets from the start of the buffer's own octets.
  void patch(std::size_t own_offset, std::uint32_t value) noexcept {
    if (swap_) value = reverse_octets(value);
    std::memcpy(buffer_->data() + own_offset, &value, sizeof value);
  }

  /// The valuetypes of the message; null outside of a ValueWriting.
  [[nodiscard]] ValueWriting* values() const noexcept;

  [[gnu::cold]] void fail(ErrorKind kind) noexcept;
  [[nodiscard]] bool ok() const noexcept { return error_.kind == ErrorKind::none; }
  [[nodiscard]] const Error& error() const noexcept { return error_; }

  /// Natural CDR alignment of a primitive type.
  template <typename T>
  static constexpr std::size_t alignment_of = sizeof(T) > 8 ? 8 : sizeof(T);

 private:
  friend class ValueWriting;

  template <typename T>
  void write_aligned(T value) {
    constexpr std::size_t alignment = alignment_of<T>;
    const std::size_t padding = alignment == 1 ? 0 : (0 - position()) & (alignment - 1);
    Buffer& buffer = *buffer_;
    std::byte* place = buffer.reserve(alignment - 1 + sizeof(T));
    // Before the writes: the compiler must assume that `place` aliases the buffer's sizes.
    buffer.advance(padding + sizeof(T));
    // All octets that padding may take are zeroed at once. This is cheaper than a test whether
    // there is padding.
    if constexpr (alignment > 1) std::memset(place, 0, alignment);
    std::memcpy(place + padding, &value, sizeof(T));
  }
  [[gnu::cold]] char converted(char character) noexcept;
  [[nodiscard]] bool borrows(std::string_view text) const noexcept;
  [[gnu::cold]] void write_converted(std::string_view text);
  void write_swapped(OctetSpan octets, std::size_t element_size);

  Buffer* buffer_;
  std::size_t origin_;           // buffer_->size() at message octet 0, modulo 2^64 or 2^32
  std::size_t borrow_size_min_;  // the largest value: nothing is borrowed
  bool swap_;
  CodeSets code_sets_;
  Error error_;
};

/// The octets of an encapsulation outside of a message (a profile, a component, an IOR string).
/// `write_contents` gets an encoder that stands after the byte order octet.
template <typename WriteContents>
[[nodiscard]] Octets encode_encapsulation(std::endian order, WriteContents&& write_contents) {
  Buffer buffer;
  Encoder contents(buffer, order);
  contents.write_boolean(order == std::endian::little);
  write_contents(contents);
  return buffer.flatten();
}

}  // namespace perigee::cdr
